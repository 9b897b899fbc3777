// `coding load --all-installed`: every tool on the machine in one transaction.
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { ends } from '../support/in-process.ts';
import { codingHome } from './support/home.ts';

const load = ['coding', 'load', '--all-installed', '--yes', '--no-check'];

test('wires the tools that are here and no others, and unload restores them all', async () => {
  const user = await codingHome();
  for (const { id, program = '' } of wiredTools) if (id !== 'crush' && id !== 'aider') await rm(user.at('bin', program), { force: true });
  const before = await user.tree();
  const { stdout, stderr } = await user.ok(load);
  expect(stdout).toMatch(/^Crush uses glm-5\.3 at .*coding\/paas\/v4/m);
  expect(stderr, 'a tool off the list is named with its bill').toContain("Aider is not on the plan's list of tools");
  expect(new Set((await user.record()).entries.map(({ tool }) => tool))).toEqual(new Set(['crush', 'aider']));
  await user.ok(['coding', 'unload', 'crush', 'aider', '--yes']);
  expect(await user.tree()).toEqual(before);
});

test('refuses a name with it, and a machine without tools', async () => {
  const user = await codingHome();
  expect(await user.sh([...load, 'crush'])).toMatchObject({ code: 2, stdout: '' });
  for (const { program } of wiredTools) if (program !== undefined) await rm(user.at('bin', program));
  expect(await user.sh(load)).toMatchObject(ends(4, 'no tool that can be wired is on this machine'));
  expect(await user.sh(['coding', 'load', '--yes'])).toMatchObject({ code: 2 });
});
