import { expect } from 'vitest';
import { defineTool, firstModel, isApiError, isConnectionError, newClient, opened, textDeltas } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';

const models = ['glm-5.3', 'glm-5.3-flash'];
const modelsOf = (fake: { readonly requests: readonly { readonly body: unknown }[] }): unknown[] =>
  fake.requests.map(({ body }) => (body as { readonly model: string }).model);

test('an overloaded model: the next one answers, whole and streamed', async ({ fake }) => {
  const client = newClient(fake.configFor({ maxRetries: 1, retryDelay: 1 }));
  const overloaded = faults.error(429, '1305');
  fake.answer('chat.create', overloaded, overloaded, { turn: { text: 'hi' } }, overloaded, overloaded, { turn: { text: 'ho' } });
  const reply = await firstModel(models, (model) => client.chat().createSimple(undefined, model, 'q'));
  expect(reply.choices[0]?.message.content).toBe('hi');
  const messages = [{ role: 'user', content: 'q' }] as const;
  const stream = await firstModel(models, (model) => opened(client.chat().stream(undefined, { model, messages: [...messages] })));
  let text = '';
  for await (const piece of textDeltas(stream)) text += piece;
  expect(text).toBe('ho');
  expect(modelsOf(fake)).toEqual(['glm-5.3', 'glm-5.3', 'glm-5.3-flash', 'glm-5.3', 'glm-5.3', 'glm-5.3-flash']);
});

test('a limit of the account, and an unknown outcome, end it; nothing is asked twice', async ({ fake }) => {
  const client = newClient(fake.configFor({ maxRetries: 1, retryDelay: 1 }));
  const ask = (model: string) => client.chat().createSimple(undefined, model, 'q');
  fake.answer('chat.create', faults.error(429, '1308'));
  expect(await failure(firstModel(models, ask))).toMatchObject({ code: '1308' });
  fake.answer('chat.create', faults.halfHeader());
  expect(isConnectionError(await failure(firstModel(models, ask)))).toBe(true);
  expect(new Set(modelsOf(fake))).toEqual(new Set(['glm-5.3']));
});

test('if all refuse, the last error has the one before', async ({ fake }) => {
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  fake.answer('chat.create', faults.error(400, '1211'), faults.error(429, '1305'));
  const error = await failure(firstModel(models, (model) => client.chat().createSimple(undefined, model, 'q')));
  expect(isApiError(error) && isApiError(error.previous) && [error.code, error.previous.code]).toEqual(['1305', '1211']);
});

test('a tool loop whose first round was answered is not begun again', async ({ fake }) => {
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  let runs = 0;
  const tool = defineTool({ name: 'count', description: 'counts', input: { type: 'object', properties: {} }, run: () => `${++runs}` });
  fake.answer('chat.create', { turn: { toolCalls: [{ name: 'count' }] } }, faults.error(429, '1305'));
  const ask = (model: string) => client.chat().runWithTools(undefined, { model, messages: [{ role: 'user', content: 'q' }] }, [tool]);
  expect(await failure(firstModel(models, ask))).toMatchObject({ code: '1305' });
  expect([runs, modelsOf(fake)]).toEqual([1, ['glm-5.3', 'glm-5.3']]);
});
