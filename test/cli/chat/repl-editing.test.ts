// Input of the repl: pastes of any size, the history, TAB, and the editor of the user.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { completerFor } from '../../../src/cli/commands/chat/repl-completion.ts';
import { PasteCutter } from '../../../src/cli/terminal/pastes.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty, openPty } from '../support/pty.ts';
import { asked, openRepl } from './support/repl.ts';

describe('keys and pastes', () => {
  const cutAt = (text: string, sizes: readonly number[]): Buffer[] => {
    const bytes = Buffer.from(text);
    let at = 0;
    return [...sizes.map((size) => bytes.subarray(at, (at += size))), bytes.subarray(at)];
  };

  it('are distinguished wherever the terminal cuts its bytes', () => {
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
    const repl = await openRepl(fake);
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} of a long text`);
    await repl.ask(`Read: \x1b[200~${lines.join('\r')}\x1b[201~and answer\r`, 'Read: [paste of 10000 lines]', 'fine');
    await repl.ask(`\x1b[200~${'x'.repeat(300_000)}\x1b[201~\r`, '[paste of 300000 characters]', 'all');
    const screen = await repl.leave();
    const [read, long] = asked(fake);
    // A difference of texts of this size would be printed whole.
    expect(read === `Read: ${lines.join('\n')}\nand answer`).toBe(true);
    expect(long === 'x'.repeat(300_000)).toBe(true);
    expect(screen.includes('line 5000')).toBe(false);
  });

  it('keeps what was typed between sessions, for the user alone', async () => {
    const { fake } = await withFake();
    for (const text of ['one', 'two', 'three', 'four', 'five']) fake.chat.reply(text);
    const HOME = await newHome();
    const first = await openRepl(fake, { HOME });
    await first.ask('older\r', 'one');
    await first.ask('\x1b[200~newer\rof two lines\x1b[201~\r', 'two');
    await first.ask(`my key is ${fakeKey}\r`, 'three');
    await first.leave();
    const file = join(HOME, '.local/state/modelsvc/repl-history.jsonl');
    expect(await readFile(file, 'utf8')).toBe('"older"\n"newer\\nof two lines"\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const second = await openRepl(fake, { HOME });
    await second.ask('\x1b[A\r', 'four');
    await second.ask('\x1b[A\x1b[A\r', 'five');
    await second.leave();
    expect(asked(fake).slice(3)).toEqual(['newer\nof two lines', 'older']);
    expect(await readFile(file, 'utf8')).toBe('"newer\\nof two lines"\n"older"\n');
  });

  it('Ctrl-R finds the newest question that has what is typed, then older ones, also of several lines', async () => {
    const { fake } = await withFake();
    fake.chat.reply('one').reply('two');
    const HOME = await newHome();
    const state = join(HOME, '.local/state/modelsvc');
    await mkdir(state, { recursive: true, mode: 0o700 });
    const texts = ['the sea is wide', 'a poem\nof the sea', 'rain', 'the sea is deep', 'snow'];
    await writeFile(join(state, 'repl-history.jsonl'), texts.map((text) => `${JSON.stringify(text)}\n`).join(''), { mode: 0o600 });
    const repl = await openRepl(fake, { HOME });
    const press = async (keys: string, shown: string): Promise<void> => {
      repl.type(keys);
      await repl.shows(shown);
    };
    await press('sea', 'sea');
    await press('\x12', 'the sea is deep');
    await press('\x12', 'of the sea');
    await repl.ask('\r', 'one');
    await press('wide', 'wide');
    await press('\x12', 'the sea is wide');
    await press('\x12', '\x07');
    await repl.ask('\r', 'two');
    await repl.leave();
    expect(asked(fake)).toEqual(['a poem\nof the sea', 'the sea is wide']);
  });

  it('keeps no history with --no-log, and names a history that it cannot use', async () => {
    const { fake } = await withFake();
    fake.chat.reply('one').reply('two');
    const HOME = await newHome();
    const unsaved = await openRepl(fake, { HOME }, '--no-log');
    await unsaved.ask('secret\r', 'one');
    await unsaved.leave();
    expect(await readdir(HOME)).not.toContain('.local');
    await mkdir(join(HOME, '.local/state/modelsvc', 'repl-history.jsonl'), { recursive: true });
    const repl = await openRepl(fake, { HOME });
    await repl.ask('hi\r', 'two');
    expect(await repl.leave()).toContain('not kept:');
  });

  it('works on a terminal without a size', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const terminal = await openPty(['chat', '--base-url', fake.url], { env: { SVC_API_KEY: fakeKey }, columns: 0 });
    await terminal.shows('> ');
    terminal.type('a question\r');
    for (const text of ['a question', 'fine', '> ']) await terminal.shows(text);
    terminal.type('\x04');
    expect((await terminal.ended).code).toBe(0);
  });

  it('completes a command at TAB', async () => {
    const { fake } = await withFake();
    const repl = await openRepl(fake);
    repl.type('/mod\t');
    await repl.shows('/model ');
    await repl.ask('glm-4.6\r', 'model: glm-4.6');
    await repl.leave();
  });
});

describe.runIf(hasPty)('/edit', () => {
  /** A script instead of an editor. */
  async function editorOf(name: string, ...lines: string[]): Promise<string> {
    const editor = join(await newHome(), name);
    await writeFile(editor, `#!/bin/sh\n${lines.join('\n')}\n`);
    await chmod(editor, 0o755);
    return editor;
  }

  it('sends the text of the editor, which has the terminal meanwhile', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const editor = await editorOf('an editor', 'stty -a | grep -o " icanon"', 'ls -l "$2" | cut -c1-10', 'read line', 'echo "$1: $line" >> "$2"');
    const TMPDIR = await newHome();
    const repl = await openRepl(fake, { VISUAL: `'${editor}' -w`, TMPDIR });
    repl.type('/edit first\r');
    for (const text of [' icanon', '-rw-------']) await repl.shows(text);
    await repl.ask('typed in it\r', 'fine');
    await repl.ask('on\r', 'all');
    await repl.leave();
    expect(asked(fake)).toEqual(['first-w: typed in it', 'on']);
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  it('Ctrl-C belongs to the editor', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const EDITOR = await editorOf('editor', 'trap \'echo " and stopped" >> "$1"; exit 0\' INT', 'echo ready', 'while true; do sleep 0.05; done');
    const repl = await openRepl(fake, { EDITOR });
    repl.type('/edit first\r');
    await repl.shows('ready');
    await repl.ask('\x03', 'fine');
    await repl.ask('on\r', 'all');
    await repl.leave();
    expect(asked(fake)).toEqual(['first and stopped', 'on']);
  });

  it.each([
    ['/nowhere/editor', '/edit: spawn /nowhere/editor ENOENT'],
    ['false', '/edit: false ended with 1'],
    ['true', 'the text is empty'],
    ['', '/edit: neither VISUAL nor EDITOR is set'],
  ])('with the editor %j sends no text', async (EDITOR, message) => {
    const { fake } = await withFake();
    const repl = await openRepl(fake, { EDITOR });
    await repl.ask('/edit\r', message);
    await repl.leave();
    expect(fake.requests).toEqual([]);
  });
});
