// Accounts that tools are wired with.
import { expect, test } from 'vitest';
import { codingHome } from './support/home.ts';

test('rename and remove name the tools that ask for the key by the old name', async () => {
  const { ok } = await codingHome();
  const load = ['coding', 'load', 'crush', '--yes', '--no-check'];
  const said = async (...args: string[]): Promise<string> => (await ok(['accounts', ...args])).stderr;
  await ok(load);
  const reload = 'Run `modelsvc coding load crush`.\n';
  expect(await said('rename', 'work', 'office')).toBe(`modelsvc: crush is wired with account work. ${reload}`);
  await ok(load);
  expect(await said('rename', 'office', 'home')).toBe(`modelsvc: crush is wired with account office. ${reload}`);
  await ok(load);
  expect(await said('remove', 'home', '--yes')).toContain('crush is wired with account home. Run `modelsvc coding unload crush`.');
  await ok(['coding', 'unload', 'crush', '--yes']);
  expect((await ok(['coding', 'status'])).stderr).toBe('No tool is wired by this program.\n');
});
