import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { ChunkProtocol } from '../../src/overlay/surfaces/chat/protocol.ts';
import { MessagesProtocol } from '../../src/overlay/surfaces/messages/protocol.ts';
import type { StreamProtocol } from '../../src/overlay/surfaces/protocol.ts';
import { surfaces, taken, transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

interface Choice {
  readonly index?: number;
  readonly delta?: object;
  readonly finish_reason?: unknown;
}

function chunk(...choices: Choice[]): string {
  return `data: ${JSON.stringify({ id: '1', choices })}\n\n`;
}

function event(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const said = (content: string, index = 0): Choice => ({ index, delta: { role: 'assistant', content } });
const finished = (index = 0): Choice => ({ index, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' });
const usageOnly = 'data: {"id":"1","choices":[],"usage":{"total_tokens":3}}\n\n';
const done = 'data: [DONE]\n\n';
const start = event('message_start', { message: { content: [], usage: { input_tokens: 1 } } });
const text = (words: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: words } });
const stop = (reason: unknown): string => event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 1 } });

type Ending = [name: string, surface: 'chat' | 'messages', body: string];

const unclean: Ending[] = [
  ['[DONE] alone', 'chat', done],
  ['[DONE] after plain text', 'chat', `Service unavailable\n\n${done}`],
  ['[DONE] after chunks without a choice', 'chat', `data: {"id":"1","choices":[]}\n\n${done}`],
  ['a choice of several that never finished', 'chat', chunk(said('a'), said('b', 1)) + chunk(finished())],
  ['a choice of several that only began', 'chat', chunk(said('a'), said('', 1)) + chunk(finished())],
  ['text after a finish reason', 'chat', chunk(said('a')) + chunk(finished()) + chunk(said('b'))],
  ['a tool call after a finish reason', 'chat', chunk(finished()) + chunk({ index: 0, delta: { tool_calls: [{ index: 0, id: 'a' }] } })],
  ['an empty finish reason', 'chat', chunk(said('a')) + chunk({ index: 0, delta: {}, finish_reason: '' })],
  ['a finish reason that is no text', 'chat', chunk(said('a')) + chunk({ index: 0, delta: {}, finish_reason: true })],
  ['a detail without a choice', 'chat', `${chunk(said('a'))}data: {"detail":"no such luck"}\n\n${done}`],
  ['error true', 'chat', `${chunk(said('a'))}data: {"error":true}\n\n${done}`],
  ['an empty error without a choice', 'chat', `${chunk(said('a'))}data: {"error":{}}\n\n${done}`],
  ['a code without a choice', 'chat', `${chunk(said('a'))}data: {"code":1302}\n\n${done}`],
  ['an error under another name', 'chat', `${chunk(said('a'))}event: failure\ndata: {"error":{"message":"no such luck"}}\n\n${done}`],
  ['an empty stop reason', 'messages', start + text('a') + stop('')],
  ['a stop reason that is no text', 'messages', start + text('a') + stop({})],
  ['text after a stop reason', 'messages', start + stop('end_turn') + text('a')],
  ['message_stop alone', 'messages', event('message_stop')],
  ['[DONE] alone', 'messages', done],
  ['an error under the name of another event', 'messages', start + event('message_delta', { error: { type: '1305', message: 'no such luck' } })],
  ['an error under a name of its own', 'messages', `${start}event: failure\ndata: {"error":{"message":"no such luck"}}\n\n${event('message_stop')}`],
  ['error true under another name', 'messages', `${start}event: failure\ndata: {"error":true}\n\n${event('message_stop')}`],
  ['a nameless detail', 'messages', `${start}data: {"detail":"no such luck"}\n\n${event('message_stop')}`],
];

const clean: Ending[] = [
  ['[DONE] after the finish reason', 'chat', chunk(said('a')) + chunk(finished()) + done],
  ['[DONE] after chunks without a finish reason', 'chat', chunk(said('a')) + done],
  ['the finish reason alone', 'chat', chunk(said('a')) + chunk(finished())],
  ['a usage-only chunk after the finish reason', 'chat', chunk(said('a')) + chunk(finished()) + usageOnly],
  ['an empty delta after the finish reason', 'chat', chunk(said('a')) + chunk(finished()) + chunk(said(''))],
  ['all choices of several finished', 'chat', chunk(said('a'), said('b', 1)) + chunk(finished(1)) + chunk(finished())],
  ['a second finish reason after more text', 'chat', chunk(finished()) + chunk(said('b')) + chunk(finished())],
  ['several choices and [DONE]', 'chat', chunk(said('a'), said('b', 1)) + chunk(finished()) + done],
  ['message_stop', 'messages', start + text('a') + stop('end_turn') + event('message_stop')],
  ['a stop reason alone', 'messages', start + text('a') + stop('end_turn')],
  ['several message_delta', 'messages', start + text('a') + event('message_delta', { delta: { stop_reason: null } }) + stop('end_turn') + stop(null)],
  ['a trailing [DONE]', 'messages', start + text('a') + stop('end_turn') + done],
  [
    'an unknown event with a message',
    'messages',
    start + event('notice', { message: 'hello' }) + text('a') + stop('end_turn') + event('message_stop'),
  ],
];

