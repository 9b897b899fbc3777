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

/** The reply of the service, as gateways put it into theirs. */
const raw = JSON.stringify({ error: { code: '1210', message: 'Bad temperature' } });
const general = 'Provider returned error';

/** A refusal, its code, and its words. */
const hidden: readonly (readonly [string, unknown, string | undefined, string])[] = [
  [
    'metadata.raw as a text',
    { error: { message: general, code: 400, metadata: { raw, provider_name: 'p' } } },
    '1210',
    `${general}: Bad temperature`,
  ],
  ['metadata.raw as an object', { error: { message: general, metadata: { raw: JSON.parse(raw) as object } } }, '1210', `${general}: Bad temperature`],
  ['metadata.raw in words', { error: { message: general, code: 400, metadata: { raw: 'too long' } } }, '400', `${general}: too long`],
  ['metadata.raw that is empty', { error: { message: general, code: 400, metadata: { raw: '' } } }, '400', general],
  ['metadata.raw with the same words', { error: { message: `${general}: no`, code: 400, metadata: { raw: 'no' } } }, '400', `${general}: no`],
  ['metadata.raw beside no message', { error: { code: 400, metadata: { raw } } }, '1210', 'Bad temperature'],
  ['a key in metadata.raw', { error: { message: general, metadata: { raw: `{"msg":"key ${fakeKey}"}` } } }, undefined, `${general}: key [key]`],
  ['a list as body', [{ error: { code: 1210, message: 'A' } }], '1210', 'A'],
  ['a list as error', { error: [{ code: '1210', message: 'A' }, { message: 'B' }] }, '1210', 'A; B'],
  ['a list beside a message', { error: { message: 'Bad', code: '1210', errors: [{ message: 'A' }, { message: 'B' }] } }, '1210', 'Bad: A; B'],
  ['the same at the root', { code: 400, msg: 'Bad', errors: [{ msg: raw }] }, '1210', 'Bad: Bad temperature'],
  ['a message that is an object', { code: '1210', msg: { error: 'A' } }, '1210', 'A'],
  ['an error.message that is an object', { error: { message: { detail: 'A', code: 1210 } } }, '1210', 'A'],
  ['an error.message that is JSON', { error: { message: raw, type: 'invalid_request_error' } }, '1210', 'Bad temperature'],
  ['a message that is JSON', { code: 500, message: raw }, '1210', 'Bad temperature'],
  ['an error that is JSON', { error: raw }, '1210', 'Bad temperature'],
  ['a body that is JSON twice', raw, '1210', 'Bad temperature'],
  ['three layers', { error: { message: JSON.stringify({ error: { message: general, metadata: { raw } } }) } }, '1210', `${general}: Bad temperature`],
  ["the outer code, if it is the service's", { error: { code: '1302', message: raw } }, '1302', 'Bad temperature'],
  ['the outer code as a type', { error: { type: '1302', message: raw } }, '1302', 'Bad temperature'],
  ['JSON without words', { error: { code: 400, message: '{"a":1}' } }, '400', '{"a":1}'],
  ['JSON that was cut', { error: { code: 400, message: raw.slice(0, 20) } }, '400', raw.slice(0, 20)],
];

test.each(hidden)('the reason of a failure: %s', async (_name, body, code, words) => {
  for (const id of ['chat.create', 'anthropic.create', 'files.upload', 'embeddings.create'] as const) {
    fake.answer(id, { status: 400, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const error = (await failure(everyOperation[id]?.perform(client) as Promise<unknown>)) as ApiError;
    expect([error.code, error.serviceMessage]).toEqual([code, words]);
  }
});

test('a long reason is capped', async () => {
  fake.answer('chat.create', { status: 400, body: { error: { message: general, metadata: { raw: 'x'.repeat(9000) } } } });
  const error = (await failure(everyOperation['chat.create']?.perform(client) as Promise<unknown>)) as ApiError;
  expect(error.serviceMessage.length).toBe(500);
});

test.each(Object.entries(everyOperation))('responseInfo has status and headers of a refused %s', async (id, { perform }) => {
  fake.fallback('*', { status: 429, body: { error: { code: '1302', message: 'A' } }, headers: { 'x-ratelimit-remaining': '0' } });
  const error = (await failure(perform(client))) as ApiError;
  const info = responseInfo(error);
  expect([id, info?.status, info?.headers.get('x-ratelimit-remaining'), info?.attempts]).toEqual([id, 429, '0', 1]);
});
