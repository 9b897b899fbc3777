// Every row of every tool's list of rivals, planted: `load` and `doctor` name it, `load` sets its value, and `unload` gives the file back.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { stringify as tomlText } from 'smol-toml';
import { expect, test } from 'vitest';
import type { Path } from '../../../src/cli/coding/edits/edit.ts';
import { find, wrapped } from '../../../src/cli/coding/edits/values.ts';
import type { KeyMode } from '../../../src/cli/coding/key-source.ts';
import { shownPath } from '../../../src/cli/coding/masked.ts';
import type { RecordEntry } from '../../../src/cli/coding/record.ts';
import { rivalsIn } from '../../../src/cli/coding/rivals.ts';
import type { Rival } from '../../../src/cli/coding/tool.ts';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { parsed } from './support/checks.ts';
import { type CodingHome, codingHome, key } from './support/home.ts';

const env = { SVC_API_KEY: key, ZHIPU_API_KEY: key, AIDER_OPENAI_API_KEY: key, MODELSVC_API_KEY: key };

/** Names for `*`, and values: the first that the row means is planted. */
const names = ['build', 'write', 'zz', 'OPENAI_API_BASE', 'provider'];
const other = { id: 'glm-5.3', name: 'other', provider: 'y', model: 'z', baseUrl: 'https://other.example' };
const values = [['x'], 'x', true, false, ['modelsvc', 'x'], ['openai=x'], ['OPENAI_X=1'], 'modelsvc', [other]];

interface Planted {
  readonly path: Path;
  readonly value: unknown;
}

function plantOf(row: Rival, rows: readonly Rival[]): Planted {
  const isRow = (path: Path, value: unknown): boolean => {
    const all = row.files ? [{ ...row, files: undefined } as unknown as Rival] : rows;
    return rivalsIn(wrapped(path, value), all).some((one) => String(one.path) === String(path) && one.effect === row.effect);
  };
  const paths = names.map((name) => (row.path ?? []).map((step) => (step === '*' ? name : step)));
  for (const path of paths) for (const value of values) if (isRow(path, value)) return { path, value };
  throw new Error(`no value is meant by ${JSON.stringify(row.path)}`);
}

function textOf(format: Rival['format'], { path, value }: Planted): string {
  if (format === 'env') return `# x\nexport ${path[0]}=x\n`;
  if (format === 'words') return `# x\n ${path[0]} x\n`;
  return format === 'toml' ? tomlText(wrapped(path, value) as object) : `${JSON.stringify(wrapped(path, value))}\n`;
}

/** A document with a value at a path, as another program writes it. Items of lists come first. */
function grafted(document: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return Array.isArray(value) && Array.isArray(document) ? [...value, ...document] : value;
  if (typeof step === 'string')
    return { ...(document as object), [step]: grafted((document as Record<string, unknown> | undefined)?.[step], rest, value) };
  const list = (document as object[] | undefined) ?? [];
  const at = list.findIndex((item) => find([item], [step, Object.keys(step)[0] ?? '']) !== undefined);
  return at < 0 ? [wrapped([step, ...rest], value)].flat() : list.with(at, grafted(list[at], rest, value) as object);
}

interface Loaded {
  readonly id: string;
  readonly keyMode: KeyMode;
  readonly user: CodingHome;
  readonly entries: readonly RecordEntry[];
  readonly rows: readonly Rival[];
}

const loadOf = (id: string, keyMode: KeyMode): string[] => ['coding', 'load', id, '--key-mode', keyMode, '--yes', '--no-check', '--account', 'work'];

async function loaded(id: string, keyMode: KeyMode): Promise<Loaded> {
  const user = await codingHome();
  await user.ok(loadOf(id, keyMode));
  const { entries } = await user.record();
  const machine = { platform: process.platform, env: user.env, home: user.home, cwd: user.at('project'), exists: existsSync };
  const aim = { machine, root: entries[0]?.root ?? '', model: 'glm-5.3', smallModel: 'glm-5.3-flash', keyMode };
  return { id, keyMode, user, entries, rows: wiredTools.find((tool) => tool.id === id)?.rivals?.(aim) ?? [] };
}