describe.each(transports)('$transport', ({ overrides }) => {
  async function endOf(surface: string, body: string): Promise<unknown> {
    const driver = surfaces.find((one) => one.surface === surface) as (typeof surfaces)[number];
    fake.answer(driver.operation, { body, headers: { 'content-type': 'text/event-stream' } });
    return (await taken(driver.stream(newClient(fake.configFor(overrides))))).error;
  }

  test.each(unclean)('%s is no clean end of a stream of %s', async (_name, surface, body) => {
    expect(await endOf(surface, body)).toMatchObject({ kind: expect.stringMatching(/^(api|stream)$/) });
  });

  test.each(clean)('%s is a clean end of a stream of %s', async (_name, surface, body) => {
    expect(await endOf(surface, body)).toBeUndefined();
  });
});

function beats(protocol: StreamProtocol<unknown>, name: string | undefined, payload: object): boolean {
  const { item } = protocol.decode(name, JSON.stringify(payload));
  return item !== undefined && protocol.isHeartbeat(item);
}

describe('what counts as content', () => {
  test.each<[Choice | undefined, boolean]>([
    [said(''), true],
    [{ index: 0, delta: {} }, true],
    [{ index: 0, delta: { content: null, reasoning_content: '', tool_calls: [] } }, true],
    [{ index: 0, delta: { content: [{ type: 'text', text: '' }] } }, true],
    [{ index: 0, delta: { tool_calls: [{ index: 1, type: 'function', function: { arguments: '' } }] } }, true],
    [{ index: 0 }, true],
    [undefined, true],
    [said('a'), false],
    [said(' '), false],
    [{ index: 0, delta: { reasoning_content: 'a' } }, false],
    [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] } }, false],
    [{ index: 0, delta: { audio: { data: 'AA==' } } }, false],
    [{ index: 0, delta: { content: [{ type: 'text', text: 'a' }] } }, false],
    [finished(), false],
  ])('the choice %j of a chunk is a heartbeat: %s', (choice, expected) => {
    expect(beats(new ChunkProtocol(), undefined, { id: '1', created: 5, model: 'm', choices: choice ? [choice] : [] })).toBe(expected);
  });

  test('usage, search results and pieces of a transcript are content; an empty piece is not', () => {
    expect(beats(new ChunkProtocol(), undefined, { choices: [], usage: { total_tokens: 1 } })).toBe(false);
    expect(beats(new ChunkProtocol(), undefined, { choices: [], web_search: [{ link: 'a' }] })).toBe(false);
    expect(beats(new ChunkProtocol(), undefined, { type: 'transcript.text.delta', delta: 'a' })).toBe(false);
    expect(beats(new ChunkProtocol(), undefined, { type: 'transcript.text.delta', delta: '' })).toBe(true);
    expect(beats(new ChunkProtocol(), undefined, { type: 'transcript.text.done' })).toBe(false);
    expect(beats(new ChunkProtocol(), undefined, { choices: [{ index: 0, messages: [{ role: 'assistant', content: 'a' }] }] })).toBe(false);
  });

  test.each<[type: string, fields: object, expected: boolean]>([
    ['ping', {}, true],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: '' } }, true],
    ['content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '' } }, true],
    ['content_block_delta', { index: 0 }, true],
    ['message_delta', { delta: { stop_reason: null } }, true],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'a' } }, false],
    ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'a' } }, false],
    ['message_delta', { delta: { stop_reason: null }, usage: { output_tokens: 1 } }, false],
    ['message_delta', { delta: { stop_reason: 'end_turn' } }, false],
    ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }, false],
    ['content_block_stop', { index: 0 }, false],
  ])('the event %s with %j is a heartbeat: %s', (type, fields, expected) => {
    expect(beats(new MessagesProtocol(), type, { type, ...fields })).toBe(expected);
  });
});
