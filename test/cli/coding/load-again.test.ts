// A wired file later: another `load`, changes of the user, tools that write their files anew.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { parsed, valueAt } from './support/checks.ts';
import { codingHome, filesWith, key, otherKey } from './support/home.ts';
import { samples } from './support/samples.ts';

const all = wiredTools.map(({ id, keyModes, mcp }) => ({ id, keyModes, hasMcp: mcp !== undefined }));

describe.each(all)('$id', ({ id, keyModes }) => {
  const own = samples[id] ?? [];

  test(`the key by ${keyModes.join(', ')}: each mode after the other, then back`, async () => {
    const user = await codingHome();
    for (const { file, text } of own) await user.put(file, text);
    const before = await user.tree();
    for (const mode of [...keyModes, keyModes[0] as string]) {
      const { stderr } = await user.ok(['coding', 'load', id, '--yes', '--no-check', '--key-mode', mode]);
      expect(stderr).not.toContain(key);
      const loaded = await user.tree();
      expect(filesWith(loaded, key), mode).toHaveLength(mode === 'plain' ? 1 : 0);
      expect(filesWith(loaded, 'accounts').length > 0, mode).toBe(mode === 'helper');
      expect((await user.record()).entries.map(({ keyMode }) => keyMode)).toEqual((await user.record()).entries.map(() => mode));
    }
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
  });

  test('load again with another model and account, then back', async () => {
    const user = await codingHome();
    for (const { file, text } of own) await user.put(file, text);
    const before = await user.tree();
    const plain = keyModes.includes('plain') ? ['--key-mode', 'plain'] : [];
    await user.ok(['coding', 'load', id, '--yes', '--no-check', ...plain]);
    await user.ok(['coding', 'load', id, '--yes', '--no-check', ...plain, '--account', 'other', '-m', 'glm-0', '--small-model', 'glm-0-air']);
    const loaded = await user.tree();
    expect(filesWith(loaded, key)).toEqual([]);
    expect(filesWith(loaded, otherKey)).toHaveLength(plain.length > 0 ? 1 : 0);
    expect(filesWith(loaded, 'glm-5.3')).toEqual([]);
    expect(filesWith(loaded, 'glm-0').length).toBeGreaterThan(0);
    await user.ok(['coding', 'load', id, '--yes', '--no-check', ...plain, '--account', 'other', '-m', 'glm-0', '--small-model', 'glm-0-air']);
    expect(await user.tree(), 'a third load changes no byte').toEqual(loaded);
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
  });
});

const jsonTools = ['claude-code', 'opencode', 'kilo', 'crush', 'droid', 'cline', 'pi', 'qwen', 'zed'];

describe.each(jsonTools)('%s writes its files anew', (id) => {
  test.each([
    ['with its usual indentation', 2],
    ['on one line', undefined],
  ])('%s: unload removes our values and no other', async (_, indent) => {
    const user = await codingHome();
    const own = samples[id] ?? [];
    for (const { file, text } of own) await user.put(file, text);
    await user.ok(['coding', 'load', id, '--yes', '--no-check']);
    for (const { file, format } of own) {
      const document = parsed(format, await readFile(user.at(file), 'utf8')) as Record<string, unknown>;
      await writeFile(user.at(file), `${JSON.stringify({ $schema: 'x', ...document, added: { by: 'the tool' } }, null, indent)}\n`);
    }
    const { stdout } = await user.ok(['coding', 'unload', id, '--yes']);
    expect(stdout).not.toContain('left alone');
    for (const { file, format, text } of own)
      expect(parsed(format, await readFile(user.at(file), 'utf8')), file).toEqual({
        $schema: 'x',
        ...(parsed(format, text) as Record<string, unknown>),
        added: { by: 'the tool' },
      });
    expect(await user.record()).toMatchObject({ entries: [] });
  });
});

test('the time that Cline writes at every run goes with unload: without it Cline drops its whole file', async () => {
  const user = await codingHome();
  for (const { file, text } of samples['cline'] ?? []) await user.put(file, text);
  const before = await user.tree();
  await user.ok(['coding', 'load', 'cline', '--yes', '--no-check']);
  const file = user.at('.cline/data/settings/providers.json');
  const stamp = new Date(0).toISOString();
  const loaded = await readFile(file, 'utf8');
  expect(loaded).toContain(stamp);
  await writeFile(file, loaded.replace(stamp, '2026-11-22T01:33:51.893Z'));
  expect((await user.ok(['coding', 'status', 'cline', '--json'])).stdout).not.toContain('"changed"');
  await user.ok(['coding', 'load', 'cline', '--yes', '--no-check', '-m', 'glm-0']);
  await writeFile(file, (await readFile(file, 'utf8')).replace(stamp, '2026-11-22T02:33:51.893Z'));
  const { stdout } = await user.ok(['coding', 'unload', 'cline', '--yes']);
  expect(stdout).not.toContain('left alone');
  expect(await user.tree()).toEqual(before);
});

interface Edit {
  readonly id: string;
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
  /** Values after `unload`, by path. */
  readonly after: Readonly<Record<string, unknown>>;
  readonly named: string;
}

