// Accounts that tools are wired with.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { expect, it } from 'vitest';
import { type Ended, newHome, run } from '../support/in-process.ts';

async function wiredHome(): Promise<(...args: string[]) => Promise<Ended>> {
  const home = await newHome();
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'crush'), '#!/bin/sh\necho 1.0.0\n');
  await chmod(join(home, 'bin', 'crush'), 0o755);
  await writeFile(join(home, 'key.txt'), `${fakeKey}\n`);
  const modelsvc = (...args: string[]): Promise<Ended> =>
    run(args, { cwd: home, env: { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}` } });
  expect((await modelsvc('accounts', 'add', 'work', '--api-key-file', 'key.txt', '--no-validate')).code).toBe(0);
  expect((await modelsvc('coding', 'load', 'crush', '--yes', '--no-check')).code).toBe(0);
  return modelsvc;
}

it('rename names the tools that ask for the key by the old name', async () => {
  const modelsvc = await wiredHome();
  const { stderr, code } = await modelsvc('accounts', 'rename', 'work', 'office');
  expect(code).toBe(0);
  expect(stderr).toBe('modelsvc: crush is wired with account work. Run `modelsvc coding load crush`.\n');
  expect((await modelsvc('coding', 'load', 'crush', '--yes', '--no-check')).code).toBe(0);
  expect((await modelsvc('accounts', 'rename', 'office', 'home')).stderr).toContain('crush is wired with account office');
});

it('remove names them too', async () => {
  const modelsvc = await wiredHome();
  const { stderr, code } = await modelsvc('accounts', 'remove', 'work', '--yes');
  expect(code).toBe(0);
  expect(stderr).toContain('crush is wired with account work. Run `modelsvc coding unload crush`.');
  expect((await modelsvc('coding', 'unload', 'crush', '--yes')).code).toBe(0);
  expect((await modelsvc('coding', 'status')).stderr).toBe('No tool is wired by this program.\n');
});
