import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../src/store/pipe.ts';
import { newHome } from '../cli/support/run.ts';

const isOpen = (path: string): boolean =>
  readdirSync('/proc/self/fd').some((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  });

test.skipIf(process.platform !== 'linux').each(['return', 'signal'])(
  'a pipe without a writer is closed by the %s, with a pending read',
  async (way) => {
    const path = join(await newHome(), 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
    const left = new AbortController();
    const blocks = blocksOf(path, statSync(path), left.signal)[Symbol.asyncIterator]();
    const pending = blocks.next().then(
      ({ done }) => done,
      () => true,
    );
    expect(isOpen(path)).toBe(true);
    if (way === 'return') await blocks.return?.();
    else left.abort();
    expect(await pending).toBe(true);
    expect(isOpen(path)).toBe(false);
  },
);
