/** A throw-away home folder with a git folder to work in, and `modelsvc` with an account in it. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { project } from '../installed.ts';
import { type Ended, killProcessesOf, run } from './program.ts';
import type { Files } from './programs.ts';

const commandMs = 60_000;
const turnMs = 120_000;

/** Folder of the files of `modelsvc`, which may contain the key. */
const store = '.config/modelsvc/';

/** Keys of the user in the shell, which must not reach the service. */
export const foreignKeys: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'sk-ant-user',
  ANTHROPIC_AUTH_TOKEN: 'auth-token-of-the-user',
  OPENAI_API_KEY: 'sk-openai-user',
};

/** Roots and models of the user in the shell, which must not lead a session elsewhere. */
const foreignPlaces: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/anthropic',
  ANTHROPIC_MODEL: 'model-of-the-user',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/openai',
  OPENAI_MODEL: 'model-of-the-user',
};

export interface HomeOptions {
  readonly path: string;
  readonly files: Files;
  readonly key: string;
  /** Root of the account. */
  readonly root: string;
}

export class Home {
  readonly folder: string;
  readonly #work: string;
  readonly #path: string;

  private constructor(base: string, path: string) {
    this.folder = join(base, 'home');
    this.#work = join(base, 'work');
    this.#path = path;
  }

  static async make({ path, files, key, root }: HomeOptions): Promise<Home> {
    // The path must not contain the name of the service, because the files of the programs are searched for that name.
    const base = await mkdtemp(join(tmpdir(), 'coding-trial-'));
    const home = new Home(base, path);
    await mkdir(home.folder);
    await promisify(execFile)('git', ['init', '-q', home.#work]);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(home.at(file)), { recursive: true });
      await writeFile(home.at(file), text);
    }
    const keyFile = join(base, 'key');
    await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
    await home.modelsvc('accounts', 'add', 'work', '--api-key-file', keyFile, '--no-validate', '--kind', 'plan', '--base-url', root);
    return home;
  }

  at(file: string): string {
    return join(this.folder, file);
  }

  read(file: string): Promise<string | undefined> {
    return readFile(this.at(file), 'utf8').catch(() => undefined);
  }

  /** Runs `modelsvc`. Throws an Error with its output if it fails. */
  async modelsvc(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(process.execPath, [join(project, 'dist/cli/main.js'), ...args], {}, commandMs);
    if (code !== 0) throw new Error(`modelsvc ${args.slice(0, 3).join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** Starts the program with `coding run`. */
  session(tool: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const command = [join(project, 'dist/cli/main.js'), 'coding', 'run', tool, '--', ...args];
    return this.#run(process.execPath, command, { ...foreignKeys, ...foreignPlaces, ...env }, turnMs);
  }

  /** Runs the program as a user with keys in the shell does. */
  program(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    return this.#run(name, args, { ...foreignKeys, ...env }, turnMs);
  }

  /** Files below the home that contain one of the texts, without the files of `modelsvc`. */
  async filesWith(texts: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      const file = relative(this.folder, join(entry.parentPath, entry.name));
      if (!entry.isFile() || file.startsWith(store)) continue;
      const bytes = await readFile(this.at(file));
      if (texts.some((text) => bytes.includes(text))) found.push(file);
    }
    return found.sort();
  }

  async close(): Promise<void> {
    await killProcessesOf(this.folder);
    await rm(dirname(this.folder), { recursive: true, force: true, maxRetries: 5 });
  }

  #run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<Ended> {
    const shell = { PATH: this.#path, HOME: this.folder, LANG: 'C.UTF-8', TERM: 'dumb', CI: '1', NO_COLOR: '1' };
    return run(program, args, { env: { ...shell, ...env }, cwd: this.#work, timeoutMs });
  }
}
