import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeKey } from '../../src/testing/index.ts';
import { newHome, run, withFake } from './support/run.ts';

it.each([
  ['--retries', '-1'],
  ['--retries', '1.5'],
])('refuses %s %s before any request', async (...option) => {
  const { fake, modelsvc } = await withFake();
  const { stderr, code } = await modelsvc(['models', 'list', ...option]);
  expect({ code, requests: fake.requests.length }).toEqual({ code: 2, requests: 0 });
  expect(stderr).toContain('must be an integer of 0 or more');
});

it('reads a bundled -nq as -n and -q', async () => {
  const { fake, modelsvc } = await withFake();
  const { stdout, stderr, code } = await modelsvc(['models', 'list', '-nq']);
  expect({ stderr, code, requests: fake.requests.length }).toEqual({ stderr: '', code: 0, requests: 0 });
  expect(stdout).toContain('GET ');
});

it.skipIf(!existsSync('/proc/1'))('names a home in which no folder can be made, and ends', async () => {
  const home = await newHome();
  await writeFile(join(home, 'key.txt'), `${fakeKey}\n`);
  const { stderr, code } = await run(['accounts', 'add', 'work', '--api-key-file', join(home, 'key.txt'), '--no-validate'], {
    cwd: home,
    env: { HOME: '/proc/1', XDG_CONFIG_HOME: '' },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('cannot write the store');
});
