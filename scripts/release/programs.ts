/** A program that the suite does not run: it needs more than this repository, or more time. */
export interface Program {
  readonly name: string;
  /** Its script of package.json. */
  readonly run: string;
  readonly checks: string;
  readonly needs: string;
  /** About, with an empty cache. */
  readonly minutes: number;
  /** Runs it. */
  readonly load: () => Promise<unknown>;
}

const registry = 'the npm registry';

export const programs: readonly Program[] = [
  {
    name: 'chaos',
    run: 'npm run chaos',
    checks: 'random faults on new and used sockets, over both transports',
    needs: 'this machine only',
    minutes: 1,
    load: () => import('./chaos.ts'),
  },
  {
    name: 'runtimes',
    run: 'npm run test:runtimes',
    checks: 'the 25 checks in other runtimes, bundlers and test runners; writes docs/runtimes.md',
    needs: `${registry}, 3 GB of disk, and a Chromium at /usr/bin/chromium or in CHROMIUM`,
    minutes: 15,
    load: () => import('./runtimes.ts'),
  },
  {
    name: 'tools',
    run: 'npm run test:tools',
    checks: 'a turn of each coding tool that `modelsvc coding` wires; writes docs/tools.md',
    needs: `${registry}, 3 GB of disk, git, and Linux on x64`,
    minutes: 20,
    load: () => import('./tools.ts'),
  },
  {
    name: 'node-versions',
    run: 'npm run test:node-versions',
    checks: 'the packed package on the oldest and the newest versions of Node',
    needs: `${registry}, and 180 MB of disk a version`,
    minutes: 3,
    load: () => import('./node-versions.ts'),
  },
  {
    name: 'check',
    run: 'npm run release:check',
    checks: 'that the commit can be published',
    needs: 'a tagged commit without changes',
    minutes: 2,
    load: () => import('./check.ts'),
  },
];
