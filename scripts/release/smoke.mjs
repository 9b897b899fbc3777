/**
 * A tour of an installed package against its own fake service: `node smoke.mjs import` or `node smoke.mjs require`.
 * It prints the name of each part that passed, and ends with an error at the first that did not.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const load = process.argv[2] === 'require' ? createRequire(import.meta.url) : (name) => import(name);
const { defineTool, isApiError, newClient, responseInfo, textDeltas } = await load('modelsvc');
const { faults, startFakeService } = await load('modelsvc/testing');

const fake = await startFakeService();
const client = newClient(fake.configFor());
const chatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hello' }] };
const messageRequest = { ...chatRequest, max_tokens: 64 };
const weather = defineTool({
  name: 'weather',
  description: 'Weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `sun over ${city}`,
});

const parts = {
  async chat() {
    fake.chat.reply('Hi');
    const reply = await client.chat().create(undefined, chatRequest);
    assert.equal(reply.choices[0].message.content, 'Hi');
    assert.equal(responseInfo(reply).status, 200);
  },
  async messages() {
    fake.messages.reply('Hi');
    assert.equal((await client.anthropic().create(undefined, messageRequest)).text(), 'Hi');
  },
  async 'chat stream'() {
    fake.chat.reply({ text: ['rain', ' and ', 'snow'] });
    assert.equal(await textOf(textDeltas(client.chat().stream(undefined, chatRequest))), 'rain and snow');
  },
  async 'message stream'() {
    fake.messages.reply({ text: ['rain', ' and ', 'snow'] });
    assert.equal(await textOf(textDeltas(client.anthropic().stream(undefined, messageRequest))), 'rain and snow');
  },
  async errors() {
    fake.answer('chat.create', { status: 400, body: { error: { code: '1210', message: 'Wrong parameter.' } } });
    await assert.rejects(client.chat().create(undefined, chatRequest), (error) => isApiError(error) && error.code === '1210');
    fake.answer('chat.create', faults.truncatedStream());
    await assert.rejects(textOf(textDeltas(client.chat().stream(undefined, chatRequest))), { name: 'StreamError' });
  },
  async tools() {
    for (const [script, run] of [
      [fake.chat, () => client.chat().runWithTools(undefined, chatRequest, [weather])],
      [fake.messages, () => client.anthropic().runWithTools(undefined, messageRequest, [weather])],
    ]) {
      script.toolCall('weather', { city: 'Paris' }).reply('Sunny.');
      assert.match(JSON.stringify(await run()), /Sunny\./);
      assert.match(JSON.stringify(fake.requests.at(-1).body), /sun over Paris/);
    }
  },
};

async function textOf(deltas) {
  let text = '';
  for await (const delta of deltas) text += delta;
  return text;
}

try {
  for (const [name, run] of Object.entries(parts)) {
    await run();
    console.log(name);
  }
} finally {
  client.close();
  await fake.close();
}
