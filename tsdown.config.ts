import { defineConfig } from 'tsdown';

const shared = { format: 'esm', target: 'es2022', tsconfig: 'tsconfig.build.json', fixedExtension: false, hash: false } as const;

export default defineConfig([
  {
    ...shared,
    // One build for all entries, so that they share one copy of the library's errors and tables.
    entry: {
      index: 'src/overlay/index.ts',
      debug: 'src/debug/index.ts',
      fetch: 'src/fetch/index.ts',
      mcp: 'src/mcp/index.ts',
      node: 'src/node/index.ts',
      observe: 'src/observe/index.ts',
      testing: 'src/testing/index.ts',
    },
    dts: true,
    // `await using` needs a lib that a consumer's configuration may lack.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
    platform: 'neutral',
    deps: { neverBundle: [/^node:/, '#proxy'] },
    // Shared chunks keep away from the entries' own names.
    // Doc comments stay in the declarations; in the code they only cost time at import.
    outputOptions: {
      chunkFileNames: 'shared/[name].js',
      comments: { jsdoc: false },
      // One shared chunk: each file costs time at import.
      codeSplitting: { groups: [{ name: 'core', test: /(?<!\.d)\.ts$/, minShareCount: 2 }] },
    },
  },
  {
    ...shared,
    // The reader of NO_PROXY comes along inside, so that it is not a dependency of the package.
    entry: { proxy: 'src/proxy/index.ts', 'no-proxy': 'src/proxy/none.ts' },
    dts: false,
    platform: 'node',
    outputOptions: { chunkFileNames: 'shared/proxy-[name].js' },
    clean: false,
    deps: { alwaysBundle: [/./] },
  },
  {
    ...shared,
    // The program, with its own libraries inside. It uses the package by name, from the same dist.
    entry: { cli: 'src/cli/main.ts' },
    outDir: 'dist/cli',
    dts: false,
    minify: true,
    platform: 'node',
    clean: false,
    // The main field of jsonc-parser names a UMD file, which cannot be bundled.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    outputOptions: { chunkFileNames: '[name].js', entryFileNames: 'main.js' },
    // The MCP SDK is an optional peer, which the user installs.
    deps: { neverBundle: [/^modelsvc/, /^@modelcontextprotocol/], alwaysBundle: [/^(?!modelsvc|node:|@modelcontextprotocol)./] },
  },
]);
