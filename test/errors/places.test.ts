import { describe, expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { type ApiError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const client = newClient(fake.configFor({ maxRetries: 0 }));
const loc = ['body', 'messages', 0, 'role'];
const long = 'a'.repeat(300);

/** A refusal, its param, and the start of its message. */
const forms: readonly (readonly [string, object, string | undefined, string])[] = [
  ['a validator', { detail: [{ loc, msg: 'Field required' }] }, 'messages[0].role', 'messages[0].role: Field required'],
  [
    'a validator with several',
    { detail: [{ loc, msg: 'A' }, { loc: ['body', 'top_p'], msg: 'B' }, { msg: 'C' }] },
    'messages[0].role',
    'messages[0].role and 2 more: A; B; C',
  ],
  ['an error in errors', { errors: [{ loc, msg: 'A' }] }, 'messages[0].role', 'messages[0].role: A'],
  ['an error with details', { error: { detail: [{ loc, msg: 'A' }], code: '1214', message: 'Bad' } }, 'messages[0].role', 'messages[0].role: Bad'],
  ['OpenAI', { error: { message: 'Too high', type: 'invalid_request_error', param: 'top_p', code: null } }, 'top_p', 'top_p: Too high'],
  ['OpenAI with the field in its message', { error: { message: "Bad 'top_p'", param: 'top_p' } }, 'top_p', "Bad 'top_p'"],
  ['a place of one step', { detail: [{ loc: ['body'], msg: 'A' }] }, 'body', 'body: A'],
  ['a place without words', { detail: [{ loc }] }, 'messages[0].role', 'messages[0].role is not accepted'],
  ['a long place', { error: { message: 'A', param: long } }, `${'a'.repeat(199)}…`, 'aaa'],
  ['the key as a place', { error: { message: 'A', param: fakeKey } }, '[key]', '[key]: A'],
  ['control characters', { error: { message: 'A', param: 'a\u001b[31m\nb' } }, 'a b', 'a b: A'],
  ['no place', { error: { message: 'A', param: null } }, undefined, 'A'],
  ['a place of another type', { error: { message: 'A', param: 7 }, detail: [{ loc: [{}, null] }] }, undefined, 'A'],
];

describe('the field that the service refuses', () => {
  test.each(forms)('%s', async (_name, body, param, message) => {
    for (const id of ['chat.create', 'anthropic.create', 'files.upload', 'audio.speech', 'embeddings.create'] as const) {
      fake.answer(id, { status: 422, body });
      const error = (await failure(everyOperation[id]?.perform(client) as Promise<unknown>)) as ApiError;
      expect([error.param, error.serviceMessage.slice(0, message.length)]).toEqual([param, message]);
      expect(error.message.startsWith(`${id}: ${message}`)).toBe(true);
    }
  });

  test('is in the error of modelsvc/fetch', async () => {
    fake.answer('chat.create', { status: 422, body: { detail: [{ loc, msg: 'Field required' }] } });
    const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }] });
    const reply = await serviceFetch({ baseURL: fake.url })(`${fake.url}/chat/completions`, { method: 'POST', headers, body });
    expect(await reply.json()).toMatchObject({
      error: { param: 'messages[0].role', message: expect.stringContaining('messages[0].role: Field required') as string },
    });
  });
});

test.each(Object.entries(everyOperation))('responseInfo has status and headers of a refused %s', async (id, { perform }) => {
  fake.fallback('*', { status: 429, body: { error: { code: '1302', message: 'A' } }, headers: { 'x-ratelimit-remaining': '0' } });
  const error = (await failure(perform(client))) as ApiError;
  const info = responseInfo(error);
  expect([id, info?.status, info?.headers.get('x-ratelimit-remaining'), info?.attempts]).toEqual([id, 429, '0', 1]);
});
