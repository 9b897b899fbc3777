// The state of values in files, as `status` and `doctor` show it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf, type RecordEntry } from '../../../src/cli/coding/record.ts';
import { statusOf } from '../../../src/cli/coding/status.ts';
import { hasPty, runInPty } from '../support/pty.ts';
import { codingHome } from './support/home.ts';

let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'modelsvc-status-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function statesOf(text: string | undefined, progress: RecordEntry['state']): Promise<string[]> {
  const file = join(folder, 'settings.json');
  if (text !== undefined) await writeFile(file, text);
  const edits = ['a', 'b'].map((name) => ({ path: [name], hashes: [hashOf(`our ${name}`)] }));
  const facts = { tool: 'crush', part: 'load', keyMode: 'env', version: '0', time: '' };
  const { state, values, problem } = await statusOf({ ...facts, file, format: 'json', state: progress, edits });
  return [state, ...values.map((value) => value.state), ...(problem === undefined ? [] : [problem.replace(file, 'FILE')])];
}

test.each([
  ['{"a":"our a","b":"our b"}', 'written', ['set', 'set', 'set']],
  ['{"a":"our a","b":"mine"}', 'written', ['changed', 'set', 'changed']],
  ['{"b":"our b"}', 'written', ['gone', 'gone', 'set']],
  [undefined, 'written', ['gone', 'gone', 'gone']],
  ['{"b":"mine"}', 'writing', ['unwritten', 'unwritten', 'unwritten']],
  ['{"a":"our a","b":"our b"}', 'writing', ['set', 'set', 'set']],
] as const)('%s, %s', async (text, progress, expected) => {
  expect(await statesOf(text, progress)).toEqual(expected);
});

test('a file that cannot be read is named', async () => {
  const [state, problem] = await statesOf('{', 'written');
  expect(state).toBe('unreadable');
  expect(problem).toMatch(/^FILE .*line 1/);
});

test.runIf(hasPty)('a terminal of 40 columns has a line for each tool', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'claude-code', 'codex', '--yes']);
  await user.ok(['coding', 'mcp', 'add', 'claude-code', '--yes', '--server', 'search', '--server', 'reader']);
  const screenOf = async (...args: string[]): Promise<string[]> =>
    (await runInPty(['coding', ...args, '--color', 'never'], { env: user.env, columns: 40 })).screen.trimEnd().split('\r\n');
  const [head = '', claude, codex] = await screenOf('status', '--quiet');
  expect(head).toMatch(/^TOOL +WIRED +STATE/);
  expect(claude).toMatch(/^claude-code +model \+ 2 MCP +set/);
  expect(codex).toMatch(/^codex +model +set/);
  const tools = await screenOf('tools', '--quiet');
  expect(tools.filter((line) => line.startsWith('claude-code'))).toHaveLength(1);
  const doctor = await screenOf('doctor');
  // Paths and addresses are longer than the screen.
  for (const line of [head, ...tools, ...doctor.filter((one) => !/\S{30}/.test(one))]) expect(line.length, line).toBeLessThanOrEqual(40);
});
