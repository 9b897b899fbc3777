import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faults } from '../../../src/testing/index.ts';
import { newHome, withFake } from '../support/run.ts';

const contents = (body: unknown): unknown[] => (body as { messages: { content: unknown }[] }).messages.map(({ content }) => content);

async function withHome(): Promise<
  Awaited<ReturnType<typeof withFake>> & { folder: string; ask(...args: string[]): ReturnType<Awaited<ReturnType<typeof withFake>>['modelsvc']> }
> {
  const fake = await withFake();
  const home = await newHome();
  return { ...fake, folder: join(home, '.state', 'modelsvc', 'conversations'), ask: (...args) => fake.modelsvc(args, { env: { HOME: home } }) };
}

describe('conversations', () => {
  it('-c continues the last one with its model and system prompt; only that one is kept, readable only by the user', async () => {
    const { fake, folder, ask } = await withHome();
    fake.chat.reply('one').reply('two').reply('three');
    await ask('chat', 'first', '-m', 'glm-4.6', '-s', 'Be brief');
    expect((await ask('chat', '-c', 'second')).stdout).toBe('two\n');
    expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'glm-4.6' });
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['Be brief', 'first', 'one', 'second']);
    await ask('chat', 'unrelated');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['unrelated']);
    expect(await readdir(folder)).toEqual(['last.json']);
    expect((await stat(join(folder, 'last.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('--save gives a name, --conversation continues it, and -c then follows it', async () => {
    const { fake, ask } = await withHome();
    fake.chat.reply('one').reply('x').reply('two').reply('three').reply('four');
    await ask('chat', 'first', '--save', 'trip');
    await ask('chat', 'other');
    await ask('chat', '--conversation', 'trip', 'second');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', 'one', 'second']);
    await ask('chat', '-c', 'third');
    await ask('chat', '--conversation', 'trip', 'fourth');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', 'one', 'second', 'two', 'third', 'three', 'fourth']);
  });

  it('--no-save, a broken stream and a blocked answer store none', async () => {
    const { fake, folder, ask } = await withHome();
    fake.chat.reply('one');
    expect(await ask('chat', 'secret', '--no-save')).toMatchObject({ code: 0, stderr: '' });
    fake.answer('chat.create', faults.truncatedStream());
    await ask('chat', 'cut');
    fake.chat.reply({ text: 'half', finish: 'sensitive' });
    await ask('chat', 'blocked');
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('without a stored one: exit code 4; a broken file is named and left as it is', async () => {
    const { folder, ask } = await withHome();
    expect(await ask('chat', '-c', 'hi')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^modelsvc: there is no conversation to continue\n/) as string,
    });
    expect(await ask('chat', '--conversation', 'trip', 'hi')).toMatchObject({ code: 4, stderr: expect.stringMatching(/named trip\n/) as string });
    await ask('chat', 'hi', '--save', 'trip');
    const path = join(folder, 'named-trip.json');
    await writeFile(path, '{"version":1,"messages":');
    const broken = await ask('chat', '--conversation', 'trip', 'hi');
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toContain(`${path} is not a conversation`);
    expect(await readFile(path, 'utf8')).toBe('{"version":1,"messages":');
  });

  it('a conversation belongs to its surface', async () => {
    const { fake, ask } = await withHome();
    fake.messages.reply('one').reply('two');
    await ask('messages', 'first');
    expect(await ask('chat', '-c', 'hi')).toMatchObject({ code: 2, stderr: expect.stringMatching(/belongs to modelsvc messages\n/) as string });
    expect((await ask('messages', '-c', 'second')).stdout).toBe('two\n');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', [{ type: 'text', text: 'one' }], 'second']);
  });

  it('a folder that cannot be written is a warning after the answer', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one');
    const home = await newHome();
    await writeFile(join(home, '.state'), 'a file');
    expect(await modelsvc(['chat', 'hi'], { env: { HOME: home } })).toEqual({
      stdout: 'one\n',
      stderr: 'modelsvc: the conversation could not be stored (ENOTDIR); --no-save turns this off\n',
      code: 0,
    });
  });
});
