// A wired file later: another `load`, changes of the user, tools that write their files again.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { parsed, valueAt } from './support/checks.ts';
import { codingHome, filesWith, key, otherKey } from './support/home.ts';
import { samples } from './support/samples.ts';

const load = (id: string, ...more: readonly string[]): string[] => ['coding', 'load', id, '--yes', '--no-check', ...more];
const unload = (id: string, ...more: readonly string[]): string[] => ['coding', 'unload', id, '--yes', ...more];

describe.each(wiredTools.map(({ id, keyModes }) => ({ id, keyModes })))('$id', ({ id, keyModes }) => {
  test(`the key by ${keyModes.join(', ')}: each mode after the other, then back`, async () => {
    const user = await codingHome({ settings: id });
    const before = await user.tree();
    for (const mode of [...keyModes, keyModes[0] as string]) {
      const { stderr } = await user.ok(load(id, '--key-mode', mode));
      expect(stderr).not.toContain(key);
      const loaded = await user.tree();
      expect(filesWith(loaded, key), mode).toHaveLength(mode === 'plain' ? 1 : 0);
      expect(filesWith(loaded, 'accounts').length > 0, mode).toBe(mode === 'helper');
      expect(new Set((await user.record()).entries.map(({ keyMode }) => keyMode))).toEqual(new Set([mode]));
    }
    await user.ok(unload(id));
    expect(await user.tree()).toEqual(before);
  });

  test('load again with another model and account, then back', async () => {
    const user = await codingHome({ settings: id });
    const before = await user.tree();
    const plain = keyModes.includes('plain') ? ['--key-mode', 'plain'] : [];
    await user.ok(load(id, ...plain));
    const again = load(id, ...plain, '--account', 'other', '-m', 'glm-0', '--small-model', 'glm-0-air');
    await user.ok(again);
    const loaded = await user.tree();
    expect(filesWith(loaded, key)).toEqual([]);
    expect(filesWith(loaded, otherKey)).toHaveLength(plain.length > 0 ? 1 : 0);
    expect(filesWith(loaded, 'glm-5.3')).toEqual([]);
    expect(filesWith(loaded, 'glm-0').length).toBeGreaterThan(0);
    await user.ok(again);
    expect(await user.tree(), 'a third load changes no byte').toEqual(loaded);
    await user.ok(unload(id));
    expect(await user.tree()).toEqual(before);
  });
});

test('the time that Cline writes at every run goes with unload: without it Cline drops its whole file', async () => {
  const user = await codingHome({ settings: 'cline' });
  const before = await user.tree();
  const file = user.at('.cline/data/settings/providers.json');
  const stamp = new Date(0).toISOString();
  for (const [time, ...more] of [['2026-11-22T01:33:51.893Z'], ['2026-11-22T02:33:51.893Z', '-m', 'glm-0']] as const) {
    await user.ok(load('cline', ...more));
    const loaded = await readFile(file, 'utf8');
    expect(loaded).toContain(stamp);
    await writeFile(file, loaded.replace(stamp, time));
    expect((await user.ok(['coding', 'status', 'cline', '--json'])).stdout).not.toContain('"changed"');
  }
  expect((await user.ok(unload('cline'))).stdout).not.toContain('left alone');
  expect(await user.tree()).toEqual(before);
});

/** A change of the user in a file, and values after `unload` by path: the changed one, one that was added, and others. */
type Edit = readonly [
  id: string,
  file: string,
  change: readonly [from: string | RegExp, to: string],
  after: Readonly<Record<string, unknown>>,
  named: string,
];
const wire = 'model_providers/modelsvc';
const crush = 'providers/modelsvc';
const model = 'models/name=glm-5.3 (modelsvc)';
const edits: readonly Edit[] = [
  [
    'claude-code',
    '.claude/settings.json',
    ['"https://api.z.ai/api/anthropic"', '"https://mine.example", "MINE": "1"'],
    { 'env/ANTHROPIC_BASE_URL': 'https://mine.example', 'env/MINE': '1', 'env/API_TIMEOUT_MS': undefined, apiKeyHelper: undefined },
    'env.ANTHROPIC_BASE_URL',
  ],
  [
    'codex',
    '.codex/modelsvc.config.toml',
    ['wire_api = "responses"', 'wire_api = "chat"\nmine = 1'],
    { [`${wire}/wire_api`]: 'chat', [`${wire}/mine`]: 1, [`${wire}/base_url`]: undefined },
    'model_providers.modelsvc.wire_api',
  ],
  [
    'crush',
    '.config/crush/crush.json',
    [/"type": ?"openai-compat"/, '"type": "openai", "mine": 1'],
    { [`${crush}/type`]: 'openai', [`${crush}/mine`]: 1, [`${crush}/base_url`]: undefined },
    'providers.modelsvc.type',
  ],
  [
    'continue',
    '.continue/config.yaml',
    [/( +)provider: openai\n/, '$1provider: anthropic\n$1mine: 1\n'],
    { [`${model}/provider`]: 'anthropic', [`${model}/mine`]: 1, 'models/name=Llama/model': 'llama' },
    'models[name=glm-5.3 (modelsvc)].provider',
  ],
];

