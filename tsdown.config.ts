import { defineConfig } from 'tsdown';

const shared = { format: 'esm', target: 'es2022', tsconfig: 'tsconfig.build.json', fixedExtension: false, hash: false } as const;

/** Some files of src, and what they need that no group of higher priority has, as one file of the package. */
function chunk(name: string, priority: number, files: string): { name: string; priority: number; test: RegExp } {
  return { name, priority, test: new RegExp(`/(?:overlay|generated)/(${files})\\.ts$`.replaceAll('/', '[\\\\/]')) };
}

export default defineConfig([
  {
    ...shared,
    // One build for all entries, so that they share one copy of the library's errors and tables.
    entry: { index: 'src/overlay/index.ts', mcp: 'src/mcp/index.ts', node: 'src/node/index.ts', testing: 'src/testing/index.ts' },
    dts: true,
    platform: 'neutral',
    deps: { neverBundle: [/^node:/, '#proxy'] },
    // Shared chunks keep away from the entries' own names.
    outputOptions: {
      chunkFileNames: 'shared/[name].js',
      codeSplitting: {
        groups: [
          // What every call needs and code that is loaded later needs too: one file instead of ten.
          chunk(
            'base',
            3,
            'anthropic-reply|violations|context|cancellation|constants|errors|error-guards|headers|host|idle|endpoints|info|public-error|routes|rules|send|tool-loop/run-info|typed-tool|upload-limits',
          ),
          // Loaded when it is used.
          chunk('schema', 2, 'schema/[a-z-]+'),
          chunk('catalogue', 2, 'model-info'),
          chunk('assembly', 2, 'accumulate/[a-z]+-assembly'),
          // What the index has of that code: thin files of their own, which a bundler leaves out. In the index, or re-exported by it, they would
          // make it part of every first load.
          chunk('tool-schema', 1, 'tool-schema'),
          chunk('cost', 1, 'monitor/cost'),
          chunk('accumulators', 1, 'accumulate/(chat|message)'),
        ],
      },
    },
  },
  {
    ...shared,
    // The proxy libraries come along inside, so that they are nobody's dependency.
    entry: { proxy: 'src/proxy/index.ts', 'no-proxy': 'src/proxy/none.ts' },
    dts: false,
    platform: 'node',
    clean: false,
    deps: { alwaysBundle: [/./] },
  },
]);
