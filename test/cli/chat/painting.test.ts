// Answers that are hard to lay out: the work has a bound, they are stored before it, and Ctrl-C ends it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/cli/log/entry.ts';
import { LogReader } from '../../../src/cli/log/reader.ts';
import { Code } from '../../../src/cli/terminal/markdown/code.ts';
import { Markdown } from '../../../src/cli/terminal/markdown/markdown.ts';
import { TimeLimit } from '../../../src/cli/terminal/markdown/time-limit.ts';
import { type Paint, painted } from '../../../src/cli/terminal/terminal.ts';
import { expectLinear, sizesUpTo } from '../../property/linear-time/growth.ts';
import { logOf } from '../log/support.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty, openPty } from '../support/pty.ts';
import { openRepl } from './support/repl.ts';

const languages = 'js ts json py sh c cpp java cs kotlin go rust sql css html xml yaml toml diff ruby dockerfile'.split(' ');
const units = [' ', '\t', 'a', '"', "'", '`', '(', '[', '{', '<', '/', '\\', '*', '#', '$', '- ', 'a: ', '<a ', '&a', '${', '/*', "''", '中'];
const lengths = [150, 199, 400, 2000];

/** Blocks of each language, with lines that are costly for a pattern of one of them. */
const blocks = languages.map((language) => {
  const lines = units.flatMap((unit) => lengths.map((length) => `k: ${unit.repeat(length / unit.length)}x`));
  return `~~~~${language}\n${lines.join('\n')}\n~~~~\n`;
});

/** A clock on which each piece of work takes so many milliseconds. */
function clock(each: number): () => number {
  let now = 0;
  return () => {
    const time = now;
    now += each;
    return time;
  };
}

const marked: Paint = (_style, text) => `<${text}>`;

describe('the work of laying out', () => {
  it.each(languages)('%s: a block has no more colors after a line that was slow', (language) => {
    const code = new Code(language, marked, new TimeLimit(clock(11)));
    const lines = ['1 "a" # /* -- //', ...Array<string>(9).fill('1 "a" true <a b="1"> +1')].map((line) => code.line(line));
    expect(lines.slice(1).join('')).not.toContain('<1>');
    expect(lines.slice(1)).toEqual(Array<string>(9).fill('1 "a" true <a b="1"> +1'));
  });

  it.each([
    ['code', '~~~js\nlet a = 1;\n~~~\n', '<let>'],
    ['emphasis', 'see **this** word\n', '<this>'],
    ['tables', '| a | b |\n|---|---|\n| 1 | 2 |\n\n', '─'],
  ])('%s: slow work ends for the rest of the answer, and the text stays', (_, text, look) => {
    const looks = (limit: TimeLimit): number => {
      const markdown = new Markdown(marked, () => 80, limit);
      return (markdown.push(text.repeat(1000)) + markdown.end()).split(look).length - 1;
    };
    expect(looks(new TimeLimit(clock(0)))).toBeGreaterThanOrEqual(1000);
    // 250 ms for all, in pieces of 50.
    expect(looks(new TimeLimit(clock(50)))).toBeLessThan(25);
  });

  it('the work on one line is ended, whatever its pattern would take', () => {
    const limit = new TimeLimit();
    // Forty characters need hours.
    const endless = (): boolean => /^(?:a|a)+$/.test(`${'a'.repeat(99)}b`);
    expect(limit.run(100, endless)).toBeUndefined();
    expect(limit.run(1, () => 'more')).toBeUndefined();
  });

  it('a library that fails leaves the text', () => {
    const limit = new TimeLimit();
    const fail = (): never => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    expect(limit.run(1, fail)).toBeUndefined();
    expect(limit.run(100, fail)).toBeUndefined();
    expect(limit.run(100, () => 'more')).toMatchObject({ value: 'more' });
  });

  it('all languages with costly lines are shown whole', () => {
    const markdown = new Markdown(painted, () => 80);
    const text = blocks.join('');
    expect(stripVTControlCharacters(markdown.push(text) + markdown.end())).toBe(text);
  });

  it.each([
    ...['* ', '_ ', '<', '* * x', '`~', '| a ', '|', '[a][', '~'].map(
      (unit) => [unit, (size: number) => `x ${unit.repeat(size / unit.length)}`] as const,
    ),
    ['a word', (size: number) => `${'a'.repeat(size)} b`] as const,
    ['a fence', (size: number) => `${'~'.repeat(size)}js\nlet a;\n`] as const,
    ['a cell', (size: number) => `| a | b |\n|---|---|\n| ${'a_ |'.repeat(size / 4)} | b |\n`] as const,
    ['rows', (size: number) => `| a | b |\n|---|---|\n${'| a | b |\n'.repeat(size / 10)}`] as const,
  ])('%j of any length, in one piece, takes time in proportion, and is shown', async (_, make) => {
    const shown = (text: string): string => {
      const markdown = new Markdown(painted, () => 80);
      return markdown.push(text) + markdown.end();
    };
    await expectLinear((size) => {
      const text = make(size);
      return () => shown(text);
    }, sizesUpTo(64_000));
    const letters = (text: string): string => stripVTControlCharacters(text).replace(/[^a-z]/g, '');
    expect(letters(shown(make(500_000)))).toBe(letters(make(500_000)));
  });
});

