import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongFirst, longest, slow } from './test/support/long-first.ts';

/** The test files that need a process of their own. */
const apart = [
  // After the garbage of a long file the next ones are slower.
  ...longest,
  // vi.mock is for a whole process.
  'test/tool-schema/kept-rewrites.test.ts',
  // Its texts of 20 MB need the memory of a process.
  'test/property/no-stack.test.ts',
  // They watch what a process would wait for.
  'test/cli/in-process.test.ts',
  // A cassette writes what is left when the process ends.
  'test/testing/exchanges/**/*.test.ts',
  'test/scripts/judge/**/*.test.ts',
];

const everyFile = ['test/support/loopback-only.ts'];

const sharing = { isolate: false, setupFiles: [...everyFile, 'test/support/left-behind.ts'] };

function project(test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    // The tests run the sources; in the package the imports map chooses by runtime.
    resolve: { alias: { '#transport': new URL('./src/node-transport/index.ts', import.meta.url).pathname } },
    test: {
      // Node loads the build as in an application. In vitest it would get the alias, and with it a second copy of the error classes.
      server: { deps: { external: [/[\\/]dist[\\/]/] } },
      unstubEnvs: true,
      unstubGlobals: true,
      restoreMocks: true,
      // Only a hang reaches these: no test judges how fast the machine is.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 240_000 } },
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/progress.ts'],
    // More than there are processors: some files wait for real bounds and processes.
    maxWorkers: '150%',
    sequence: { sequencer: LongFirst },
    // A source is compiled once for the three projects, and once until it changes: half of the processor time of a run of one file.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    projects: [
      project({ name: 'apart', include: apart, setupFiles: everyFile }),
      // The others share processes: most of them are short, and load the same sources.
      project({ name: 'shared', include: slow, ...sharing }),
      project({ name: 'quick', include: ['test/**/*.test.ts'], exclude: [...apart, ...slow], ...sharing }),
    ],
  },
});