const edits: readonly Edit[] = [
  {
    id: 'claude-code',
    file: '.claude/settings.json',
    from: '"https://api.z.ai/api/anthropic"',
    to: '"https://mine.example", "MINE": "1"',
    after: { 'env/ANTHROPIC_BASE_URL': 'https://mine.example', 'env/MINE': '1', 'env/API_TIMEOUT_MS': undefined, apiKeyHelper: undefined },
    named: 'env.ANTHROPIC_BASE_URL',
  },
  {
    id: 'codex',
    file: '.codex/modelsvc.config.toml',
    from: 'wire_api = "responses"',
    to: 'wire_api = "chat"\nmine = 1',
    after: { 'model_providers/modelsvc/wire_api': 'chat', 'model_providers/modelsvc/mine': 1, 'model_providers/modelsvc/base_url': undefined },
    named: 'model_providers.modelsvc.wire_api',
  },
  {
    id: 'crush',
    file: '.config/crush/crush.json',
    from: /"type": ?"openai-compat"/,
    to: '"type": "openai", "mine": 1',
    after: { 'providers/modelsvc/type': 'openai', 'providers/modelsvc/mine': 1, 'providers/modelsvc/base_url': undefined },
    named: 'providers.modelsvc.type',
  },
  {
    id: 'continue',
    file: '.continue/config.yaml',
    from: /( +)provider: openai\n/,
    to: '$1provider: anthropic\n$1mine: 1\n',
    after: { 'models/name=glm-5.3 (modelsvc)/provider': 'anthropic', 'models/name=glm-5.3 (modelsvc)/mine': 1, 'models/name=Llama/model': 'llama' },
    named: 'models[name=glm-5.3 (modelsvc)].provider',
  },
];

describe('a change of the user inside our block', () => {
  test.each(edits)('$id: stays, with its neighbor, and is named; --force restores it', async ({ id, file, from, to, after, named }) => {
    const user = await codingHome();
    const sample = (samples[id] ?? []).find((one) => one.file === file);
    for (const one of samples[id] ?? []) await user.put(one.file, one.text);
    await user.ok(['coding', 'load', id, '--yes', '--no-check']);
    const text = await readFile(user.at(file), 'utf8');
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    await writeFile(user.at(file), changed);
    const { stdout } = await user.ok(['coding', 'unload', id, '--yes']);
    expect(stdout).toContain(`${named} was changed by another program and is left alone`);
    const format = sample?.format ?? 'json';
    const left = parsed(format, await readFile(user.at(file), 'utf8'));
    for (const [path, value] of Object.entries(after)) expect(valueAt(left, path), path).toEqual(value);
    const status = await user.ok(['coding', 'status', id, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject([{ state: 'changed', values: [{ state: 'changed' }] }]);
    await user.ok(['coding', 'unload', id, '--yes', '--force']);
    const forced = parsed(format, await readFile(user.at(file), 'utf8'));
    const original = parsed(format, sample?.text ?? '');
    const path = Object.keys(after)[0] ?? '';
    expect(valueAt(forced, path)).toEqual(valueAt(original, path));
    expect(valueAt(forced, Object.keys(after)[1] ?? ''), 'the added value stays').toEqual(Object.values(after)[1]);
    expect(await user.record()).toMatchObject({ entries: [] });
  });
});

test('--forget leaves a changed value for good', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'crush', '--yes', '--no-check']);
  const file = user.at('.config/crush/crush.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('openai-compat', 'openai'));
  const { stdout } = await user.ok(['coding', 'unload', 'crush', '--yes', '--forget']);
  expect(stdout).toContain('providers.modelsvc.type was changed by another program and is left alone\n');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ providers: { modelsvc: { type: 'openai' } } });
  expect(await user.record()).toMatchObject({ entries: [] });
  expect((await user.sh(['coding', 'unload', 'crush', '--yes', '--force', '--forget'])).code).toBe(2);
});

test('codex --default changes config.toml, and the profile is taken back', async () => {
  const user = await codingHome();
  for (const { file, text } of samples['codex'] ?? []) await user.put(file, text);
  const before = await user.tree();
  await user.ok(['coding', 'load', 'codex', '--yes', '--no-check']);
  await user.ok(['coding', 'load', 'codex', '--yes', '--no-check', '--default']);
  const loaded = await user.tree();
  expect(loaded['.codex/modelsvc.config.toml']).toBe(before['.codex/modelsvc.config.toml']);
  expect(parsed('toml', await readFile(user.at('.codex/config.toml'), 'utf8'))).toMatchObject({ model: 'glm-5.3', model_provider: 'modelsvc' });
  await user.ok(['coding', 'load', 'codex', '--yes', '--no-check']);
  expect((await user.tree())['.codex/config.toml'], 'without --default the default is restored').toBe(before['.codex/config.toml']);
  await user.ok(['coding', 'unload', 'codex', '--yes']);
  expect(await user.tree()).toEqual(before);
});

test('the helper command that Claude Code runs prints the key', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  const { apiKeyHelper } = JSON.parse(await readFile(user.at('.claude/settings.json'), 'utf8')) as { apiKeyHelper: string };
  expect(execFileSync('/bin/sh', ['-c', apiKeyHelper], { env: user.env, cwd: '/', encoding: 'utf8' }).trim()).toBe(key);
});
