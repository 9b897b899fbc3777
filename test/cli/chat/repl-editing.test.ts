// What is typed into the repl: pastes of any size, the history, TAB, and the editor of the user.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ChatRequest } from 'modelsvc';
import type { FakeService } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { completerFor } from '../../../src/cli/commands/chat/repl-completion.ts';
import { PasteCutter } from '../../../src/cli/terminal/pastes.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty, openPty, type Terminal } from '../support/pty.ts';

const key = 'fake-id.fake-secret';
const asked = (fake: FakeService): unknown[] => fake.requests.map(({ body }) => (body as ChatRequest).messages.at(-1)?.content);

/** A repl on a terminal that has shown its prompt. */
async function openRepl(fake: FakeService, HOME: string, ...args: string[]): Promise<Terminal> {
  const terminal = await openPty(['chat', 'repl', '--base-url', fake.url, ...args], { env: { SVC_API_KEY: key, HOME } });
  await terminal.shows('> ');
  return terminal;
}

async function leave(terminal: Terminal): Promise<string> {
  terminal.type('\x04');
  const { screen, code } = await terminal.ended;
  expect(code).toBe(0);
  return screen;
}

describe('keys and pastes', () => {
  const cutAt = (text: string, sizes: readonly number[]): Buffer[] => {
    const bytes = Buffer.from(text);
    let at = 0;
    return [...sizes.map((size) => bytes.subarray(at, (at += size))), bytes.subarray(at)];
  };

  it('are told apart wherever the terminal cuts its bytes', () => {
    const keys = fc.stringMatching(/^[a-z\u00e9\u4e2d\r]{0,6}$/);
    const paste = fc.stringMatching(/^[a-z\u00e9\u4e2d\n\t]{0,9}$/);
    const typed = fc.array(fc.tuple(keys, paste), { maxLength: 4 });
    fc.assert(
      fc.property(typed, fc.array(fc.nat(7), { maxLength: 30 }), (parts, sizes) => {
        const cutter = new PasteCutter();
        const text = parts.map(([before, pasted]) => `${before}\x1b[200~${pasted.replaceAll('\n', '\r')}\x1b[201~`).join('');
        const found = cutAt(text, sizes).flatMap((bytes) => cutter.push(bytes));
        expect(Buffer.concat(found.flatMap((one) => (one.kind === 'keys' ? [one.bytes] : []))).toString()).toBe(parts.map(([one]) => one).join(''));
        expect(found.flatMap((one) => (one.kind === 'paste' ? [one.text] : []))).toEqual(parts.map(([, one]) => one));
        expect(cutter.holdsKeys).toBe(false);
      }),
    );
  });

  it('a paste without an end is left by Ctrl-C, and has no control characters', () => {
    const cutter = new PasteCutter();
    expect(cutter.push(Buffer.from('\x1b[200~lost'))).toEqual([]);
    expect(cutter.push(Buffer.from('\x03'))).toEqual([{ kind: 'keys', bytes: Buffer.from('\x03') }]);
    expect(cutter.push(Buffer.from('\x1b[200~a\x03\x1b[2Jb\x1b[201~'))).toEqual([{ kind: 'paste', text: 'a[2Jb' }]);
  });

  it('Escape alone is a key', () => {
    const cutter = new PasteCutter();
    expect(cutter.push(Buffer.from('a\x1b'))).toEqual([{ kind: 'keys', bytes: Buffer.from('a') }]);
    expect([cutter.holdsKeys, cutter.flush().toString(), cutter.holdsKeys]).toEqual([true, '\x1b', false]);
  });
});

