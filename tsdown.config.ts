import { defineConfig } from 'tsdown';

// The bundler warns of slow plugins on a slow machine.
const checks = { pluginTimings: false } as const;
const shared = { format: 'esm', target: 'es2022', tsconfig: 'tsconfig/build.json', fixedExtension: false, hash: false, checks } as const;

const entries = {
  index: 'src/overlay/index.ts',
  debug: 'src/debug/index.ts',
  fetch: 'src/fetch/index.ts',
  mcp: 'src/mcp/index.ts',
  monitor: 'src/monitor/index.ts',
  node: 'src/node/index.ts',
  observe: 'src/observe/index.ts',
  services: 'src/services/index.ts',
  testing: 'src/testing/index.ts',
  types: 'src/types/index.ts',
};

export default defineConfig([
  {
    ...shared,
    // One build for all entries, so that they share one copy of the library's errors and tables.
    entry: {
      ...entries,
      // Both targets of `#transport`, and what the first of them loads on demand.
      'node-transport': 'src/node-transport/index.ts',
      'no-node-transport': 'src/node-transport/none.ts',
      proxy: 'src/proxy/index.ts',
    },
    dts: { entry: Object.values(entries) },
    // `await using` needs a lib that a consumer's configuration may lack.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
    platform: 'neutral',
    deps: { neverBundle: [/^node:/, '#transport'], onlyBundle: [] },
    // Shared chunks keep away from the entries' own names.
    // Doc comments stay in the declarations; in the code they only cost time at import.
    outputOptions: {
      chunkFileNames: 'shared/[name].js',
      comments: { jsdoc: false },
      // Few chunks: each file costs time at import.
      codeSplitting: {
        groups: [
          // Apart from both: it needs Node.
          { name: 'store', test: /src.store.*(?<!\.d)\.ts$/, minShareCount: 2 },
          // Apart from the core, which imports `#transport`: together they would be a circle.
          { name: 'base', test: /overlay.(platform|errors|transport)\b.*(?<!\.d)\.ts$/, minShareCount: 2 },
          { name: 'core', test: /(?<!\.d)\.ts$/, minShareCount: 2 },
        ],
      },
    },
  },
  {
    ...shared,
    // The program, with its own libraries inside. It uses the package by name, from the same dist.
    // `program` is an entry of its own, so that tests run the build inside their process.
    entry: { main: 'src/cli/main.ts', program: 'src/cli/program.ts' },
    outDir: 'dist/cli',
    dts: false,
    minify: true,
    platform: 'node',
    clean: false,
    // The main field of jsonc-parser names a UMD file, which cannot be bundled.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    outputOptions: {
      chunkFileNames: '[name].js',
      entryFileNames: '[name].js',
      // Few files for what most commands load, and no library for `--help`: the rooms of `calls` import it.
      codeSplitting: {
        groups: [
          // The program is shared by its two entries only.
          { name: 'start', test: /src.cli.program\.ts$/ },
          { name: 'start', test: /src.(store.error|cli.(errors|files|input|table|terminal|reports.report|talk.options))\b.*\.ts$/, minShareCount: 4 },
          { name: 'accounts', test: /src.(store|cli.(accounts|settings|hosts))\b.*\.ts$/, minShareCount: 6 },
          { name: 'calls', test: /src.cli.(client|reports|transfer|log|talk)\b.*\.ts$/, minShareCount: 4 },
        ],
      },
    },
    // The MCP SDK is an optional peer, which the user installs.
    deps: { neverBundle: [/^modelsvc/, /^@modelcontextprotocol/], alwaysBundle: [/^(?!modelsvc|node:|@modelcontextprotocol)./] },
  },
]);
