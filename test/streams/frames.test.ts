import { describe, expect, test } from 'vitest';
import { isApiError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { type SurfaceDriver, surfaces, taken, textIn } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

/** One piece of text as the JSON of its event. */
function json(driver: SurfaceDriver, text: string): string {
  return JSON.stringify(driver.piece(text));
}

/** The line that names an event, where the surface has one. */
function name({ piece }: SurfaceDriver): string {
  const { type } = piece('') as { type?: string };
  return type === undefined ? '' : `event: ${type}\n`;
}

const half = /^(.*?[:,])(.*)$/s;

/** Frames that a service may send, and their text. */
const allowed: [what: string, frames: (driver: SurfaceDriver) => string, text: string][] = [
  ['data without an event name', (s) => `data: ${json(s, 'a')}\n\n`, 'a'],
  ['data without the space', (s) => `${name(s)}data:${json(s, 'a')}\n\n`, 'a'],
  ['data before the event name', (s) => `data: ${json(s, 'a')}\n${name(s)}\n`, 'a'],
  ['an event name without data', (s) => `event: ping\n\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['an event name that is empty', (s) => `event:\ndata: ${json(s, 'a')}\n\n`, 'a'],
  ['an event name that nobody knows, without data', (s) => `event: x-gateway\n\ndata: ${json(s, 'a')}\n\n`, 'a'],
  ['data that is empty', (s) => `data:\n\ndata: \n\nevent: ping\ndata:\n\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['a field without a colon', (s) => `data\n\nfoo\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['fields that nobody knows', (s) => `x-trace: 1\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['several data lines', (s) => `${name(s)}data: ${json(s, 'a').replace(half, '$1\ndata: $2')}\n\n`, 'a'],
  ['several data lines with an empty one', (s) => `${name(s)}data: ${json(s, 'a').replace(half, '$1\ndata:\ndata\ndata: $2')}\n\n`, 'a'],
  ['spaces around the JSON', (s) => `${name(s)}data:  ${json(s, 'a')} \t\n\n`, 'a'],
  ['comments', (s) => `: hi\n:\n${name(s)}: hi\ndata: ${json(s, 'a')}\n:\n\n: bye\n\n`, 'a'],
  ['an id', (s) => `id: 7\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['an id with NUL', (s) => `id: 7\0\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['an id alone', (s) => `id: 7\n\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['a retry time', (s) => `retry: 10\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['a retry time that is not one', (s) => `retry: soon\n\n${name(s)}data: ${json(s, 'a')}\n\n`, 'a'],
  ['the text of the sentinel in the answer', (s) => `${name(s)}data: ${json(s, 'data: [DONE]\n\n')}\n\n`, 'data: [DONE]\n\n'],
  ['an empty answer', (s) => `${name(s)}data: ${json(s, '')}\n\n`, ''],
];

describe.each(surfaces)('$surface', (driver) => {
  const { operation, end } = driver;

  async function streamed(...frames: string[]): Promise<{ items: object[]; error: unknown }> {
    fake.answer(operation, { frames });
    return taken(driver.stream(newClient(fake.configFor())));
  }

  test.each(allowed)('%s', async (_what, frames, text) => {
    const { items, error } = await streamed(frames(driver), end);
    expect(error).toBeUndefined();
    expect(textIn(items)).toBe(text);
  });

  test.each([
    ['the sentinel with extra text', 'data: [DONE] trailing\n\n'],
    ['the sentinel with an extra line', 'data: [DONE]\ndata: more\n\n'],
    ['the sentinel as a JSON string', 'data: "[DONE]"\n\n'],
    ['the sentinel in other letters', 'data: [done]\n\n'],
    ['a number', 'data: 5\n\n'],
    ['null', 'data: null\n\n'],
    ['a list', 'data: [{}]\n\n'],
    ['plain words', 'data: hello\n\n'],
    ['JSON with words after it', 'data: {} x\n\n'],
  ])('%s is malformed, and no end', async (_what, frame) => {
    const { items, error } = await streamed(`${name(driver)}data: ${json(driver, 'a')}\n\n`, frame, end);
    expect(textIn(items)).toBe('a');
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('malformed');
    expect((error as Error).message).toMatch(/event 2 .*\(\d+ characters\)\. The call may be billed/);
  });

  test.each([
    ['an error object', 'data: {"error":{"code":"1234","message":"late"}}\n\n'],
    ['an error event', 'event: error\ndata: {"error":{"type":"overloaded_error","message":"late"}}\n\n'],
    ['another chunk', 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"late"}}]}\n\n'],
    ['another end', 'data: [DONE]\n\ndata: [DONE]\n\n'],
  ])('%s after the end is not looked at', async (_what, late) => {
    for (const frames of [[`data: ${json(driver, 'a')}\n\n`, end, late], [`data: ${json(driver, 'a')}\n\n${end}${late}`]]) {
      const { items, error } = await streamed(...frames);
      expect(error).toBeUndefined();
      expect(textIn(items)).toBe('a');
    }
  });

  test.each([
    ['in an envelope', '{"error":{"code":"1305","message":"words of the service"}}', '1305'],
    ['in the envelope of messages', '{"type":"error","error":{"type":"overloaded_error","message":"words of the service"}}', 'overloaded_error'],
    ['without an envelope', '{"code":1305,"message":"words of the service"}', '1305'],
    ['with a message alone', '{"message":"words of the service"}', undefined],
    ['in plain words', 'words of the service', undefined],
  ])('an event named error is the error it holds, %s, and never an item', async (_how, data, code) => {
    const { items, error } = await streamed(`${name(driver)}data: ${json(driver, 'a')}\n\n`, `event: error\ndata: ${data}\n\n`, end);
    expect(items).toHaveLength(1);
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({ code, serviceMessage: 'words of the service' });
  });

  test('an event named error without data is an error too', async () => {
    const { error } = await streamed('event: error\ndata:\n\n', end);
    expect(isApiError(error)).toBe(true);
  });

  test('a bare JSON error under the content type of a stream is that error', async () => {
    const { error } = await streamed('{"error":{"code":"1113","message":"no balance"}}');
    expect(error).toMatchObject({ kind: 'api', code: '1113', category: 'billing' });
  });

  test('lines that are indented are not data, so there is no answer', async () => {
    const { items, error } = await streamed(`  data: ${json(driver, 'a')}\n\n`, end.replaceAll('data', ' data'));
    expect(items).toEqual([]);
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
  });

  test('a frame without its blank line at the end of the body counts only when it is complete', async () => {
    const whole = `data: ${json(driver, 'a')}`;
    fake.answer(operation, { ...faults.missingDone(), reply: { frames: [whole] } });
    const cut = await taken(driver.stream(newClient(fake.configFor())));
    expect(textIn(cut.items)).toBe('a');
    expect(isModelsvcError(cut.error, 'stream') && cut.error.problem).toBe('truncated');
    const { items } = await streamed(whole.slice(0, -2));
    expect(items).toEqual([]);
  });
});

const messages = surfaces.find(({ surface }) => surface === 'messages') as SurfaceDriver;

test('the sentinel of chat ends no message before its stop reason', async () => {
  fake.answer('anthropic.create', { frames: [`data: ${json(messages, 'a')}\n\n`, 'data: [DONE]\n\n', `data: ${json(messages, 'b')}\n\n`] });
  const request = { model: 'glm-5.2', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] };
  const { items, error } = await taken(newClient(fake.configFor()).anthropic().stream(undefined, request));
  expect(textIn(items)).toBe('ab');
  expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
});