describe('TAB', () => {
  it('completes commands, models, files and names of conversations', async () => {
    const home = await newHome();
    const conversations = join(home, 'modelsvc', 'conversations');
    await mkdir(conversations, { recursive: true });
    await writeFile(join(conversations, 'named-trip.json'), '');
    await mkdir(join(home, 'notes'));
    for (const name of ['note.txt', 'no\x1b[2Jte']) await writeFile(join(home, name), '');
    const complete = completerFor({ XDG_STATE_HOME: home, SVC_CONFIG_DIR: home });
    expect(await complete('/un')).toEqual([['/undo'], '/un']);
    expect(await complete('/mo')).toEqual([['/model '], '/mo']);
    expect(await complete('/model glm-5.3-')).toEqual([['glm-5.3-flash', 'glm-5.3-flashx'], 'glm-5.3-']);
    expect(await complete('/load t')).toEqual([['trip'], 't']);
    expect(await complete(`/file ${home}/no`)).toEqual([[`${home}/note.txt`, `${home}/notes/`], `${home}/no`]);
    expect(await complete(`/system @${home}/note.`)).toEqual([[`${home}/note.txt`], `${home}/note.`]);
    expect(await complete('/system Be b')).toEqual([[], 'Be b']);
    expect(await complete(`/file ${home}/gone/x`)).toEqual([[], `${home}/gone/x`]);
    expect(await complete('a question about /fi')).toEqual([[], 'a question about /fi']);
  });
});