const state = (home: string): string => join(home, '.state', 'modelsvc');

const entries = (home: string): LogEntry[] => [...new LogReader(logOf(home)).entries({}, 'newest first')];

async function storedIn(home: string): Promise<{ readonly log: string | undefined; readonly conversation: string }> {
  const [entry] = entries(home);
  return { log: entry?.text.answer, conversation: await readFile(join(state(home), 'conversations', 'last.json'), 'utf8') };
}

describe.runIf(hasPty)('on a terminal', () => {
  const env = (home: string): Record<string, string> => ({ HOME: home, XDG_STATE_HOME: join(home, '.state'), SVC_API_KEY: 'fake-id.fake-secret' });

  it.each(['chat', 'messages', 'responses'] as const)(
    '%s: costly lines of all languages do not hold the answer, and Ctrl-C ends a silent stream',
    async (surface) => {
      const { fake } = await withFake();
      const operation = { chat: 'chat.create', messages: 'anthropic.create', responses: 'responses.create' } as const;
      const text = [...blocks, 'the end of it '];
      fake.answer(operation[surface], {
        ...faults.silentAfterHeaders(text.length + 10),
        reply: { turn: { text: [...text, ...Array<string>(20).fill('.')] } },
      });
      const home = await newHome();
      const terminal = await openPty([surface, 'hi', '--base-url', fake.url], { env: env(home) });
      await terminal.shows('the end of');
      terminal.type('\x03');
      expect((await terminal.ended).code).toBe(130);
      const { log, conversation } = await storedIn(home);
      expect(log).toContain('the end of it');
      expect(conversation).toContain('the end of it');
    },
  );

  it.each(['chat', 'messages', 'responses'] as const)(
    '%s: Ctrl-C while a complete answer is laid out ends it, and all of the answer is stored',
    async (surface) => {
      const { fake } = await withFake();
      const text = `first line\n\n${'Some **bold** words, and `code`.\n'.repeat(100_000)}\nlast line`;
      fake[surface].reply(text);
      const home = await newHome();
      const terminal = await openPty([surface, 'hi', '--no-stream', '--base-url', fake.url], { env: env(home) });
      await terminal.shows('first line');
      terminal.type('\x03');
      const { screen, code } = await terminal.ended;
      expect(code).toBe(130);
      expect(screen).not.toContain('last line');
      const { log, conversation } = await storedIn(home);
      expect(log).toBe(text);
      expect(conversation).toContain('last line');
      expect(conversation).not.toContain('"stopped"');
    },
  );

  it('the repl: Ctrl-C while an answer is laid out stops it, and the next question has all of it', async () => {
    const { fake } = await withFake();
    fake.chat.reply(`first line\n\n${'Some **bold** words.\n'.repeat(100_000)}\nlast line`).reply('second answer');
    const repl = await openRepl(fake, {}, '--no-stream');
    repl.type('hi\r');
    await repl.shows('first line');
    await repl.ask('\x03', 'stopped');
    await repl.ask('again\r', 'second answer');
    await repl.leave();
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('last line');
  });
});

it.each(['chat', 'messages', 'responses'] as const)('%s: an answer that finds no reader is in the log and in the conversation', async (surface) => {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  for (const args of [['--no-stream'], ['-o', 'json'], ['-o', 'yaml'], ['-x']]) {
    fake[surface].reply(`the answer ${args.join('')}`);
    await modelsvc([surface, 'hi', ...args], {
      env: { HOME: home, XDG_STATE_HOME: join(home, '.state') },
      onStart: (child) => child.stdout.destroy(),
    });
    const { conversation } = await storedIn(home);
    expect(conversation).toContain(`the answer ${args.join('')}`);
    expect(conversation).not.toContain('"stopped"');
    expect(entries(home).map(({ text }) => text.answer)).toContain(`the answer ${args.join('')}`);
  }
});
