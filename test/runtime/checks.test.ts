import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pack, project } from '../../scripts/release/installed.ts';
import { bundlers } from '../../scripts/release/runtimes/bundlers.ts';
import { ownNode } from '../../scripts/release/runtimes/direct.ts';
import { openApp, type Runtime } from '../../scripts/release/runtimes/runtime.ts';
import { type Service, startService } from '../../scripts/release/runtimes/service.ts';
import { failures } from '../../scripts/release/runtimes/table.ts';
import { jestRecipe } from '../../scripts/release/runtimes/test-runners.ts';
import { checkNames, runChecks } from './checks/index.ts';
import type { World } from './checks/world.ts';

let service: Service;
let folder: string;
let tarball: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'));
  ({ tarball } = await pack(folder));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

test('there are 25 checks', () => {
  expect(checkNames).toHaveLength(25);
});

test('a check that fails is a failure with its reason', async () => {
  const modelsvc = await built();
  const broken: World['modelsvc'] = { ...modelsvc, newClient: (config) => modelsvc.newClient({ ...config, userAgent: 'other/1' }) };
  const [failed, ...others] = (await runChecks({ modelsvc: broken, ...service.places })).filter(({ ok }) => !ok);
  expect(others).toEqual([]);
  expect(failed).toMatchObject({ name: 'the User-Agent is sent', detail: expect.stringContaining('user-agent: "other/1"') });
});

test('the built package passes all in vitest', async () => {
  const results = await runChecks({ modelsvc: await built(), ...service.places });
  expect(failures({ name: 'vitest', version: '', results })).toEqual([]);
});

const esbuild = bundlers.filter(({ name }) => name === 'esbuild');

// The others take minutes to install: `npm run test:runtimes`.
test.each<Runtime>([ownNode, ...esbuild])('the packed package passes all in $name, also in CommonJS bundles and through a proxy', async (runtime) => {
  const app = await openApp(join(folder, runtime.name), [], tarball, service);
  let rows = 0;
  for await (const row of runtime.run(app)) {
    rows += 1;
    expect(failures(row), row.name).toEqual([]);
    expect(row.results, row.name).toHaveLength(25);
  }
  expect(rows).toBe(runtime.name === 'esbuild' ? 4 : 1);
});

// Jest itself is in `npm run test:runtimes`: it would add 273 packages to the lock file.
test('the packed package passes all in CommonJS, if the files that the recipe of Jest names are transformed', async () => {
  const app = await openApp(join(folder, 'transformed'), [], tarball, service);
  const { transformIgnorePatterns } = JSON.parse(await jestRecipe()) as { transformIgnorePatterns: [string] };
  const main = `
    const { readFileSync } = require('node:fs');
    const { transformSync } = require(${JSON.stringify(join(project, 'node_modules/esbuild'))});
    const ignored = new RegExp(${JSON.stringify(transformIgnorePatterns[0])});
    const transformed = [];
    const load = require.extensions['.js'];
    require.extensions['.js'] = (module, path) => {
      if (ignored.test(path)) {
        if (path.includes('/node_modules/') && /^(import|export) /m.test(readFileSync(path, 'utf8'))) throw new Error('Jest would not load ' + path);
        return load(module, path);
      }
      transformed.push(path);
      module._compile(transformSync(readFileSync(path, 'utf8'), { format: 'cjs', platform: 'node', target: 'node20' }).code, path);
    };
    const modelsvc = require('modelsvc');
    for (const entry of ['debug', 'fetch', 'node', 'testing']) require('modelsvc/' + entry);
    if (transformed.length < 5) throw new Error('only transformed ' + transformed);
    const { runChecks } = require('./checks.cjs');
    runChecks({ modelsvc, ...JSON.parse(process.env.PLACES) }).then((results) => console.log('RESULTS ' + JSON.stringify(results)));
  `;
  const results = await app.results(process.execPath, [await app.write('main.cjs', main)]);
  expect(failures({ name: 'transformed', version: '', results })).toEqual([]);
  expect(results).toHaveLength(25);
});

async function built(): Promise<World['modelsvc']> {
  return (await import(new URL('../../dist/index.js', import.meta.url).href)) as World['modelsvc'];
}
