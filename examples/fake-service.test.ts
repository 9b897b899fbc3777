/**
 * Test an app with the fake service of `modelsvc/testing`: a real server in the test process. It needs no key.
 *
 *     npx tsx --test fake-service.test.ts
 */
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import {
  type Client,
  contentText,
  isApiError,
  isModelsvcError,
  newClient,
  textDeltas,
} from 'modelsvc';
import { faults, startFakeService } from 'modelsvc/testing';

// The app under test.
async function summarize(client: Client, text: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: `Summarize: ${text}` }];
  const reply = await client.chat().create({ model: 'glm-5.3', messages });
  return contentText(reply.choices[0]?.message.content);
}

const fake = await startFakeService();
const client = newClient(fake.configFor());
afterEach(() => void fake.reset());
after(() => fake.close());

test('sends the text and returns the summary', async () => {
  fake.chat.reply('It rained.');
  assert.equal(await summarize(client, 'Rain, all day.'), 'It rained.');
  const body = fake.requests[0]?.body as { messages: { content: string }[] };
  assert.equal(body.messages[0]?.content, 'Summarize: Rain, all day.');
});

test('survives two failures of the server', async () => {
  fake.answer('chat.create', faults.serverErrors(2), {
    turn: { text: 'It rained.' },
  });
  assert.equal(await summarize(client, 'Rain, all day.'), 'It rained.');
  assert.equal(fake.requests.length, 3);
});

test('reports a used-up quota without a retry', async () => {
  fake.answer('chat.create', faults.rateLimit({ seconds: 3600 }, '1308'));
  await assert.rejects(
    summarize(client, 'Rain, all day.'),
    (error) => isApiError(error) && error.category === 'quota',
  );
  assert.equal(fake.requests.length, 1);
});

test('notices a stream that is cut off', async () => {
  fake.answer('chat.create', faults.truncatedStream());
  const stream = client.chat().stream({
    model: 'glm-5.3',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  let text = '';
  await assert.rejects(
    async () => {
      for await (const piece of textDeltas(stream)) text += piece;
    },
    (error) => isModelsvcError(error, 'stream'),
  );
  assert.notEqual(text, '');
});
