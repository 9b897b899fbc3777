import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

export default defineConfig({
  // The tests run the sources; in the package the imports map chooses by runtime.
  resolve: { alias: { '#transport': new URL('./src/node-transport/index.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/loopback-only.ts'],
    // Node loads the build as in an application. In vitest it would get the alias, and with it a second copy of the error classes.
    server: { deps: { external: [/[\\/]dist[\\/]/] } },
    // All processors: the default leaves one free.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
    // Only a hang reaches these: no test judges how fast the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
