// Keys on a terminal. Questions are judged by questions.test.ts.
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { hasPty, runInPty } from '../support/pty.ts';
import { newUser, type User } from './support/shell.ts';
import { storeIn } from './support/store.ts';

const onTerminal = ({ home }: User, ...words: string[]): ReturnType<typeof runInPty> => runInPty(words, { env: { HOME: home } });

describe.runIf(hasPty)('on a terminal', () => {
  it.each([[[]], [['--json']]])('accounts token %j shows the key only with --reveal', async (options) => {
    const user = await newUser();
    await user.add('work');
    const refused = await onTerminal(user, 'accounts', 'token', 'work', ...options);
    expect(refused).toMatchObject({ code: 2, screen: expect.stringContaining('the key would be shown on the terminal') as string });
    expect(refused.screen).not.toContain(fakeKey);
    const shown = await onTerminal(user, 'accounts', 'token', 'work', '--reveal', ...options);
    expect(shown).toMatchObject({ code: 0, screen: expect.stringContaining(fakeKey) as string });
  });

  it('accounts export --reveal shows no key', async () => {
    const user = await newUser();
    await user.add('work');
    const refused = await onTerminal(user, 'accounts', 'export', '--reveal', '--yes');
    expect(refused).toMatchObject({ code: 2, screen: expect.stringContaining('keys are not printed on a terminal') as string });
    expect(refused.screen).not.toContain(fakeKey);
  });

  it('Ctrl-C at the question for a key stores no account: exit code 130', async () => {
    const user = await newUser();
    const { screen, code } = await runInPty(['accounts', 'add', 'work', '--no-validate'], {
      env: { HOME: user.home },
      keys: ['API key of account work', '\x03'],
    });
    expect({ code, hasStack: screen.includes('    at ') }).toEqual({ code: 130, hasStack: false });
    expect((await storeIn(user.folder).accounts()).entries.size).toBe(0);
  });

  it('accounts list is a table', async () => {
    const user = await newUser();
    await user.add('work');
    expect((await onTerminal(user, 'accounts', 'list')).screen).toMatch(/NAME\S*\s+\S*KIND/);
  });
});
