import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

const lightRooms = 'batch,contract,debug,errors,fetch,files,hooks,migration,monitor,services,streams,surfaces,tools,transport,types,validation';

/** These files share processes: most are short, and load the same sources. `test/support/left-behind.ts` says what a file must put back. */
const shared = [
  `test/{${lightRooms}}/**/*.test.ts`,
  // vi.mock is for a whole process.
  'test/tool-schema/**/!(kept-rewrites).test.ts',
];

const everyFile = ['test/support/loopback-only.ts'];

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
    // All processors: the default leaves one free.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    projects: [
      project({ name: 'alone', include: ['test/**/*.test.ts'], exclude: shared, setupFiles: everyFile }),
      project({ name: 'shared', include: shared, isolate: false, setupFiles: [...everyFile, 'test/support/left-behind.ts'] }),
    ],
  },
});
