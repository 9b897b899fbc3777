import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));

/** Bundles programs of `examples`, and other sources by name, with the sources of the library. Plain Node starts them faster than tsx does. */
export async function bundleExamples(folder: string, programs: readonly string[], others: Readonly<Record<string, string>> = {}): Promise<void> {
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
    packages: 'external',
    alias: {
      'modelsvc/mcp': source('mcp'),
      'modelsvc/node': source('node'),
      'modelsvc/testing': source('testing'),
      modelsvc: source('overlay'),
      '#transport': source('node-transport'),
    },
  });
}
