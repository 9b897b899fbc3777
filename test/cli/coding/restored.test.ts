// The two ways back at `unload`: every byte by the reversal of the record, or each value by its key.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { RecordData } from '../../../src/cli/coding/record.ts';
import { ends } from '../support/in-process.ts';
import { type CodingHome, codingHome } from './support/home.ts';
import { samples } from './support/samples.ts';

const tools = ['codex', 'continue', 'zed'];

async function loaded(id: string): Promise<{ readonly user: CodingHome; readonly file: string; readonly text: string }> {
  const user = await codingHome();
  const [{ file, text } = { file: '', text: '' }] = (samples[id] ?? []).slice(-1);
  await user.put(file, text);
  await user.ok(['coding', 'load', id, '--yes', '--no-check']);
  return { user, file: user.at(file), text };
}

async function changeRecord({ at, record }: CodingHome, change: (data: RecordData) => object): Promise<void> {
  await writeFile(at('.config/modelsvc/coding.json'), JSON.stringify({ version: 1, ...change(await record()) }), { mode: 0o600 });
}

async function unloaded({ ok }: CodingHome, id: string, file: string): Promise<string> {
  const { stdout } = await ok(['coding', 'unload', id, '--yes']);
  expect(stdout).not.toContain('left alone');
  return readFile(file, 'utf8');
}

describe.each(tools)('%s', (id) => {
  test('a file that was changed and changed back gets every byte', async () => {
    const { user, file, text } = await loaded(id);
    const own = await readFile(file, 'utf8');
    await writeFile(file, `${own}\n\n`);
    await writeFile(file, own);
    expect(await unloaded(user, id, file)).toBe(text);
    expect(await user.record()).toEqual({ version: 1, entries: [], made: [], narrowed: [], rescues: [], reversals: [] });
  });

  test('blank lines that another program has added stay', async () => {
    const { user, file, text } = await loaded(id);
    await writeFile(file, `${await readFile(file, 'utf8')}\n\n\n`);
    const back = await unloaded(user, id, file);
    expect(back).toMatch(id === 'continue' ? /\n$/ : /\n\n\n$/);
    for (const comment of text.match(/(?:#|\/\/) [a-z ]+/g) ?? []) expect(back).toContain(comment);
  });

  test('a record of the version before has no reversal: each value goes by its key', async () => {
    const { user, file, text } = await loaded(id);
    const edits = (list: RecordData['entries'][number]['edits']): object[] => list.map((edit) => ({ ...edit, lead: ',\n  ', trail: '\n' }));
    await changeRecord(user, ({ entries, made, narrowed }) => ({
      entries: entries.map((one) => ({ ...one, edits: edits(one.edits) })),
      made,
      narrowed,
    }));
    const [before, now] = [text, await unloaded(user, id, file)].map((one) => one.replaceAll(/\s/g, ''));
    expect(now).toBe(before);
  });

  test('a reversal to other values is not taken', async () => {
    const { user, file, text } = await loaded(id);
    await changeRecord(user, ({ reversals = [], ...data }) => ({ ...data, reversals: reversals.map((one) => ({ ...one, before: '' })) }));
    const [before, now] = [text, await unloaded(user, id, file)].map((one) => one.replaceAll(/\s/g, ''));
    expect(now).toBe(before);
  });
});

test('a broken reversal stops every command', async () => {
  const { user, file } = await loaded('zed');
  await changeRecord(user, (data) => ({ ...data, reversals: [{ file, hash: 'x', start: 0, end: '1', before: '' }] }));
  expect(await user.sh(['coding', 'unload', 'zed', '--yes'])).toMatchObject(ends(1, 'coding.json is broken'));
});
