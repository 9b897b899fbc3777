import { expect } from 'vitest';
import { type BatchRequest, batchCounts, isApiError } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';

const requests: BatchRequest[] = ['Paris', 'Lyon', 'Nice'].map((city) => ({
  custom_id: city,
  body: { model: 'glm-4-flash', messages: [{ role: 'user', content: `Describe ${city}.` }] },
}));
const quick = { interval: 100 };

test('each request of a batch is answered like a call of chat.create: turns, functions, failures and the example', async ({ fake, client }) => {
  fake.chat.reply('On the Seine.');
  fake.answer('chat.create', (request) => ({ turn: { text: JSON.stringify(request.body) } }), faults.error(400, '1301'));
  const four = [...requests, { custom_id: 'Metz', body: { model: 'glm-4-flash', messages: [{ role: 'user' as const, content: 'Metz?' }] } }];
  const { batch, results } = await client.batch().run(undefined, four, { ...quick, metadata: { project: 'cities' } });
  expect(batch).toMatchObject({ status: 'completed', metadata: { project: 'cities' } });
  expect(batchCounts(batch)).toMatchObject({ total: 4, completed: 4 });
  expect(results.map((one) => one.custom_id)).toEqual(['Paris', 'Lyon', 'Nice', 'Metz']);
  const [paris, lyon, nice, metz] = results;
  expect(paris?.response?.choices[0]?.message.content).toBe('On the Seine.');
  expect(JSON.parse(String(lyon?.response?.choices[0]?.message.content))).toMatchObject({ messages: [{ content: 'Describe Lyon.' }] });
  expect(nice?.error).toSatisfy(isApiError);
  expect(nice?.error).toMatchObject({ code: '1301' });
  expect(metz?.response?.choices).toHaveLength(1);
  expect(fake.waiting).toBe(0);
});

test('a request whose scripted answer breaks has an error', async ({ fake, client }) => {
  fake.answer('chat.create', faults.resetMidBody(), faults.truncatedStream());
  fake.chat.reply('Fine.');
  const { results } = await client.batch().run(undefined, requests, quick);
  expect(results.map(({ error }) => isApiError(error) && error.code)).toEqual(['500', '500', false]);
});

test('a scripted task decides the states and the result of a batch', async ({ fake, client }) => {
  fake.task({ kind: 'batch', states: ['validating', 'failed'] });
  expect(await failureOf(() => client.batch().run(undefined, requests, quick))).toSatisfy(ofKind('task'));
  fake.task({ kind: 'batch', result: { request_counts: { total: 9, completed: 9, failed: 0 } } });
  const { batch } = await client.batch().run(undefined, requests, quick);
  expect(batchCounts(batch).total).toBe(9);
});

test('the uploaded requests can be downloaded, until the fake is reset', async ({ fake, client }) => {
  const lines = '{"custom_id":"a"}\n';
  const uploaded = await client.files().upload(undefined, { file: new File([lines], 'requests.jsonl'), purpose: 'batch' });
  expect(uploaded).toMatchObject({ bytes: lines.length, filename: 'requests.jsonl', purpose: 'batch' });
  const content = async (): Promise<string> => (await client.files().content(undefined, uploaded.id)).text();
  expect(await content()).toBe(lines);
  fake.reset();
  expect(await failureOf(content)).toMatchObject({ code: '1214', category: 'parameter' });
});
