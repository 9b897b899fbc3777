// Every wired tool, with the settings that users have: `load` sets its values and keeps the rest, `unload` gives the bytes back.
import { lstat, mkdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileFormat } from '../../../src/cli/coding/tool.ts';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { checks, parsed, valueAt } from './support/checks.ts';
import { type CodingHome, codingHome, filesWith, key, type Tree } from './support/home.ts';
import { type Sample, samples } from './support/samples.ts';

/** Servers of Cline and Zed take the key only as text. */
const plainServers = ['cline', 'zed'];
const servers = ['search', 'reader', 'zread', 'vision'].map((name) => `modelsvc-${name}`);

describe.each(wiredTools.map(({ id, mcp }) => ({ id, hasMcp: mcp !== undefined })))('$id', ({ id, hasMcp }) => {
  const own = samples[id] ?? [];

  test('a home without settings gets them, and is without them again', async () => {
    const user = await codingHome();
    const before = await user.tree();
    await user.ok(['coding', 'load', id, '--yes', '--no-check']);
    await expectWired(user, id);
    const loaded = await user.tree();
    expect(filesWith(loaded, key)).toEqual([]);
    for (const path of Object.keys(loaded)) if (!(path in before)) expect(loaded[path]).toMatch(path.endsWith('/') ? /^700$/ : /^600 /);
    await expectStatus(user, id);
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
    expect(await user.record()).toMatchObject({ entries: [], made: [] });
  });

  test('links, modes, comments and other values stay', async () => {
    const user = await codingHome();
    for (const [at, { file, text }] of own.entries()) {
      await user.put(`dotfiles/${at}-${basename(file)}`, text, 0o640);
      await mkdir(dirname(user.at(file)), { recursive: true });
      await symlink(user.at('dotfiles', `${at}-${basename(file)}`), user.at(file));
    }
    const before = await user.tree();
    await user.ok(['coding', 'load', id, '--yes', '--no-check', ...(hasMcp ? ['--mcp'] : [])]);
    await expectWired(user, id);
    for (const sample of own) {
      await expectKept(user, id, sample, sample.text);
      expect((await lstat(user.at(sample.file))).isSymbolicLink(), 'a link stays one').toBe(true);
      expect(await readlink(user.at(sample.file))).toContain('dotfiles');
      // A file with the key is private.
      const hasKey = (await readFile(user.at(sample.file), 'utf8')).includes(key);
      expect((await stat(user.at(sample.file))).mode & 0o777).toBe(hasKey ? 0o600 : 0o640);
    }
    const loaded = await user.tree();
    expect(filesWith(loaded, key).length > 0, 'the key is only in files that take no reference').toBe(plainServers.includes(id));
    if (hasMcp) for (const name of servers) expect(filesWith(loaded, name), name).toHaveLength(1);
    await expectStatus(user, id);
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
  });

  test('CRLF and a byte order mark stay', async () => {
    const user = await codingHome();
    const crlf = (text: string): string => `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    for (const { file, text } of own) await user.put(file, crlf(text));
    const before = await user.tree();
    await user.ok(['coding', 'load', id, '--yes', '--no-check', ...(hasMcp ? ['--mcp'] : [])]);
    await expectWired(user, id);
    for (const sample of own) {
      const text = await expectKept(user, id, sample, crlf(sample.text));
      expect(text.startsWith('\uFEFF')).toBe(true);
      expect(text.replaceAll('\r\n', ''), 'each line ends as before').not.toMatch(/[\r\n]/);
    }
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
  });
});

async function expectWired({ at }: CodingHome, id: string): Promise<void> {
  for (const { file, format, values } of checks[id] ?? []) {
    const document = parsed(format, await readFile(at(file), 'utf8'));
    for (const [path, wanted] of Object.entries(values)) {
      const value = valueAt(document, path);
      if (wanted instanceof RegExp) expect(value, path).toMatch(wanted);
      else expect(Array.isArray(wanted) ? (value as unknown[]).slice(-wanted.length) : value, path).toEqual(wanted);
    }
  }
}

/** Every value and comment of the user is there, but for the values that the record keeps. Returns the text. */
async function expectKept({ at, record }: CodingHome, id: string, { file, format }: Sample, before: string): Promise<string> {
  const text = await readFile(at(file), 'utf8');
  const { entries } = await record();
  const replaced = entries
    .filter((entry) => entry.tool === id && entry.file === at(file))
    .flatMap(({ edits }) => edits.filter((edit) => edit.before !== undefined).map(({ path }) => path.join('/')));
  const now = new Map(leavesOf(parsed(format, text)));
  for (const [path, value] of leavesOf(parsed(format, before))) if (!replaced.includes(path)) expect(now.get(path), path).toEqual(value);
  for (const comment of commentsOf(format, before)) expect(text).toContain(comment);
  for (const number of before.match(/\d{12,}|9_\d+/g) ?? []) expect(text).toContain(number);
  return text;
}

function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}/${name}`));
}

function commentsOf(format: FileFormat, text: string): readonly string[] {
  if (format === 'json') return [];
  return text.match(format === 'jsonc' ? /\/\/.*|\/\*.*?\*\// : /#.*/g) ?? [];
}

async function expectStatus({ ok }: CodingHome, id: string): Promise<void> {
  const { stdout } = await ok(['coding', 'status', '--json']);
  const rows = JSON.parse(stdout) as { tool: string; state: string; account: string; values: Tree[] }[];
  expect(rows.length).toBeGreaterThan(0);
  for (const { tool, state, account } of rows) expect({ tool, state, account }).toEqual({ tool: id, state: 'set', account: 'work' });
}

describe('the whole system prompt of Claude Code', () => {
  const name = 'CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT';
  const file = '.claude/settings.json';

  test.each([
    ['nothing', undefined, '0', /Start it with `claude`\. CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT=0 sends all of its system prompt/],
    ['the same', '0', '0', /^(?!.*is set)/s],
    ['a part', '1', '1', /env\.CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT is set in .*, and the model gets a part of the system prompt/],
  ])('is set unless the user has %s: named, found by doctor, and given back', async (_title, before, loaded, told) => {
    const user = await codingHome();
    if (before !== undefined) await user.put(file, `{"env": {"${name}": "${before}"}}`);
    const start = await user.tree();
    const { stdout, stderr } = await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
    const valueNow = async (): Promise<unknown> => valueAt(parsed('json', await readFile(user.at(file), 'utf8')), `env/${name}`);
    expect(await valueNow()).toBe(loaded);
    expect(stdout + stderr).toMatch(told);
    const doctor = await user.sh(['coding', 'doctor', 'claude-code']);
    expect([doctor.code, doctor.stdout.includes(`env.${name} is set`)]).toEqual([0, loaded !== '0']);
    await user.ok(['coding', 'unload', 'claude-code', '--yes']);
    expect(await user.tree()).toEqual(start);
  });

  test('a value that is gone is a problem for doctor', async () => {
    const user = await codingHome();
    await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
    const text = await readFile(user.at(file), 'utf8');
    await user.put(file, text.replace(new RegExp(`,?\\s*"${name}": "0"`), ''));
    expect((await user.sh(['coding', 'doctor', 'claude-code'])).stdout).toContain(`env.${name} is gone`);
  });
});
