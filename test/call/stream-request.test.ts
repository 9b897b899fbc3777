import { expect, test } from 'vitest';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `clear in ${city}`,
});

interface Plain {
  model: string;
  max_tokens: number;
  messages: { role: string; content: string }[];
}

/** A request that its owner changes everywhere after the call. */
function changing(more: object = {}): { request: Plain; change: () => void } {
  const message = { role: 'user', content: 'as it was' };
  const request = { model: 'glm-5.2', max_tokens: 64, messages: [message], ...more };
  const change = (): void => {
    request.model = 'changed';
    message.content = 'changed';
    request.messages.push({ role: 'user', content: 'changed' });
  };
  return { request, change };
}

const sent = (): string => JSON.stringify(fake.requests.map(({ body }) => body));

onBothWays(({ surface, operation }, clientFor) => {
  test('the request of a stream is the one at the call', async () => {
    const { request, change } = changing();
    const client = clientFor(fake);
    const stream = surface === 'chat' ? client.chat().stream(undefined, request) : client.anthropic().stream(undefined, request);
    change();
    await taken(stream);
    expect(sent()).toContain('as it was');
    expect(sent()).not.toContain('changed');
  });

  test('the request of a tool loop as a stream is the one at the call, in every round', async () => {
    const { request, change } = changing();
    const client = clientFor(fake);
    const script = surface === 'chat' ? fake.chat : fake.messages;
    script.toolCall('weather', { city: 'Paris' }).reply('Sunny.');
    const tools = [weather];
    const headers = { 'x-turn': 'one' };
    const ctx = { headers };
    const stream = surface === 'chat' ? client.chat().streamWithTools(ctx, request, tools) : client.anthropic().streamWithTools(ctx, request, tools);
    change();
    tools.pop();
    headers['x-turn'] = 'changed';
    const { error } = await taken(stream);
    expect(error).toBeUndefined();
    expect(fake.requests.map((one) => [one.operation, one.headers['x-turn']])).toEqual([
      [operation, 'one'],
      [operation, 'one'],
    ]);
    expect(sent()).toContain('clear in Paris');
    expect(sent()).not.toContain('changed');
  });

  test('a request that was wrong at the call stays wrong, and its error comes with the first item', async () => {
    const { request } = changing({ messages: 'none' });
    const client = clientFor(fake);
    const stream = surface === 'chat' ? client.chat().stream(undefined, request) : client.anthropic().stream(undefined, request);
    (request as { messages: unknown }).messages = [{ role: 'user', content: 'mended too late' }];
    expect((await taken(stream)).error).toMatchObject({ kind: 'validation' });
    expect(fake.requests).toHaveLength(0);
  });

  test('pings and empty deltas are no content, and the error names streamContentTimeout', async () => {
    const empty =
      surface === 'chat'
        ? { id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
        : { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } };
    const start =
      surface === 'chat'
        ? []
        : [
            { type: 'message_start', message: { id: '1', type: 'message', role: 'assistant', content: [], model: 'm' } },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          ];
    // So many that they last longer than the bound; then silence.
    const frames = [...start, ...Array.from({ length: 100_000 }, () => empty)];
    fake.answer(operation, { ...faults.slowDrip(400, 5), reply: { frames } });
    const drip = await taken(
      clientFor(fake, { streamContentTimeout: 120 })[surface === 'chat' ? 'chat' : 'anthropic']().stream(undefined, changing().request),
    );
    expect(drip.error).toMatchObject({ kind: 'timeout', timeoutMs: 120 });
    expect(String(drip.error)).toMatch(/streamContentTimeout/);
    fake.answer(operation, faults.keepAliveOnly(5));
    const pings = await taken(
      clientFor(fake, { streamContentTimeout: 120 })[surface === 'chat' ? 'chat' : 'anthropic']().stream(undefined, changing().request),
    );
    expect(String(pings.error)).toMatch(/streamContentTimeout/);
  });
});

test('the requests of speech and transcription streams are those at the call', async () => {
  const client = newClient(fake.configFor());
  const speech = { model: 'glm-tts', input: 'as it was', voice: 'tongtong' };
  const spoken = client.audio().speechStream(undefined, speech as never);
  speech.input = 'changed';
  await taken(spoken);
  const clip = { model: 'glm-asr', file: new Uint8Array(4), filename: 'clip.wav', prompt: 'as it was' };
  const written = client.audio().transcribeStream(undefined, clip as never);
  clip.prompt = 'changed';
  await taken(written);
  expect(fake.requests.map((one) => one.operation)).toEqual(['audio.speech', 'audio.transcribe']);
  expect(sent()).not.toContain('changed');
});
