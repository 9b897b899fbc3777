import { describe, expect, it } from 'vitest';
import {
  type AnthropicMessageRequest,
  type ChatRequest,
  type ChatResponse,
  defineTool,
  isModelsvcError,
  newFunctionTool,
  newWebSearchTool,
  type ToolLoopOptions,
} from '../../src/overlay/index.ts';
import type { ToolRound } from '../../src/types/index.ts';
import { looped, type SurfaceDriver, surfaces } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { chatAnswer, chatCalls, messageAnswer, type SeenRequest, scriptedModel, usage } from '../support/scripted-model.ts';

const weather = newFunctionTool('weather', 'The weather of a city', { type: 'object', properties: { city: { type: 'string' } } });
const request: ChatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'Weather in Paris?' }], tools: [weather] };
const message: AnthropicMessageRequest = {
  model: 'glm-4.6',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Weather in Paris?' }],
  tools: [{ name: 'weather', input_schema: { type: 'object' } }],
};
const [chat] = surfaces as [SurfaceDriver];
const bye = chatAnswer({ content: 'Sunny.' });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

describe('the executor form', () => {
  it('hands both strings over untouched and sends back what the service accepts with one tool message a call', async () => {
    const odd = '{ "city" : "Paris", }';
    const asking = chatCalls(['a', 'weather', odd], ['b', 'we ird', '"x"']);
    const { client, requests } = await scriptedModel(asking, bye);
    const seen: unknown[] = [];
    const response = await client.chat().runWithTools(undefined, request, (name, args) => {
      seen.push([name, args]);
      return `result of ${name}`;
    });
    expect(seen).toEqual([
      ['weather', odd],
      ['we ird', '"x"'],
    ]);
    expect(response.choices[0]?.message.content).toBe('Sunny.');
    const asked = JSON.stringify((asking as { choices: { message: object }[] }).choices[0]?.message);
    expect(requests[1]?.body.messages).toEqual([
      ...request.messages,
      JSON.parse(asked.replace(', }', ' }').replace('we ird', 'unknown_tool')),
      { role: 'tool', tool_call_id: 'a', content: 'result of weather' },
      { role: 'tool', tool_call_id: 'b', content: 'result of we ird' },
    ]);
  });

  it('gives the model an error of the executor, thrown or rejected, and goes on', async () => {
    const { client, requests } = await scriptedModel(chatCalls(['a', 'weather', '{}'], ['b', 'weather', '{}'], ['c', 'weather', '{}']), bye);
    let calls = 0;
    await client.chat().runWithTools(undefined, request, () => {
      calls++;
      if (calls === 1) throw new TypeError('no such city');
      if (calls === 2) return Promise.reject('plain words');
      throw Object.create(null);
    });
    const results = requests[1]?.body.messages.slice(2).map((message: { content: string }) => message.content);
    expect(results).toEqual(['error: no such city', 'error: plain words', 'error: unknown']);
  });

  it.each([
    [{ stream: true as never }, false, [true, true]],
    [{ stream: false as const }, false, [false, false]],
    [{ stream: true as never }, true, [undefined, undefined]],
  ])('never changes the request, and asks for the form of the client: %j, wholeReplies %s', async (form, wholeReplies, asked) => {
    const { client, requests } = await scriptedModel(chatCalls(['a', 'weather', '{}']), bye);
    const frozen = deepFreeze({ ...structuredClone(request), ...form });
    await client.chat().runWithTools({ wholeReplies }, frozen, () => 'ok');
    expect(frozen.messages).toHaveLength(1);
    expect(requests.map(({ body }) => body.stream)).toEqual(asked);
  });
});

