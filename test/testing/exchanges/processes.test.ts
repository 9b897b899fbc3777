import { expect } from 'vitest';
import { fakeKey } from '../../../src/testing/index.ts';
import { built, childOutcome, startChild } from '../../support/child.ts';
import { test } from '../../support/fixture.ts';
import { contentOf, newFile } from './support.ts';

/** A program that records, with a client at hand. */
function program(file: string, url: string, body: string): string {
  return `
    import { recordExchanges } from '${built('testing')}';
    const cassette = recordExchanges({ file: ${JSON.stringify(file)}, ci: false });
    const client = newClient({ apiKey: '${fakeKey}', endpoints: '${url}', httpClient: cassette, retryDelay: 1 });
    const question = (content) => ({ model: 'glm-5.3', messages: [{ role: 'user', content }] });
    ${body}
  `;
}

test('processes that write one file at the same time lose none of their exchanges', async ({ fake }) => {
  const file = newFile();
  const runs = Array.from({ length: 4 }, (_, index) =>
    childOutcome(
      program(
        file,
        fake.url,
        `await Promise.all(Array.from({ length: 10 }, (_, at) => client.chat().create(undefined, question('${index} ' + at))));
        await client.chat().create(undefined, question('the same for all'));
        await cassette.save();`,
      ),
    ),
  );
  await Promise.all(runs);
  const contents = contentOf(file).exchanges.map(({ request }) => (request.body as { messages: { content: string }[] }).messages[0]?.content);
  expect(new Set(contents).size).toBe(41);
});

test('a process that is killed has its ended replies in the file', async ({ fake }) => {
  const file = newFile();
  const child = startChild(
    program(
      file,
      fake.url,
      `await client.chat().create(undefined, question('a'));
      console.log('ready');
      setInterval(() => {}, 1000);`,
    ),
  );
  expect(await child.line()).toBe('ready');
  child.kill();
  await child.line().catch(() => undefined);
  await childOutcome(program(file, fake.url, `await client.chat().create(undefined, question('b'));`));
  expect(contentOf(file).exchanges).toHaveLength(2);
});

test('a process that ends without save keeps a stream that it has read, and the beginning of one that it has not', async ({ fake }) => {
  const file = newFile();
  fake.chat.reply('whole');
  const chunk = { id: '1', choices: [{ index: 0, delta: { content: 'part' } }] };
  const endless = async function* (): AsyncGenerator<object> {
    yield chunk;
    await new Promise(() => undefined);
  };
  fake.answer('chat.create', { frames: endless() });
  await childOutcome(
    program(
      file,
      fake.url,
      `for await (const _ of client.chat().stream(undefined, question('whole'))) {}
      const stream = client.chat().stream(undefined, question('part'));
      await stream.next();
      process.exit(0);`,
    ),
  );
  const ends = contentOf(file).exchanges.map(({ request, response }) => [JSON.stringify(request.body).includes('whole'), response.end]);
  expect(ends.sort()).toEqual([
    [false, 'left'],
    [true, 'closed'],
  ]);
});

test('a process without network replays', async ({ fake }) => {
  const file = newFile();
  await childOutcome(program(file, fake.url, `await client.chat().create(undefined, question('a'));`));
  await fake.close();
  const { stdout } = await childOutcome(
    `import { Socket } from 'node:net';
    Socket.prototype.connect = () => { throw new Error('connect'); };
    import { replayExchanges } from '${built('testing')}';
    const client = newClient({ apiKey: 'none', endpoints: 'http://localhost:1', httpClient: replayExchanges(${JSON.stringify(file)}) });
    const reply = await client.chat().create(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'a' }] });
    console.log(reply.choices.length);`,
  );
  expect(stdout.trim()).toBe('1');
});
