import { describe, expect, test } from 'vitest';
import { examples } from '../../src/generated/examples.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import { isApiError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { onBothWays } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const json = { 'content-type': 'application/json' };

/** Replies under status 200 that are not a success, with the words and the code an error must pass on. */
const falseSuccesses: [name: string, body: unknown, words: string, code: string | undefined][] = [
  ['an empty object', {}, '', undefined],
  ['an empty list', [], '', undefined],
  ['error true', { error: true, message: 'no such luck' }, 'no such luck', undefined],
  ['error true without words', { error: true }, '', undefined],
  ['an empty error', { error: {} }, '', undefined],
  ['an error of other fields', { error: { reason: 'no such luck' } }, 'no such luck', undefined],
  ['a list of errors as error', { error: [{ message: 'no such luck' }] }, 'no such luck', undefined],
  ['a bare code', { code: 1301 }, '', '1301'],
  ['a code with null data', { code: 400, data: null }, '', '400'],
  ['success "false"', { success: 'false', msg: 'no such luck' }, 'no such luck', undefined],
  ['success false', { success: false, msg: 'no such luck', choices: [{ message: {} }], content: [{}], output: [{}] }, 'no such luck', undefined],
  ['a detail', { detail: 'no such luck' }, 'no such luck', undefined],
  ['a list of details', { detail: [{ loc: ['body'], msg: 'no such luck' }] }, 'no such luck', undefined],
  ['a bare message', { message: 'Unauthorized' }, 'Unauthorized', undefined],
  ['a list of errors', { errors: [{ code: 'E7', message: 'no such luck' }, 'nor this'] }, 'no such luck; nor this', 'E7'],
  ['null where the promise is', { choices: null, content: null, data: null }, '', undefined],
  ['text where the promise is', { choices: 'x', content: 'x', data: 'x' }, '', undefined],
];

onBothWays((driver, clientFor) => {
  test.each(falseSuccesses)('%s under status 200 is an ApiError with the words of the service', async (_name, body, words, code) => {
    fake.answer(driver.operation, { body: JSON.stringify(body), headers: json });
    const error = await failure(driver.create(clientFor(fake, { maxRetries: 2, retryDelay: 1 })));
    expect(error).toMatchObject({ kind: 'api', status: 200, code, attempts: 1, operation: driver.operation });
    expect(isApiError(error) && error.serviceMessage).toContain(words);
    expect(fake.requests).toHaveLength(1);
  });

  test('status 206 is an ApiError: a part of a reply is not a reply', async () => {
    const body = JSON.stringify({ choices: [], content: [] });
    fake.answer(driver.operation, { body, status: 206, headers: json });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ kind: 'api', status: 206, attempts: 1 });
  });
});

const jsonRoutes = allRoutes.filter((route) => route.reply === 'json');

function clientOf(body: string | null, status = 200) {
  return newClient({ apiKey: 'test-key', maxRetries: 0, httpClient: async () => new Response(body, { status, headers: json }) });
}

describe.each(jsonRoutes.map((route) => [route.id, route] as const))('%s', (id, route) => {
  const perform = (body: string | null, status?: number): Promise<unknown> => everyOperation[id]?.perform(clientOf(body, status)) ?? Promise.reject();

  test.each(falseSuccesses.filter(([name]) => !name.includes('where the promise')))('%s is not a success', async (_name, body) => {
    expect(await failure(perform(JSON.stringify(body)))).toMatchObject({ kind: 'api', status: 200 });
  });

  test.each([204, 205])('status %d is not a success', async (status) => {
    expect(await failure(perform(null, status))).toMatchObject({ kind: 'api', status });
  });

  test.each(Object.entries(examples[id]?.replies['200 application/json'] ?? {}))('the example %s is judged by its own words', async (_name, body) => {
    const stated = (body as { error?: unknown; status?: string; success?: boolean; code?: number }) ?? {};
    const failed =
      (stated.error ?? undefined) !== undefined ||
      stated.success === false ||
      (route.failedStatus !== undefined && stated.status === route.failedStatus);
    const outcome = await perform(JSON.stringify(body)).then(
      () => 'result',
      // The request has one text, and an example of embeddings has more vectors.
      (error: unknown) => (isApiError(error) ? 'ApiError' : isModelsvcError(error, 'reply') && error.reply ? 'result' : error),
    );
    expect(outcome).toBe(failed || (stated.code !== undefined && stated.code !== 200) ? 'ApiError' : 'result');
  });
});

test.each(['quota.getLimit', 'quota.getModelUsage', 'quota.getToolUsage', 'account.subscriptions'])(
  '%s: an account without a plan is a success, be its reply empty or its data',
  async (id) => {
    for (const body of ['', '{"code":200,"msg":"ok","success":true}', '{"code":200,"success":true,"data":null}', '{"success":true,"data":{}}'])
      await expect(everyOperation[id]?.perform(clientOf(body))).resolves.toBeDefined();
  },
);
