import { describe, expect, it } from 'vitest';
import { type AnthropicMessageRequest, type ChatRequest, collect, collecting, defineTool, toolRun } from '../../src/overlay/index.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { chatFrames, scriptedModel, usage } from '../support/scripted-model.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `clear in ${city}`,
});
const request: ChatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'Weather in Paris?' }] };
const delta = (one: object, finish_reason?: string, more: object = {}): object => ({ choices: [{ index: 0, delta: one, finish_reason }], ...more });
const asking = chatFrames([
  delta({ role: 'assistant', reasoning_content: 'Let me ' }),
  delta({ reasoning_content: 'look.' }),
  delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '{"ci' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: 'ty":"Paris"}' } }] }),
  delta({}, 'tool_calls', { usage }),
]);
const answering = chatFrames([delta({ role: 'assistant', content: 'Sun' }), delta({ content: 'ny.' }), delta({}, 'stop', { usage })]);

describe('a tool loop as a stream', () => {
  it('yields the chunks of every round, with the boundary between them', async () => {
    const { client, requests } = await scriptedModel(asking, answering);
    const log: string[] = [];
    const stream = client.chat().streamWithTools(undefined, request, [weather], {
      onRound: ({ round, calls }) => void log.push(`round ${round}: ${calls[0]?.name} ${JSON.stringify(calls[0]?.input)}`),
    });
    expect(requests).toHaveLength(0);
    for await (const chunk of stream) log.push(chunk.choices?.[0]?.finish_reason ?? '.');
    expect(log).toEqual(['.', '.', '.', '.', 'tool_calls', 'round 1: weather {"city":"Paris"}', '.', '.', 'stop']);
    expect(requests.map(({ body }) => body.stream)).toEqual([true, true]);
    const [, assistant, result] = requests[1]?.body.messages ?? [];
    expect(assistant.reasoning_content).toBe('Let me look.');
    expect(assistant.tool_calls).toEqual([{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }]);
    expect(result).toEqual({ role: 'tool', tool_call_id: 'a', content: 'clear in Paris' });
    const run = toolRun(stream);
    expect(run?.response.choices[0]?.message.content).toBe('Sunny.');
    expect([run?.modelCalls, run?.usage?.total_tokens, run?.transcript.length]).toEqual([2, 30, 4]);
  });

  it('is left with a rejected promise without an unhandled rejection', async () => {
    const rejections = strictRejections();
    const { client } = await scriptedModel(asking, answering);
    const stream = client.chat().streamWithTools(undefined, request, [weather]);
    await stream.next();
    expect(await stream.return(Promise.reject(new Error('late')))).toEqual({ value: undefined, done: true });
    expect(await rejections.settled()).toEqual([]);
  });

  it('is refused by what collects one response, on both surfaces', async () => {
    const { client, requests } = await scriptedModel(asking, answering);
    const chat = client.chat().streamWithTools(undefined, request, [weather]);
    const words = 'the stream has the responses of several rounds: read it, then use toolRun(stream)';
    expect(() => collecting(chat)).toThrow(`collecting: ${words}`);
    await expect(collect(chat)).rejects.toThrow(`collect: ${words}`);
    const messages = client.anthropic().streamWithTools(undefined, { ...request, max_tokens: 9 } as AnthropicMessageRequest, [weather]);
    await expect(collect(messages)).rejects.toThrow(`collect: ${words}`);
    expect(requests).toHaveLength(0);
  });

  it('leaving the loop closes the socket, and no more is sent', async () => {
    const { client, fake } = await scriptedModel([...asking.slice(0, 2), 'hang']);
    for await (const _ of client.chat().streamWithTools(undefined, request, [weather])) break;
    await fake.idle();
    expect(fake.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('leaving before the first chunk was requested sends no request, and lets go of the signal', async () => {
    const { client, requests } = await scriptedModel(asking);
    const { signal, listeners } = countingSignal();
    const stream = client.chat().streamWithTools(signal, request, [weather]);
    const waiting = stream.next();
    await stream.return();
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(requests).toHaveLength(0);
    expect(listeners()).toBe(0);
  });

  it('chunks asked for all at once come in order', async () => {
    const { client } = await scriptedModel(asking, answering);
    const stream = client.chat().streamWithTools(undefined, request, [weather]);
    const first = Array.from({ length: 4 }, () => stream.next());
    const results = [...(await Promise.all(first)), await stream.next()];
    expect(results.map(({ value }) => value?.choices?.[0]?.delta?.reasoning_content ?? value?.choices?.[0]?.finish_reason)).toEqual([
      'Let me ',
      'look.',
      undefined,
      undefined,
      'tool_calls',
    ]);
    await stream.return();
  });

  it('leaving while a tool hangs cancels the tool and ends the wait', async () => {
    const { client } = await scriptedModel(asking, answering);
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    let signal: AbortSignal | undefined;
    const hanging = defineTool({
      name: 'weather',
      description: '',
      input: { type: 'object' },
      run: (_, call) => {
        ({ signal } = call);
        started();
        return new Promise(() => {});
      },
    });
    const stream = client.chat().streamWithTools(undefined, request, [hanging]);
    for (let chunk = 0; chunk < 5; chunk++) await stream.next();
    const waiting = stream.next();
    await running;
    await stream.return();
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(signal?.aborted).toBe(true);
  });

  it('bad input throws at the first item, and a stream is read once', async () => {
    const { client, requests } = await scriptedModel(asking);
    await expect(client.chat().streamWithTools(undefined, request, []).next()).rejects.toThrow('chat.streamWithTools: tools must not be empty');
    const stream = client.chat().streamWithTools(undefined, request, [weather]);
    stream[Symbol.asyncIterator]();
    expect(() => stream[Symbol.asyncIterator]()).toThrow('only once');
    expect(requests).toHaveLength(0);
  });
});