async function expectDoctor(
  user: CodingHome,
  id: string,
  said: string,
  isPartial = false,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, stdout } = await user.sh(['coding', 'doctor', id], { env: { ...env, ...more } });
  expect(stdout).toContain(said);
  expect(code, stdout).toBe(isPartial ? 0 : 1);
}

/** Rows that an earlier way to pass the key did not have. */
function newRows(rows: readonly Rival[], seen: Set<string>): readonly Rival[] {
  const keyOf = ({ path, variable, files, effect }: Rival): string => JSON.stringify([path, variable, files?.map((file) => basename(file)), effect]);
  const fresh = rows.filter((row) => !seen.has(keyOf(row)));
  for (const row of rows) seen.add(keyOf(row));
  return fresh;
}

test.each(wiredTools.map(({ id, keyModes }) => ({ id, keyModes })))('$id', async ({ id, keyModes }) => {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const keyMode of keyModes) {
    const loadedUser = await loaded(id, keyMode);
    for (const row of newRows(loadedUser.rows, seen)) {
      if (row.variable !== undefined) lines.push(await ofVariable(loadedUser, row, row.variable));
      else if (row.files) lines.push(await ofFiles(loadedUser, row, row.files));
      else lines.push(await ofSetting(loadedUser, row));
    }
  }
  expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
});

/** A setting in a file of load: before load, and set by another program after it. */
async function ofSetting({ user, id, keyMode, entries, rows }: Loaded, row: Rival): Promise<string> {
  const { effect, isPartial, value } = row;
  const { file, format } = entries.find((entry) => entry.file.endsWith(row.in ?? '')) as RecordEntry;
  const plant = plantOf(row, rows);
  const shown = shownPath(plant.path, row.path);
  const fresh = await codingHome();
  const own = file.replace(user.home, fresh.home);
  const before = textOf(format, plant);
  await fresh.put(relative(fresh.home, own), before);
  const { stderr } = await fresh.ok(loadOf(id, keyMode), { env });
  const now = find(structuredClone(parsed(format, await readFile(own, 'utf8'))), plant.path);
  if (value === undefined) expect(stderr).toContain(`${id}: ${shown} is set in ${own}, and ${effect}\n`);
  else {
    expect(stderr).toContain(`${id}: ${shown} in ${own} gets another value until \`unload\`, because ${effect}\n`);
    expect((await fresh.ok(['coding', 'doctor', id], { env })).stdout).not.toContain('is set in');
    await fresh.ok(['coding', 'unload', id, '--yes']);
    expect(await readFile(own, 'utf8')).toBe(before);
  }
  const text = await readFile(file, 'utf8');
  const grown = grafted(parsed(format, text), plant.path, plant.value);
  await user.put(relative(user.home, file), format === 'toml' ? tomlText(grown as object) : JSON.stringify(grown), 0o600);
  await expectDoctor(user, id, `${shown} is set in ${file}, and ${effect}`, isPartial);
  await user.put(relative(user.home, file), text, 0o600);
  return `${shown}: ${value === undefined ? `named${isPartial ? ', a part' : ''}` : JSON.stringify(now)}`;
}

async function ofVariable({ user, id, keyMode }: Loaded, { effect, isPartial }: Rival, variable: string): Promise<string> {
  const { stderr } = await user.ok(loadOf(id, keyMode), { env: { ...env, [variable]: 'x' } });
  expect(stderr).toContain(`${id}: ${variable} is set, and ${effect}\n`);
  await expectDoctor(user, id, `${variable} is set, and ${effect}`, isPartial, { [variable]: 'x' });
  return `$${variable}${isPartial ? ', a part' : ''}`;
}

