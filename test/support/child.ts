import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** Arguments of Node for a module with `newClient` at hand. */
function argumentsFor(body: string, flags: readonly string[]): string[] {
  const program = `import { newClient } from '${new URL('../../src/overlay/index.ts', import.meta.url)}';\n${body}`;
  return [...flags, '--import', 'tsx', '--input-type=module', '-e', program];
}

/**
 * Run a module in a process of its own, with `newClient` at hand. It must end by itself: one that is still there after a minute is killed,
 * and the promise rejects.
 */
export function childOutcome(body: string, flags: readonly string[] = []): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, argumentsFor(body, flags), { timeout: 60_000 });
}

/** A process to talk to by lines. */
export interface Child {
  /** The next line that it prints. Rejects when it has ended. */
  line(): Promise<string>;
  write(text: string): void;
}

/** Starts a module in a process of its own, with `newClient` at hand. It is killed at the end of the test. */
export function startChild(body: string): Child {
  const child = spawn(process.execPath, argumentsFor(body, []), { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended');
      return value;
    },
    write: (text) => void child.stdin.write(text),
  };
}
