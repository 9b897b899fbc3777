// The state of values in files, as `status` shows it. `doctor.test.ts` and `load-again.test.ts` have values that others changed.
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hasPty, runInPty } from '../support/pty.ts';
import { codingHome } from './support/home.ts';

test('values that a killed process has not written are unwritten, and values of others are not a change by this program', async () => {
  const user = await codingHome();
  await user.ok(['coding', 'load', 'crush', '--yes', '--no-check']);
  const data = await user.record();
  const entries = data.entries.map((entry) => ({ ...entry, state: 'writing' }));
  await writeFile(user.at('.config/modelsvc/coding.json'), JSON.stringify({ version: 1, ...data, entries }), { mode: 0o600 });
  const state = async (): Promise<unknown> => JSON.parse((await user.ok(['coding', 'status', '--json'])).stdout);
  expect(await state()).toMatchObject([{ state: 'set' }]);
  await user.put('.config/crush/crush.json', '{}');
  expect(await state()).toMatchObject([{ state: 'unwritten' }]);
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
