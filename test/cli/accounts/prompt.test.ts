// The hidden prompt, in a terminal made by `script`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { program } from '../support/run.ts';
import { newUser, type User } from './support/shell.ts';
import { storeIn } from './support/store.ts';

const script = '/usr/bin/script';

interface Terminal {
  /** All that the terminal showed. */
  readonly shown: string;
  readonly code: number | null;
}

/** Runs `modelsvc` in a terminal. Each answer is typed when its question is shown. */
async function inTerminal(
  { home }: User,
  args: readonly string[],
  answers: readonly (readonly [question: string, typed: string])[],
  size = 'cols 100 rows 30',
): Promise<Terminal> {
  const line = `stty ${size}; exec ${[process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')}`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm' };
  const child = spawn(script, ['-qefc', line, '/dev/null'], { env, cwd: home });
  let shown = '';
  const left = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [question, typed = ''] = left[0] ?? [];
    if (question === undefined || !shown.includes(question)) return;
    left.shift();
    child.stdin.write(typed);
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { shown, code };
}

describe.skipIf(!existsSync(script))('in a terminal', () => {
  it('a question fits on a line of a terminal without a size', async () => {
    const user = await newUser();
    await user.add('work');
    const { shown, code } = await inTerminal(user, ['accounts', 'remove', 'work'], [['Remove account work', 'n']], 'cols 0 rows 0');
    expect(code).toBe(1);
    expect(shown).toContain('Remove account work and its key');
  });

  it.each([[[]], [['--json']]])('accounts token %j shows the key only with --reveal', async (options) => {
    const user = await newUser();
    await user.add('work');
    const refused = await inTerminal(user, ['accounts', 'token', 'work', ...options], []);
    expect(refused.code).toBe(2);
    expect(refused.shown).toContain('the key would be shown on the terminal');
    expect(refused.shown).not.toContain(fakeKey);
    const shown = await inTerminal(user, ['accounts', 'token', 'work', '--reveal', ...options], []);
    expect(shown.code).toBe(0);
    expect(shown.shown).toContain(fakeKey);
  });

  it('accounts add asks for the key and never shows it', async () => {
    const user = await newUser();
    const { shown, code } = await inTerminal(
      user,
      ['accounts', 'add', 'work', '--base-url', user.fake.url],
      [['API key of account work', `${fakeKey}\r`]],
    );
    expect(code).toBe(0);
    expect(shown).toContain('Stored account work (plan, global');
    expect(shown).not.toContain(fakeKey);
    expect(shown).not.toContain('fake-secret');
    expect((await storeIn(user.folder).secret('work')).apiKey).toBe(fakeKey);
  });

  it('Ctrl-C at the question stores no account: exit code 130', async () => {
    const user = await newUser();
    const { shown, code } = await inTerminal(user, ['accounts', 'add', 'work', '--no-validate'], [['API key of account work', '\x03']]);
    expect({ code, hasStack: shown.includes('    at ') }).toEqual({ code: 130, hasStack: false });
    expect((await storeIn(user.folder).accounts()).entries.size).toBe(0);
  });

  it('remove asks, and export --reveal shows no key', async () => {
    const user = await newUser();
    await user.add('work');
    const refused = await inTerminal(user, ['accounts', 'export', '--reveal', '--yes'], []);
    expect(refused.code).toBe(2);
    expect(refused.shown).toContain('keys are not printed on a terminal');
    expect(refused.shown).not.toContain(fakeKey);
    expect((await inTerminal(user, ['accounts', 'remove', 'work'], [['Remove account work', 'n']])).code).toBe(1);
    expect((await inTerminal(user, ['accounts', 'remove', 'work'], [['Remove account work', 'y']])).code).toBe(0);
    expect(await readFile(join(user.folder, 'credentials.json'), 'utf8')).not.toContain(fakeKey);
  });

  it('list is a table', async () => {
    const user = await newUser();
    await user.add('work');
    expect((await inTerminal(user, ['accounts', 'list'], [])).shown).toMatch(/NAME\S*\s+\S*KIND/);
  });
});