/** Each of the files in the home that comes before the wired one. */
async function ofFiles({ user, id, keyMode, entries, rows }: Loaded, row: Rival, files: readonly string[]): Promise<string> {
  const [{ format, edits }] = entries as [RecordEntry];
  const own = entries.map(({ file }) => file);
  const wired = files.findIndex((file) => own.includes(file));
  const path = edits.find((edit) => edit.path.length > 1 || edit.path[0] === 'model')?.path as Path;
  const plant = row.path ? plantOf(row, rows) : { path, value: 'other' };
  for (const file of files.slice(0, wired < 0 ? files.length : wired).filter((one) => one.startsWith(user.home))) {
    await user.put(relative(user.home, file), textOf(row.format ?? format, plant));
    await expectDoctor(user, id, `${file} exists, and ${row.effect}`, row.isPartial);
    const { stderr } = await user.ok(loadOf(id, keyMode), { env });
    // A new file of the user that comes first is wired instead of the old one.
    if (wired < 0) expect(stderr).toContain(`${id}: ${file} exists, and ${row.effect}\n`);
    else expect((await user.record()).entries.map((entry) => entry.file)).toEqual([file]);
    await rm(file);
    await user.ok(loadOf(id, keyMode), { env });
  }
  return `${files.map((one) => one.replace(user.home, '~')).join(' ')}${row.path ? `: ${shownPath(row.path, row.path)}` : ''}`;
}

test.each<[string, string, string]>([
  ['claude-code', '.claude/settings.json', '{"model":"opus[1m]","env":{"ANTHROPIC_MODEL":"sonnet"},"availableModels":[]}'],
  ['claude-code', '.claude.json', '{"model":"x","availableModels":["y"],"env":{"ANTHROPIC_MODEL":"x"}}'],
  ['goose', '.config/goose/custom_providers/modelsvc.json', '{"GOOSE_LEAD_MODEL":"x"}'],
  ['codex', '.codex/modelsvc.config.toml', '[model_providers.modelsvc]\nrequires_openai_auth = false\n'],
  ['opencode', '.config/opencode/opencode.json', '{"agent":{"build":{"model":"modelsvc/glm-5.3"},"review":{}},"enabled_providers":["modelsvc"]}'],
  ['pi', '.pi/agent/settings.json', '{"enabledModels":["modelsvc/*"]}'],
  ['aider', '.aider.conf.yml', 'sonnet: false\napi-key: [gemini=x]\nset-env: [X=y]\n'],
  ['zed', '.config/zed/settings.json', '{"agent":{"profiles":{"ask":{"default_model":{"provider":"a","model":"b"}}}},"disable_ai":false}'],
  ['droid', '.factory/settings.json', '{"model":"custom:glm-5.3"}'],
])('%s: %s with %s has no rival', async (id, file, text) => {
  const user = await codingHome();
  await user.put(file, text);
  const { stderr } = await user.ok(['coding', 'load', id, '--yes', '--no-check', '--account', 'work'], { env });
  expect(stderr).not.toMatch(/is set in|another value/);
  expect((await user.ok(['coding', 'doctor', id], { env })).stdout).not.toContain('is set in');
});

test.each<[string, string, string, Path, string]>([
  [
    'opencode',
    '.config/opencode/opencode.json',
    '{"default_agent":"me","agent":{"me":{"model":"a/b"}}}',
    ['agent', 'me', 'model'],
    'modelsvc/glm-5.3',
  ],
  [
    'zed',
    '.config/zed/settings.json',
    '{"agent":{"default_profile":"ask","profiles":{"ask":{"default_model":{"model":"b"}}}}}',
    ['agent', 'profiles', 'ask', 'default_model', 'model'],
    'glm-5.3',
  ],
])('%s: %s with %s chooses the rival by another setting', async (id, file, text, path, value) => {
  const user = await codingHome();
  await user.put(file, text);
  await user.ok(loadOf(id, 'env'), { env });
  expect(find(parsed('jsonc', await readFile(user.at(file), 'utf8')), path)).toBe(value);
});

test('a rival that another program sets after load is replaced by the next load', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  const text = await readFile(user.at('.claude/settings.json'), 'utf8');
  await user.put('.claude/settings.json', text.replace('{', '{"model": "claude-x-5",'), 0o600);
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  await user.ok(['coding', 'doctor', 'claude-code']);
});

test('status names a setting of a file of load', async () => {
  const user = await codingHome();
  await user.put('.aider.conf.yml', 'env-file: x\n');
  await user.ok(loadOf('aider', 'env'), { env });
  expect((await user.ok(['coding', 'status'])).stderr).toContain('env-file is set in');
});
