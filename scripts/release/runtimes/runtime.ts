/** A runtime or bundler that runs the checks, and the folder in which it runs them. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Result } from '../../../test/runtime/checks/index.ts';
import { project } from '../installed.ts';
import { installedPackages } from '../installed-packages.ts';
import type { Service } from './service.ts';

const run = promisify(execFile);

/** A row of the table. */
export interface Row {
  readonly name: string;
  readonly version: string;
  /** The results of the checks, or the reason why this machine cannot run them. */
  readonly results: readonly Result[] | string;
  /** Checks that this runtime cannot pass, each with its reason. */
  readonly notApplicable?: Readonly<Record<string, string>>;
}

export interface Runtime {
  /** Name on the command line. */
  readonly name: string;
  /** Packages of the registry, with versions. */
  readonly packages: readonly string[];
  run(app: App): AsyncGenerator<Row>;
}

/** A folder with the packed package in its node_modules, and the checks. */
export interface App {
  readonly folder: string;
  readonly service: Service;
  /** Writes a file and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Runs a program that prints the results of the checks. */
  results(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result[]>;
  /** Installed version of a package. */
  version(name: string): Promise<string>;
}

/**
 * Files of every app: `main.mjs` runs the checks, `cli.mjs` prints their results, and `cli.cjs` the results of a package that it requires.
 * `worker.mjs` answers a request with them.
 */
const files: Readonly<Record<string, string>> = {
  'main.mjs': `import * as modelsvc from 'modelsvc';
import { runChecks } from './checks.mjs';
export const run = (places) => runChecks({ modelsvc, ...places });
`,
  'cli.mjs': `import { run } from './main.mjs';
const places = JSON.parse(globalThis.Deno ? Deno.env.get('PLACES') : process.env.PLACES);
run(places).then((results) => console.log('RESULTS ' + JSON.stringify(results)));
`,
  'cli.cjs': `const modelsvc = require('modelsvc');
const { runChecks } = require('./checks.cjs');
runChecks({ modelsvc, ...JSON.parse(process.env.PLACES) }).then((results) => console.log('RESULTS ' + JSON.stringify(results)));
`,
  'worker.mjs': `import { run } from './main.mjs';
export default { fetch: async (request) => Response.json(await run(await request.json())) };
`,
};

/** Prepares the app of a runtime. The packages are kept between runs; the package under test is always new. */
export async function openApp(folder: string, packages: readonly string[], tarball: string, service: Service): Promise<App> {
  await installedPackages(folder, packages);
  const library = join(folder, 'node_modules/modelsvc');
  await rm(library, { recursive: true, force: true });
  await mkdir(library, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', library]);
  for (const name of ['eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'])
    await cp(join(project, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  return appIn(folder, service);
}

/** The app of a folder that has the package. */
export async function appIn(folder: string, service: Service): Promise<App> {
  const bundle = { bundle: true, platform: 'neutral', target: 'es2022', logLevel: 'warning' } as const;
  for (const [format, end] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ] as const)
    await build({ ...bundle, format, entryPoints: [join(project, 'test/runtime/checks/index.ts')], outfile: join(folder, `checks.${end}`) });
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return {
    folder,
    service,
    write,
    async results(command, args, env = {}) {
      const child = run(command, [...args], {
        cwd: folder,
        env: { ...process.env, PLACES: JSON.stringify(service.places), ...env },
        maxBuffer: 1e8,
        timeout: 300_000,
      });
      return resultsIn((await child).stdout);
    },
    version: async (name) => (JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version,
  };
}

/** The results in the output of a program. */
export function resultsIn(text: string): Result[] {
  const line = /^RESULTS (.*)$/m.exec(text)?.[1];
  if (line === undefined) throw new Error(`no results in: ${text.slice(0, 2000)}`);
  return JSON.parse(line) as Result[];
}