describe('when the loop stops', () => {
  const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"ci' } };
  const use = { type: 'tool_use', id: 'a', name: 'weather', input: {} };
  it.each([
    ...['stop', 'length', 'sensitive', 'network_error', 'model_context_window_exceeded', 'something_new'].map((reason) => [reason, 'chat'] as const),
    ...['max_tokens', 'refusal', 'stop_sequence', 'model_context_window_exceeded'].map((reason) => [reason, 'messages'] as const),
  ])('runs no tool after %s of %s', async (reason, surface) => {
    const answer = surface === 'chat' ? chatAnswer({ content: 'half', tool_calls: [call] }, reason) : messageAnswer([use], reason);
    const { client, requests } = await scriptedModel(answer);
    const executor = (): never => expect.unreachable();
    if (surface === 'chat') expect((await client.chat().runWithTools(undefined, request, executor)).choices[0]?.finish_reason).toBe(reason);
    else expect((await client.anthropic().runWithTools(undefined, message, executor)).stop_reason).toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it('runs calls that come without a finish reason', async () => {
    const answer = chatAnswer({ content: '', tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }] }, null);
    const { client, requests } = await scriptedModel(answer, bye);
    await client.chat().runWithTools(undefined, request, () => 'ok');
    expect(requests).toHaveLength(2);
  });

  it('leaves calls of other kinds, which the service runs, alone', async () => {
    const { client, requests } = await scriptedModel(chatAnswer({ content: 'done', tool_calls: [{ id: 'm', type: 'mcp', mcp: {} }] }, 'tool_calls'));
    await client.chat().runWithTools(undefined, request, () => expect.unreachable());
    expect(requests).toHaveLength(1);
  });

  it('lets tools run in 8 rounds, and then throws with the last response and the transcript', async () => {
    const { client, requests } = await scriptedModel(chatCalls(['a', 'weather', '{}']));
    let runs = 0;
    const error = await client
      .chat()
      .runWithTools(undefined, request, () => {
        runs++;
        return 'ok';
      })
      .catch((reason: unknown) => reason);
    expect(isModelsvcError(error, 'tool-loop')).toBe(true);
    if (!isModelsvcError(error, 'tool-loop')) return;
    expect([requests.length, runs, error.rounds]).toEqual([9, 8, 8]);
    expect(error.lastResponse).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(error.transcript).toHaveLength(1 + 9 * 2);
    expect(error.usage).toMatchObject({ total_tokens: 9 * usage.total_tokens, prompt_tokens_details: { cached_tokens: 18 } });
    expect(JSON.stringify(error)).not.toContain('thinking about it');
  });

  it('keeps another limit', async () => {
    const { client, requests } = await scriptedModel(chatCalls(['a', 'weather', '{}']));
    await expect(client.chat().runWithToolsLimit(undefined, request, () => 'ok', 2)).rejects.toThrow('after 2 rounds');
    expect(requests).toHaveLength(3);
    const options = { maxRounds: 1 };
    await expect(client.chat().runWithTools(undefined, request, () => 'ok', options)).rejects.toThrow('after 1 round');
    await expect(client.chat().runWithToolsLimit(undefined, request, () => 'ok', 2, options)).rejects.toThrow('after 2 rounds');
    expect(requests).toHaveLength(3 + 2 + 3);
  });

  const forced = { type: 'function', function: { name: 'weather' } };
  const forcedUse = { type: 'tool', name: 'weather', disable_parallel_tool_use: true };
  it.each([
    ['chat', forced, undefined],
    ['chat', 'auto', 'auto'],
    ['messages', forcedUse, { type: 'auto', disable_parallel_tool_use: true }],
  ])('a tool_choice of %s that forces a tool is dropped once tools have run, and others are kept: %j', async (surface, tool_choice, later) => {
    const { client, requests } = await scriptedModel(
      ...(surface === 'chat' ? [chatCalls(['a', 'weather', '{}']), bye] : [messageAnswer([use], 'tool_use'), messageAnswer([])]),
    );
    if (surface === 'chat') await client.chat().runWithTools(undefined, { ...request, tool_choice } as ChatRequest, () => 'ok');
    else await client.anthropic().runWithTools(undefined, { ...message, tool_choice } as AnthropicMessageRequest, () => 'ok');
    expect(requests.map(({ body }) => body.tool_choice)).toEqual([tool_choice, later]);
  });
});

