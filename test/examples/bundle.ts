import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { entries } from '../../scripts/entries.ts';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Bundles programs of `examples`, and other sources by name, with the sources of the library. Plain Node starts them faster than tsx does.
 * With `packages`, also with the packages that they import: a large one loads in half the time.
 */
export async function bundleExamples(
  folder: string,
  programs: readonly string[],
  others: Readonly<Record<string, string>> = {},
  packages: 'bundle' | 'external' = 'external',
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { ...Object.fromEntries(programs.map((name) => [name, `examples/${name}.ts`])), ...others },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages,
    // For packages in CommonJS.
    banner: { js: packages === 'bundle' ? "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" : '' },
    alias: {
      ...Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, root + file])),
      '#transport': `${root}src/node-transport/index.ts`,
    },
  });
}

/** Bundles a program as for an edge worker: without modules of Node, and with the `fetch` of the runtime as transport. Resolves with its module. */
export async function edgeModule(folder: string, program: string): Promise<Record<string, unknown>> {
  const outfile = `${folder}/${program}.edge.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [`examples/${program}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['worker'],
    alias: {
      ...Object.fromEntries(['modelsvc', 'modelsvc/services'].map((name) => [name, `${root}${entries[name]}`])),
      '#transport': `${root}src/node-transport/none.ts`,
    },
  });
  return import(/* @vite-ignore */ outfile);
}