describe.runIf(hasPty)('the repl on a terminal', () => {
  it('takes a paste of 10,000 lines as one message, and shows its size', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const terminal = await openRepl(fake, await newHome());
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} of a long text`);
    terminal.type(`Read: \x1b[200~${lines.join('\r')}\x1b[201~and answer\r`);
    await terminal.shows('Read: [paste of 10000 lines]');
    await terminal.shows('fine');
    await terminal.shows('> ');
    terminal.type(`\x1b[200~${'x'.repeat(300_000)}\x1b[201~\r`);
    await terminal.shows('[paste of 300000 characters]');
    await terminal.shows('all');
    await terminal.shows('> ');
    const screen = await leave(terminal);
    const [read, long] = asked(fake);
    // A difference of texts of this size would be printed whole.
    expect([read === `Read: ${lines.join('\n')}\nand answer`, long === 'x'.repeat(300_000), screen.includes('line 5000')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('keeps what was typed between sessions, for the user alone', async () => {
    const { fake } = await withFake();
    for (const text of ['one', 'two', 'three', 'four', 'five']) fake.chat.reply(text);
    const home = await newHome();
    const first = await openRepl(fake, home);
    first.type('older\r');
    await first.shows('one');
    await first.shows('> ');
    first.type('\x1b[200~newer\rof two lines\x1b[201~\r');
    await first.shows('two');
    await first.shows('> ');
    first.type(`my key is ${key}\r`);
    await first.shows('three');
    await first.shows('> ');
    await leave(first);
    const file = join(home, '.local/state/modelsvc/repl-history.jsonl');
    expect(await readFile(file, 'utf8')).toBe('"older"\n"newer\\nof two lines"\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const second = await openRepl(fake, home);
    second.type('\x1b[A\r');
    await second.shows('four');
    await second.shows('> ');
    second.type('\x1b[A\x1b[A\r');
    await second.shows('five');
    await second.shows('> ');
    await leave(second);
    expect(asked(fake).slice(3)).toEqual(['newer\nof two lines', 'older']);
    expect(await readFile(file, 'utf8')).toBe('"newer\\nof two lines"\n"older"\n');
  });

  it('Ctrl-R finds the newest question that has what is typed, then older ones, also of several lines', async () => {
    const { fake } = await withFake();
    fake.chat.reply('one').reply('two');
    const home = await newHome();
    const state = join(home, '.local/state/modelsvc');
    await mkdir(state, { recursive: true, mode: 0o700 });
    const texts = ['the sea is wide', 'a poem\nof the sea', 'rain', 'the sea is deep', 'snow'];
    await writeFile(join(state, 'repl-history.jsonl'), texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 });
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: { SVC_API_KEY: key, HOME: home } });
    await terminal.shows('> ');
    terminal.type('sea');
    await terminal.shows('sea');
    terminal.type('\x12');
    await terminal.shows('the sea is deep');
    terminal.type('\x12');
    await terminal.shows('of the sea');
    terminal.type('\r');
    await terminal.shows('one');
    await terminal.shows('> ');
    terminal.type('wide');
    await terminal.shows('wide');
    terminal.type('\x12');
    await terminal.shows('the sea is wide');
    terminal.type('\x12');
    await terminal.shows('\x07');
    terminal.type('\r');
    await terminal.shows('two');
    await leave(terminal);
    expect(fake.requests.map(({ body }) => (body as { messages: { content: string }[] }).messages.at(-1)?.content)).toEqual([
      'a poem\nof the sea',
      'the sea is wide',
    ]);
  });

  it('keeps no history with --no-log, and names a history that it cannot use', async () => {
    const { fake } = await withFake();
    fake.chat.reply('one').reply('two');
    const home = await newHome();
    const unsaved = await openRepl(fake, home, '--no-log');
    unsaved.type('secret\r');
    await unsaved.shows('one');
    await unsaved.shows('> ');
    await leave(unsaved);
    expect(await readdir(home)).not.toContain('.local');
    const state = join(home, '.local/state/modelsvc');
    await mkdir(join(state, 'repl-history.jsonl'), { recursive: true });
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: { SVC_API_KEY: key, HOME: home } });
    await terminal.shows('not kept:');
    await terminal.shows('> ');
    terminal.type('hi\r');
    await terminal.shows('two');
    await terminal.shows('> ');
    await leave(terminal);
  });

  it('works on a terminal without a size', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const terminal = await openPty(['chat', '--base-url', fake.url], { env: { SVC_API_KEY: key }, columns: 0 });
    await terminal.shows('> ');
    terminal.type('a question\r');
    await terminal.shows('a question');
    await terminal.shows('fine');
    await terminal.shows('> ');
    await leave(terminal);
  });

  it('completes a command at TAB', async () => {
    const { fake } = await withFake();
    const terminal = await openRepl(fake, await newHome());
    terminal.type('/mod\t');
    await terminal.shows('/model ');
    terminal.type('glm-4.6\r');
    await terminal.shows('model: glm-4.6');
    await terminal.shows('> ');
    await leave(terminal);
  });

  it('/edit sends the text of the editor, which has the terminal meanwhile', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const home = await newHome();
    const editor = join(home, 'an editor');
    const lines = ['#!/bin/sh', 'stty -a | grep -o " icanon"', 'ls -l "$2" | cut -c1-10', 'read line', 'echo "$1: $line" >> "$2"'];
    await writeFile(editor, `${lines.join('\n')}\n`);
    await chmod(editor, 0o755);
    const env = { SVC_API_KEY: key, HOME: home, VISUAL: `'${editor}' -w`, TMPDIR: home };
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env });
    await terminal.shows('> ');
    terminal.type('/edit first\r');
    await terminal.shows(' icanon');
    await terminal.shows('-rw-------');
    terminal.type('typed in it\r');
    await terminal.shows('fine');
    await terminal.shows('> ');
    terminal.type('on\r');
    await terminal.shows('all');
    await terminal.shows('> ');
    await leave(terminal);
    expect(asked(fake)).toEqual(['first-w: typed in it', 'on']);
    expect((await readdir(home)).filter((name) => name.startsWith('modelsvc-edit'))).toEqual([]);
  });

  it('Ctrl-C belongs to the editor of /edit', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const home = await newHome();
    const editor = join(home, 'editor');
    const lines = ['#!/bin/sh', 'trap \'echo " and stopped" >> "$1"; exit 0\' INT', 'echo ready', 'while true; do sleep 0.05; done'];
    await writeFile(editor, `${lines.join('\n')}\n`);
    await chmod(editor, 0o755);
    const env = { SVC_API_KEY: key, HOME: home, EDITOR: editor };
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env });
    await terminal.shows('> ');
    terminal.type('/edit first\r');
    await terminal.shows('ready');
    terminal.type('\x03');
    await terminal.shows('fine');
    await terminal.shows('> ');
    terminal.type('on\r');
    await terminal.shows('all');
    await terminal.shows('> ');
    await leave(terminal);
    expect(asked(fake)).toEqual(['first and stopped', 'on']);
  });

  it.each([
    ['/nowhere/editor', '/edit: spawn /nowhere/editor ENOENT'],
    ['false', '/edit: false ended with 1'],
    ['true', 'the text is empty'],
    ['', '/edit: neither VISUAL nor EDITOR is set'],
  ])('/edit with the editor %j sends no text', async (EDITOR, message) => {
    const { fake } = await withFake();
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: { SVC_API_KEY: key, EDITOR } });
    await terminal.shows('> ');
    terminal.type('/edit\r');
    await terminal.shows(message);
    await terminal.shows('> ');
    await leave(terminal);
    expect(fake.requests).toEqual([]);
  });
});
