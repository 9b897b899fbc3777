import { expect, test } from 'vitest';
import { faults } from '../../src/testing/index.ts';
import { pages, sourcesBelow, textOf } from '../docs/snippets.ts';
import { built, childOutcome } from '../support/child.ts';
import { openFake } from '../support/fake.ts';

// On Node 20 a deadline to which only `AbortSignal.any` refers is collected, and never fires.

/** Calls whose only reference to a deadline is what they were given. */
const ways: Readonly<Record<string, string>> = {
  'a tool that never returns': 'client.chat().runWithTools(late(), chat, [stuck])',
  chat: 'client.chat().create(late(), chat)',
  'a list of signals': 'client.chat().create({ signal: [new AbortController().signal, late()] }, chat)',
  'a stream': 'ended(client.chat().stream(late(), chat))',
  'a stream that is read later': 'endedLater(client.chat().stream(late(), chat))',
  messages: 'client.anthropic().create(late(), { ...chat, max_tokens: 9 })',
  'a stream of messages': 'ended(client.anthropic().stream(late(), { ...chat, max_tokens: 9 }))',
  responses: "client.responses().create(late(), { model: 'm', input: 'hi' })",
  'a stream of responses': "ended(client.responses().stream(late(), { model: 'm', input: 'hi' }))",
  'a wait': "client.waitForResult(late(), 'task-1')",
  'an upload': "client.files().upload(late(), { file: new File(['{}'], 'a.jsonl'), purpose: 'batch' })",
  bindings: "client.bindings('chat').GET('/models', { signal: late() })",
  'modelsvc/fetch': 'adapted(url, { ...post, signal: late() })',
  'a timer joined with a signal, as in the tools guide': 'limited(fetch)',
  'a Request of modelsvc/fetch': 'adapted(new Request(url, { ...post, signal: late() }))',
};

test.each([
  ['on Node', ''],
  ['by fetch', 'httpClient: fetch,'],
])('a deadline that only its call refers to is kept as long as the call runs, %s', async (_name, transport) => {
  const { fake } = await openFake();
  fake.fallback('*', faults.silentBeforeHeaders());
  fake.answer('chat.create', { turn: { toolCalls: [{ name: 'stuck', arguments: {} }] } });
  const { stdout } = await childOutcome(
    `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { defineTool } from '${built('index')}';
    import { serviceFetch } from '${built('fetch')}';
    const settings = { ...${JSON.stringify(fake.configFor({ timeout: 0, maxRetries: 0 }))}, ${transport} };
    const client = newClient(settings);
    const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    const url = settings.baseURL + '/chat/completions';
    const post = { method: 'POST', headers: { authorization: 'Bearer ' + settings.apiKey, 'content-type': 'application/json' }, body: JSON.stringify(chat) };
    const adapted = serviceFetch({ baseURL: settings.baseURL, timeout: 0, httpClient: settings.httpClient });
    let onStart;
    const isStuck = new Promise((resolve) => (onStart = resolve));
    const input = { type: 'object', properties: {} };
    const stuck = defineTool({ name: 'stuck', description: 'Never returns.', input, run: () => (onStart(), new Promise(() => {})) });
    const late = () => AbortSignal.timeout(2000);
    const ended = async (stream) => { for await (const _ of stream); };
    const endedLater = async (stream) => { await sleep(100); await ended(stream); };
    const limited = (ask) => {
      const limit = new AbortController();
      setTimeout(() => limit.abort(new DOMException('late', 'AbortError')), 2000);
      return ask(url, { ...post, signal: AbortSignal.any([new AbortController().signal, limit.signal]) });
    };
    const outcomes = {};
    const watch = (name, call) => void call.then(() => 'a reply', (error) => error.name).then((outcome) => (outcomes[name] = outcome));
    const ways = { ${Object.entries(ways)
      .map(([name, body]) => `${JSON.stringify(name)}: async () => ${body}`)
      .join(', ')} };
    for (const [name, start] of Object.entries(ways)) {
      watch(name, start());
      await isStuck;
    }
    setInterval(gc, 20).unref();
    // A timer that is due after every deadline fires after them on a busy machine, too.
    await sleep(6000);
    console.log(JSON.stringify(outcomes));
    process.exit();
  `,
    ['--expose-gc'],
  );
  // A `fetch` rejects with the reason of the signal.
  expect(JSON.parse(stdout)).toEqual(
    Object.fromEntries(Object.keys(ways).map((name) => [name, /modelsvc.fetch$/.test(name) ? 'TimeoutError' : 'AbortError'])),
  );
});

test('no page, example or source joins a deadline by AbortSignal.any', () => {
  const files = [...pages(), ...sourcesBelow('examples'), ...sourcesBelow('src')].filter((file) => file !== 'docs/decisions.md');
  expect(files.filter((file) => /AbortSignal\.any\([^;]*(timeout|deadline)/i.test(textOf(file)))).toEqual([]);
});
