// `chat repl` on a terminal.
import { type FakeService, fakeKey } from 'modelsvc/testing';
import { expect } from 'vitest';
import { openPty, type Terminal } from '../../support/pty.ts';

export interface Repl extends Terminal {
  /** Types keys, waits for texts on the screen, and then for the next prompt. */
  ask(keys: string, ...texts: readonly string[]): Promise<void>;
  /** Types keys once a text is on the screen. */
  answer(text: string, keys: string): Promise<void>;
  /** Ends the repl by Ctrl-D. Returns all that the screen received. */
  leave(): Promise<string>;
}

/** A repl that has shown its prompt. */
export async function openRepl(fake: FakeService, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]): Promise<Repl> {
  const terminal = await openPty(['chat', 'repl', '--base-url', fake.url, ...args], { env: { SVC_API_KEY: fakeKey, ...env } });
  await terminal.shows('> ');
  return {
    ...terminal,
    ask: async (keys, ...texts) => {
      terminal.type(keys);
      for (const text of [...texts, '> ']) await terminal.shows(text);
    },
    answer: async (text, keys) => {
      await terminal.shows(text);
      terminal.type(keys);
    },
    leave: async () => {
      terminal.type('\x04');
      const { screen, code } = await terminal.ended;
      expect(code).toBe(0);
      return screen;
    },
  };
}

/** The last message of each request. */
export const asked = (fake: FakeService): unknown[] =>
  fake.requests.map(({ body }) => (body as { readonly messages: readonly { readonly content: unknown }[] }).messages.at(-1)?.content);
