/** A program as a process with a deadline, and the processes that it leaves behind. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

export interface Ended {
  /** Exit code; undefined if a signal ended the process. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** Runs a program with an empty stdin. Its process group is killed at the end, and at the deadline. */
export function run(program: string, args: readonly string[], { env, cwd, timeoutMs }: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stdout = '';
    let stderr = '';
    let isTimedOut = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const timer = setTimeout(() => {
      isTimedOut = true;
      killGroup(child.pid);
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: undefined, stdout, stderr: String(error), isTimedOut });
    });
    // Not `close`, which would wait for processes that keep the pipes open.
    child.on('exit', (code) => {
      clearTimeout(timer);
      setTimeout(() => {
        killGroup(child.pid);
        resolve({ code: code ?? undefined, stdout, stderr, isTimedOut });
      }, 100);
    });
  });
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have ended.
  }
}

/** Kills the processes whose home is this folder: daemons leave the process group of the program that starts them. */
export async function killProcessesOf(home: string): Promise<void> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(`HOME=${home}`)) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended since.
    }
  }
}