describe('a change of the user inside our block', () => {
  test.each(edits.map(([id, ...edit]) => ({ id, edit })))(
    '$id: stays, with its neighbor, and is named; --force restores it',
    async ({ id, edit }) => {
      const [file, [from, to], after, named] = edit;
      const user = await codingHome({ settings: id });
      const { format, text: original } = (samples[id] ?? []).find((one) => one.file === file) ?? { format: 'json', text: '' };
      const now = async (): Promise<unknown> => parsed(format, await readFile(user.at(file), 'utf8'));
      await user.ok(load(id));
      const text = await readFile(user.at(file), 'utf8');
      expect(text.replace(from, to)).not.toBe(text);
      await writeFile(user.at(file), text.replace(from, to));
      expect((await user.ok(unload(id))).stdout).toContain(`${named} was changed by another program and is left alone`);
      const left = await now();
      for (const [path, value] of Object.entries(after)) expect(valueAt(left, path), path).toEqual(value);
      const status = await user.ok(['coding', 'status', id, '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject([{ state: 'changed', values: [{ state: 'changed' }] }]);
      await user.ok(unload(id, '--force'));
      const forced = await now();
      const [[changed], [added, value]] = Object.entries(after) as [[string, unknown], [string, unknown]];
      expect(valueAt(forced, changed)).toEqual(valueAt(parsed(format, original), changed));
      expect(valueAt(forced, added), 'the added value stays').toEqual(value);
      expect(await user.record()).toMatchObject({ entries: [] });
    },
  );
});

test('a value that the user has set alike stays one of the user', async () => {
  const user = await codingHome();
  const file = user.at('.aider.conf.yml');
  await writeFile(file, 'model: openai/glm-5.3\n');
  await user.ok(load('aider'));
  await writeFile(file, (await readFile(file, 'utf8')).replace('openai/glm-5.3', 'mine'));
  expect((await user.ok(unload('aider'))).stdout).not.toContain('left alone');
  expect(await readFile(file, 'utf8')).toBe('model: mine\n');
});

test('--forget leaves a changed value for good', async () => {
  const user = await codingHome();
  await user.ok(load('crush'));
  const file = user.at('.config/crush/crush.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('openai-compat', 'openai'));
  const { stdout } = await user.ok(unload('crush', '--forget'));
  expect(stdout).toContain('providers.modelsvc.type was changed by another program and is left alone\n');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ providers: { modelsvc: { type: 'openai' } } });
  expect(await user.record()).toMatchObject({ entries: [] });
  expect((await user.sh(unload('crush', '--force', '--forget'))).code).toBe(2);
});

test('codex --default changes config.toml, and the profile is taken back', async () => {
  const user = await codingHome({ settings: 'codex' });
  const before = await user.tree();
  await user.ok(load('codex'));
  await user.ok(load('codex', '--default'));
  const loaded = await user.tree();
  expect(loaded['.codex/modelsvc.config.toml']).toBe(before['.codex/modelsvc.config.toml']);
  expect(parsed('toml', await readFile(user.at('.codex/config.toml'), 'utf8'))).toMatchObject({ model: 'glm-5.3', model_provider: 'modelsvc' });
  await user.ok(load('codex'));
  expect((await user.tree())['.codex/config.toml'], 'without --default the default is restored').toBe(before['.codex/config.toml']);
  await user.ok(unload('codex'));
  expect(await user.tree()).toEqual(before);
});
