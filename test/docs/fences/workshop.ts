import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, transform } from 'esbuild';
import { entries } from '../../../scripts/entries.ts';
import { type FakeService, fakeKey, startFakeService } from '../../../src/testing/index.ts';
import { hostsCaPath, hostsTls } from '../../support/tls.ts';
import { root } from '../snippets.ts';
import type { FenceCase } from './cases.ts';

export interface Outcome {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  /** Operations that the fake received, in order. */
  readonly operations: readonly (string | undefined)[];
}

/** The library and the guard, bundled from the sources once for all fences. Below the project, so that fences find its devDependencies. */
export class Workshop {
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** `folder`, below the root, has the packages that the fences import. */
  static async open(folder = ''): Promise<Workshop> {
    await mkdir(`${root}${folder}node_modules/.cache`, { recursive: true });
    const workshop = new Workshop(await mkdtemp(`${root}${folder}node_modules/.cache/fences-`));
    // The library looks for its document by the name of the package.
    await mkdir(join(workshop.#folder, 'node_modules'));
    await symlink(root, join(workshop.#folder, 'node_modules/modelsvc'));
    const sources = Object.entries(entries).map(([name, source]) => ({ in: root + source, out: name }));
    await build({
      entryPoints: [...sources, { in: `${root}test/docs/fences/guard.ts`, out: 'guard' }],
      outdir: workshop.#folder,
      outExtension: { '.js': '.mjs' },
      alias: { '#transport': `${root}src/node-transport/index.ts` },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'warning',
    });
    return workshop;
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true });
  }

  /** Run a fence in a process of its own that cannot leave this machine, with only the API key in its environment. */
  async run(code: string, given: FenceCase): Promise<Outcome> {
    const folder = join(this.#folder, `run-${this.#count++}`);
    await mkdir(folder);
    for (const [name, content] of Object.entries(given.files ?? {})) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    await writeFile(join(folder, 'fence.mjs'), await this.#module(code));
    const after = `import * as fence from './fence.mjs';\n${given.after ?? ''}\nexport { fence };\n`;
    await writeFile(join(folder, 'main.mjs'), await this.#module(after));
    const secure = await startFakeService({ tls: hostsTls, keys: 'any', models: 'any' });
    const plain = await startFakeService({ keys: 'any', models: 'any' });
    try {
      for (const fake of [secure, plain]) given.script?.(fake);
      return { ...(await this.#start(folder, secure, plain, given.env)), operations: operationsOf(secure, plain) };
    } finally {
      await Promise.all([secure.close(), plain.close()]);
    }
  }

  /** A module over the bundle: types removed, and the names of the entries replaced. */
  async #module(text: string): Promise<string> {
    const { code } = await transform(text, {
      loader: 'ts',
      format: 'esm',
      target: 'esnext',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    return code.replaceAll(/(?<=\b(?:from|import)\s*\(?\s*)"(modelsvc[^"]*)"/g, (_, entry: string) => `"${join(this.#folder, `${entry}.mjs`)}"`);
  }

  async #start(folder: string, secure: FakeService, plain: FakeService, more: FenceCase['env']): Promise<Omit<Outcome, 'operations'>> {
    const child = spawn(process.execPath, ['--import', join(this.#folder, 'guard.mjs'), 'main.mjs'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 240_000,
      env: {
        PATH: process.env['PATH'],
        SVC_API_KEY: fakeKey,
        NODE_EXTRA_CA_CERTS: hostsCaPath,
        FENCE_HTTPS: portOf(secure),
        FENCE_HTTP: portOf(plain),
        ...more,
      },
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { output, errors, code };
  }
}

function portOf(fake: FakeService): string {
  return new URL(fake.url).port;
}

function operationsOf(...fakes: FakeService[]): (string | undefined)[] {
  return fakes.flatMap((fake) => fake.requests.map((one) => one.operation));
}
