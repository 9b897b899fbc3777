// Every question of the program is asked by terminal/questions.ts: what was typed before it answers none.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newUser } from './accounts/support/shell.ts';
import { storeIn } from './accounts/support/store.ts';
import { hasPty, openPty, runInPty } from './support/pty.ts';

const typedAhead = 'y\ry\r';

describe.runIf(hasPty)('a question', () => {
  it.each([
    ['files delete', ['files', 'delete', 'f1'], 'Delete the file f1?'],
    ['voices delete', ['voices', 'delete', 'v1'], 'Delete the voice v1?'],
    ['accounts remove', ['accounts', 'remove', 'work'], 'Remove account work and its key'],
    ['--plan-endpoint', ['models', 'list', '--plan-endpoint'], 'The answer is remembered.'],
    ['coding load', ['coding', 'load', 'crush'], '[y/N] '],
  ])('of %s: keys typed before it answer none, a key pressed then does', async (_, args, question) => {
    const user = await newUser();
    await user.add('work');
    await mkdir(join(user.home, '.config', 'crush'));
    const terminal = await openPty(args, { env: { HOME: user.home, SVC_API_KEY: fakeKey }, typedAhead });
    await terminal.shows(question);
    terminal.type('n');
    const { screen, code } = await terminal.ended;
    expect(code).toBe(1);
    expect(screen).toContain('not confirmed');
    expect((await storeIn(user.folder).accounts()).entries.size).toBe(1);
  });

  it.each([
    ['y', 0],
    ['Y', 0],
    ['y\r', 0],
    ['n', 1],
    ['a', 1],
    ['\r', 1],
    ['\x1b', 1],
    ['yes, but not now\r', 1],
    ['\x1b[200~y\x1b[201~', 1],
    ['y\rthird line\r', 1],
    ['\x03', 130],
  ])('is answered by %j with exit code %i', async (keys, exitCode) => {
    const user = await newUser();
    await user.add('work');
    const { code, screen } = await runInPty(['accounts', 'remove', 'work'], { env: { HOME: user.home }, keys: ['[y/N] ', keys] });
    expect({ code, accounts: (await storeIn(user.folder).accounts()).entries.size }).toEqual({ code: exitCode, accounts: exitCode === 0 ? 0 : 1 });
    expect((await readFile(join(user.folder, 'credentials.json'), 'utf8')).includes(fakeKey)).toBe(exitCode !== 0);
    expect(screen).not.toContain('    at ');
  });

  it('for a key takes no line that was typed before it, and hides the key', async () => {
    const user = await newUser();
    const terminal = await openPty(['accounts', 'add', 'work', '--base-url', user.fake.url], {
      env: { HOME: user.home },
      typedAhead: 'an old line\r',
    });
    await terminal.shows('API key of account work');
    terminal.type(`x\x7f${fakeKey}\r`);
    const { screen, code } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).not.toContain('fake-secret');
    expect(await readFile(join(user.folder, 'credentials.json'), 'utf8')).toContain(fakeKey);
  });

  it('ends with SIGTERM', async () => {
    const user = await newUser();
    await user.add('work');
    const terminal = await openPty(['accounts', 'remove', 'work'], { env: { HOME: user.home } });
    await terminal.shows('[y/N] ');
    await terminal.kill('SIGTERM');
    expect((await terminal.ended).code).toBe(143);
  });
});
