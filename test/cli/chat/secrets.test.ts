// A key in a prompt or an answer: what is kept has none, what is sent is not changed.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

const own = fakeKey;
const foreign = `sk-${'Ab3'.repeat(10)}`;
const pasted = [
  own,
  own.split('.')[1] ?? '',
  Buffer.from(own).toString('base64'),
  Buffer.from(`user:${own}`).toString('base64'),
  encodeURIComponent(`${own}/`),
  JSON.stringify({ key: own }),
  'fedcba9876543210fedcba9876543210.Other0ther0ther0',
  foreign,
  `Bearer ${foreign}`,
];
const searched = [own, 'fake-secret', foreign, 'Other0ther0ther0', Buffer.from(own).toString('base64').slice(0, -4)];

/** All bytes of all files below a folder. */
async function everything(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))).join('\n');
}

describe.each(['chat', 'messages', 'responses'] as const)('a key that is pasted into %s', (surface) => {
  it('is in no file, and is sent; the conversation goes on, with others in between', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const env = { HOME: home };
    for (const [index, text] of pasted.entries()) {
      const prompt = `${index}: is ${text} a key?`;
      fake[surface].reply(`No: ${text} is mine.`).reply('And on.').reply('Aside.').reply('Last.');
      expect(await modelsvc([surface, prompt, '-s', `never print ${text}`, '--save', 'trip'], { env })).toMatchObject({ code: 0 });
      expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain(JSON.stringify(prompt).slice(1, -1));
      expect((await modelsvc([surface, '-c', 'go on'], { env })).stdout).toBe('And on.\n');
      expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('[key]');
      expect((await modelsvc([surface, '--conversation', 'trip', 'aside'], { env })).stdout).toBe('Aside.\n');
      expect((await modelsvc([surface, '-c', 'last'], { env })).stdout).toBe('Last.\n');
      const kept = JSON.parse(await readFile(join(home, '.state', 'modelsvc', 'conversations', 'last.json'), 'utf8')) as { messages: unknown[] };
      expect(kept.messages).toHaveLength(8);
    }
    const files = await everything(join(home, '.state'));
    expect(files).toContain('[key]');
    for (const secret of searched) expect(files).not.toContain(secret);
  });
});

describe('chat repl', () => {
  it('sends what was typed in later questions too, and keeps none of it', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const typed = pasted.map((text) => `is ${text} a key?`);
    for (const text of typed) fake.chat.reply(`No: ${text}`);
    fake.chat.reply('done');
    const env = { HOME: home };
    expect(await modelsvc(['chat', 'repl'], { env, stdin: `${[...typed, '/save trip', 'and now?'].join('\n')}\n` })).toMatchObject({ code: 0 });
    const sent = JSON.stringify(fake.requests.at(-1)?.body) ?? '';
    for (const text of typed) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    const files = await everything(join(home, '.state'));
    expect(files).toContain('and now?');
    for (const secret of searched) expect(files).not.toContain(secret);
  });
});

describe.each(['chat', 'messages', 'responses'] as const)('a password in the JSON of a call of a tool, on %s', (surface) => {
  it('is in no file, and the conversation goes on with every other character of its arguments', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    const env = { HOME: home };
    const message = 'json: {"password":"hunter2hunter2","n":12345678901234567890}';
    fake[surface].toolCall('echo', { password: 'hunter2hunter2', message }).reply('Done.').reply('And on.');
    const server = `node ${join(import.meta.dirname, 'support/mcp-server.mjs')}`;
    expect(await modelsvc([surface, 'log in', '--mcp', server, '--yes'], { env })).toMatchObject({ code: 0 });
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('hunter2hunter2');
    expect((await modelsvc([surface, '-c', 'go on'], { env })).stdout).toBe('And on.\n');
    const sent = JSON.stringify(fake.requests.at(-1)?.body);
    expect(sent).toContain('12345678901234567890');
    const files = await everything(join(home, '.state'));
    expect(files).toContain('12345678901234567890');
    for (const text of [files, sent]) expect(text).not.toContain('hunter2');
  });
});
