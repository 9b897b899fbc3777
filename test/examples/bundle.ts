import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  const source = (room: string): string => `${root}src/${room}/index.ts`;
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
      'modelsvc/mcp': source('mcp'),
      'modelsvc/monitor': source('monitor'),
      'modelsvc/node': source('node'),
      'modelsvc/testing': source('testing'),
      modelsvc: source('overlay'),
      '#transport': source('node-transport'),
    },
  });
}