describe('odd calls', () => {
  it('gives a call without id one, in the message and in the result', async () => {
    const answer = chatAnswer({ content: null, tool_calls: [{ function: { name: 'weather', arguments: { city: 'Paris' } } }] }, 'tool_calls');
    const { client, requests } = await scriptedModel(answer, bye);
    const seen: string[] = [];
    await client.chat().runWithTools(undefined, request, (_, args) => {
      seen.push(args);
      return 'ok';
    });
    expect(seen).toEqual(['{"city":"Paris"}']);
    const [, assistant, result] = (requests[1] as SeenRequest).body.messages;
    expect(assistant.tool_calls).toEqual([{ id: 'call_1_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }]);
    expect(result.tool_call_id).toBe('call_1_1');
  });
});

describe('typed tools', () => {
  const typed = defineTool({
    name: 'weather',
    description: 'w',
    input: { type: 'object' },
    run: (_, call) => ({ id: call.callId, round: call.round }),
  });
  const untooled = { model: request.model, messages: request.messages };

  it('declare themselves next to the other tools, and know their call', async () => {
    const { client, requests } = await scriptedModel(chatCalls(['x', 'weather', '{}']), bye);
    await client.chat().runWithTools(undefined, { ...untooled, tools: [newWebSearchTool('x')] }, [typed]);
    expect(requests[0]?.body.tools.map(({ type }: { type: string }) => type)).toEqual(['web_search', 'function']);
    expect(requests[1]?.body.messages.at(-1).content).toBe('{"id":"x","round":1}');
  });

  it('a name of the prototype is an unknown tool, and malformed JSON is answered', async () => {
    const { client, requests } = await scriptedModel(chatCalls(['a', '__proto__', '{}'], ['b', 'constructor', '{}'], ['c', 'weather', '{"a":']), bye);
    await client.chat().runWithTools(undefined, untooled, [typed]);
    expect(requests[1]?.body.messages.slice(2).map((message: { content: string }) => message.content)).toEqual([
      'error: there is no tool named __proto__; the tools are: weather',
      'error: there is no tool named constructor; the tools are: weather',
      'error: the arguments of weather are not valid JSON; expected a JSON object',
    ]);
  });

  it('shows onRound the checked value or what is wrong, and never runs a bad call', async () => {
    const { client } = await scriptedModel(chatCalls(['a', 'weather', '{"n":1}'], ['b', 'weather', '[1]']), bye);
    const seen: unknown[] = [];
    await client.chat().runWithTools(undefined, untooled, [typed], {
      onRound: ({ calls }) => {
        for (const { input, problem } of calls) seen.push(input ?? problem);
        return ['allow', 'allow'];
      },
    });
    expect(seen).toEqual([{ n: 1 }, 'the arguments of weather do not fit: must be an object; expected a JSON object']);
  });
});

describe('canceling', () => {
  it('stops while the model works, and sends no request when canceled before', async () => {
    const { client, requests } = await scriptedModel(() => ['hang']);
    const controller = new AbortController();
    const run = client.chat().runWithTools(controller.signal, request, () => 'ok');
    run.catch(() => undefined);
    await until(() => requests.length === 1);
    controller.abort();
    await expect(run).rejects.toSatisfy(ofKind('abort'));
    expect(requests.length).toBe(1);
    await expect(client.chat().runWithTools(AbortSignal.abort(), request, () => 'ok')).rejects.toSatisfy(ofKind('abort'));
    expect(requests.length).toBe(1);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const { client } = await scriptedModel(chatCalls(['a', 'weather', '{}']), bye);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await client.chat().runWithTools(signal, request, () => 'ok');
    expect(listeners).toBe(0);
  });
});

describe('several calls in a round', () => {
  const five = chatCalls(...(['a', 'b', 'c', 'd', 'e'] as const).map((id) => [id, 'weather', id] as const));

  async function atOnce(parallel: boolean | number | undefined): Promise<{ most: number; results: string[] }> {
    const { client, requests } = await scriptedModel(five, bye);
    let now = 0;
    let most = 0;
    const options = parallel === undefined ? {} : { parallel };
    const executor = async (_name: string, args: string): Promise<string> => {
      most = Math.max(most, ++now);
      // The first ends last.
      await turns(args === 'a' ? 20 : 2);
      now--;
      return args;
    };
    await client.chat().runWithTools(undefined, request, executor, options);
    return { most, results: requests[1]?.body.messages.slice(2).map((message: { content: string }) => message.content) };
  }

  it.each([
    [undefined, 1],
    [false, 1],
    [2, 2],
    [true, 5],
  ])('with parallel %s run %i at a time and keep the order of results', async (parallel, most) => {
    expect(await atOnce(parallel)).toEqual({ most, results: ['a', 'b', 'c', 'd', 'e'] });
  });
});

describe('onRound', () => {
  it('approves, denies and replaces calls one by one', async () => {
    const { client, requests } = await scriptedModel(
      chatCalls(['a', 'weather', '1'], ['b', 'weather', '2'], ['c', 'weather', '3'], ['d', 'weather', '4']),
      bye,
    );
    const ran: string[] = [];
    const rounds: ToolRound<unknown>[] = [];
    const executor = (_name: string, args: string): string => {
      ran.push(args);
      return 'ran';
    };
    await client.chat().runWithTools(undefined, request, executor, {
      onRound: async (round) => {
        rounds.push(round);
        return ['allow', { deny: 'the user refused' }, { replace: 'cached' }];
      },
    });
    expect(ran).toEqual(['1', '4']);
    expect(rounds.map(({ round, calls }) => [round, calls.map(({ id }) => id)])).toEqual([[1, ['a', 'b', 'c', 'd']]]);
    expect(requests[1]?.body.messages.slice(2).map((message: { content: string }) => message.content)).toEqual([
      'ran',
      'error: the user refused',
      'cached',
      'ran',
    ]);
  });

  const slips: [string, unknown, string][] = [
    ['null', null, 'options.onRound'],
    ['false', false, 'options.onRound'],
    ['a word', 'allow', 'options.onRound'],
    ['one decision without its array', { deny: 'no' }, 'options.onRound'],
    ['a decision too many', ['allow', 'allow', { deny: 'no' }], 'options.onRound'],
    ['a Set', new Set(['allow']), 'options.onRound'],
    ['null for a call', ['allow', null], 'options.onRound[1]'],
    ['false for a call', ['allow', false], 'options.onRound[1]'],
    ['true for a call', [true, 'allow'], 'options.onRound[0]'],
    ['an unknown word', ['allow', 'deny'], 'options.onRound[1]'],
    ['a deny without words', ['allow', { deny: undefined }], 'options.onRound[1]'],
    ['a deny that is true', [{ deny: true }, 'allow'], 'options.onRound[0]'],
    ['a replacement that is no text', ['allow', { replace: { a: 1 } }], 'options.onRound[1]'],
    ['deny and replace', ['allow', { deny: 'no', replace: 'x' }], 'options.onRound[1]'],
    ['an empty object', [{}, 'allow'], 'options.onRound[0]'],
    ['a promise for a call', ['allow', Promise.resolve({ deny: 'no' })], 'options.onRound[1]'],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is the point
    ['a thenable for a call', ['allow', { then: () => undefined }], 'options.onRound[1]'],
  ];
  it.each(slips.flatMap(([what, given, path]) => [false, true].map((stream) => ({ what, given, path, stream }))))(
    'onRound that returns $what is an error and runs no tool (streamed: $stream)',
    async ({ given, path, stream }) => {
      const { fake, client } = await openFake();
      fake.chat.reply({ toolCalls: [{ name: 'weather' }, { name: 'weather' }] });
      const options = { onRound: () => given };
      const run = looped(chat, client, { stream, request: request as never, tools: () => expect.unreachable(), options });
      await expect(run).rejects.toMatchObject({ name: 'ValidationError', path });
      expect(fake.requests).toHaveLength(1);
    },
  );

  it('refuses an onRound that is not a function before anything is sent', async () => {
    const { client, requests } = await scriptedModel(bye);
    const options = { onRound: 'ask' } as unknown as ToolLoopOptions<ChatResponse>;
    await expect(client.chat().runWithTools(undefined, request, () => 'ok', options)).rejects.toMatchObject({ path: 'options.onRound' });
    expect(requests).toHaveLength(0);
  });
});

describe('bad input, before anything is sent', () => {
  const tool = defineTool({ name: 'clock', description: '', input: { type: 'object' }, run: () => '' });
  const cases: readonly [string, ChatRequest, unknown, unknown, string][] = [
    ['no tools', { model: 'm', messages: request.messages }, () => '', 8, 'tools must not be empty'],
    ['no executor', request, undefined, 8, 'the executor must be a function'],
    ['an empty list', request, [], 8, 'tools must not be empty'],
    ['a list of something else', request, [{ name: 'x' }], 8, 'tools[0] must be made by defineTool'],
    [
      'a name twice',
      { ...request, tools: [weather, newWebSearchTool('x'), weather] },
      () => '',
      8,
      'tools[2].function.name "weather" is already used by tools[0].function',
    ],
    ['a typed name twice', { ...request, tools: [] }, [tool, tool], 8, 'tools[1].name "clock" is already used by tools[0]'],
    ['a function that nobody runs', request, [tool], 8, 'tools[0].function has no typed tool'],
    ['a root that is no object', { ...request, tools: [newFunctionTool('x', '', { type: 'string' })] }, () => '', 8, 'root is not an object'],
    ['a limit of 0', request, () => '', 0, 'maxRounds must be an integer of at least 1'],
    ['a limit of NaN', request, () => '', Number.NaN, 'maxRounds must be an integer of at least 1'],
    ['a missing model', { ...request, model: undefined as never }, () => '', 8, 'model is required'],
  ];

  it.each(cases)('%s', async (_, bad, tools, limit, words) => {
    const { client, requests } = await scriptedModel(bye);
    const run = client.chat().runWithToolsLimit(undefined, bad, tools as never, limit as number);
    await expect(run).rejects.toMatchObject({ kind: 'validation', message: expect.stringContaining(words) });
    await expect(run).rejects.toThrow(/^chat\.runWithToolsLimit: /);
    expect(requests).toHaveLength(0);
  });
});
