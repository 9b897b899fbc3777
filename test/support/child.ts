import { execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let count = 0;

/**
 * The path of a module, bundled from the sources that it imports by their URLs. Plain Node starts it much faster than a loader for TypeScript
 * starts the sources. It is below the project, so that it finds the packages, and is removed after the test.
 */
export function bundled(body: string): string {
  const name = `child-${process.pid}-${++count}`;
  const { metafile } = buildSync({
    stdin: { contents: body.replaceAll(/(?<=')file:[^'?]+/g, (url) => fileURLToPath(url)), resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    outdir: 'node_modules/.cache',
    entryNames: name,
    chunkNames: `${name}-[hash]`,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    alias: { '#transport': `${root}src/node-transport/index.ts` },
    bundle: true,
    // A module that is imported on demand is loaded on demand.
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // The package declares no side effects, and a program may be imported for its own.
    ignoreAnnotations: true,
    logLevel: 'warning',
  });
  onTestFinished(() => {
    for (const path of Object.keys(metafile.outputs)) rmSync(root + path);
  });
  return `${root}node_modules/.cache/${name}.mjs`;
}

/** URL of a module of the build. */
export function built(entry: string): string {
  return new URL(`../../dist/${entry}.js`, import.meta.url).href;
}

/** Node's arguments for a module with `newClient` of the build at hand. One that imports sources is bundled, with `newClient` of the sources. */
function argumentsOf(body: string): string[] {
  if (!/file:[^']+\.ts['?]/.test(body)) return ['--input-type=module', '--eval', `import { newClient } from '${built('index')}';\n${body}`];
  return [bundled(`import { newClient } from '${new URL('../../src/overlay/index.ts', import.meta.url)}';\n${body}`)];
}

/**
 * Run a module in a process of its own, with `newClient` at hand. It must end by itself: one that is still there after four minutes is
 * killed, and the promise rejects.
 */
export function childOutcome(body: string, flags: readonly string[] = []): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [...flags, ...argumentsOf(body)], { timeout: 240_000 });
}

/** The end of a file of the project that is a program, run with these arguments. One that resolves the package by its own name is not `bundled`. */
export async function programOutcome(
  file: string,
  args: readonly string[],
  { env = {}, isBundled = true }: { readonly env?: Readonly<Record<string, string>>; readonly isBundled?: boolean } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const program = isBundled ? [bundled(`import './${file}';`)] : ['--import', 'tsx', root + file];
  const child = spawn(process.execPath, [...program, ...args], { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' });
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

/** A process to talk to by lines. */
export interface Child {
  /** The next line that it prints. Rejects when it has ended. */
  line(): Promise<string>;
  write(text: string): void;
  /** Ends the process at once. */
  kill(): void;
}

/** Starts a module in a process of its own, with `newClient` at hand. It is killed at the end of the test. */
export function startChild(body: string, flags: readonly string[] = []): Child {
  const child = spawn(process.execPath, [...flags, ...argumentsOf(body)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended');
      return value;
    },
    write: (text) => void child.stdin.write(text),
    kill: () => void child.kill('SIGKILL'),
  };
}
