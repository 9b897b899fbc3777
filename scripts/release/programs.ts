/** A program that the suite does not run: it needs more than this repository, or more time. */
export interface Program {
  /** Its script of package.json. */
  readonly run: string;
  readonly checks: string;
  readonly needs: string;
  readonly load: () => Promise<unknown>;
}

const registry = 'the npm registry';
const program = (run: string, checks: string, needs: string, load: Program['load']): Program => ({ run, checks, needs, load });

export const programs: Readonly<Record<string, Program>> = {
  chaos: program('chaos', 'random faults on new and used sockets, over both transports', 'a minute', () => import('./chaos.ts')),
  runtimes: program(
    'test:runtimes',
    'the packed package in other runtimes, bundlers and test runners; writes docs/runtimes.md',
    `${registry}, 3 GB of disk, a Chromium at /usr/bin/chromium or in CHROMIUM, up to 90 minutes`,
    () => import('./runtimes.ts'),
  ),
  tools: program(
    'test:tools',
    'a turn of each coding tool that `modelsvc coding` wires; writes bench/RESULTS-tools.md',
    `${registry}, 3 GB of disk, git, Linux on x64, up to 90 minutes`,
    () => import('./tools.ts'),
  ),
  'node-versions': program(
    'test:node-versions',
    'the packed package on the oldest and the newest versions of Node',
    `${registry}, 180 MB of disk a version, a few minutes`,
    () => import('./node-versions.ts'),
  ),
  check: program(
    'release:check',
    'whether the commit can be published',
    'a tagged commit without changes, a few minutes',
    () => import('./check.ts'),
  ),
};
