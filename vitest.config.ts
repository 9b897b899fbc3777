import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

/** Each of these files has a process of its own: some replace modules, or judge the time of their process. */
const alone = ['test/{cli,docs,package,property,scripts,tool-schema}/**/*.test.ts'];

function project(name: string, isolate: boolean, include: string[], exclude: string[]): TestProjectInlineConfiguration {
  return {
    // The tests run the sources; in the package the imports map chooses by runtime.
    resolve: { alias: { '#transport': new URL('./src/node-transport/index.ts', import.meta.url).pathname } },
    test: {
      name,
      isolate,
      include,
      exclude,
      setupFiles: ['test/support/loopback-only.ts'],
      // Node loads the build as in an application. In vitest it would get the alias, and with it a second copy of the error classes.
      server: { deps: { external: [/[\\/]dist[\\/]/] } },
      // A stub of one file would reach the next.
      unstubEnvs: true,
      unstubGlobals: true,
      restoreMocks: true,
      // Only a hang reaches these: no test judges how fast the machine is.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 240_000 } },
    },
  };
}

export default defineConfig({
  test: {
    // Here, not in a project: one mock for all.
    globalSetup: ['test/support/global-setup.ts'],
    // All processors: the default leaves one free.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    projects: [
      project('alone', true, alone, []),
      // These files share the processes of the workers: the sources are loaded once in each, not once for each file.
      project('shared', false, ['test/**/*.test.ts'], alone),
    ],
  },
});
