import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Run a module in a process of its own, with `newClient` at hand. It must end by itself: one that is still there after a minute is killed,
 * and the promise rejects.
 */
export function childOutcome(body: string, flags: readonly string[] = []): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = `import { newClient } from '${new URL('../../src/overlay/index.ts', import.meta.url)}';\n${body}`;
  return promisify(execFile)(process.execPath, [...flags, '--import', 'tsx', '--input-type=module', '-e', program], { timeout: 60_000 });
}
