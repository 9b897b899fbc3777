// A home folder with a stored account and tiny programs instead of the coding tools.
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect } from 'vitest';
import type { RecordData } from '../../../../src/cli/coding/record.ts';
import { wiredTools } from '../../../../src/cli/coding/tools/index.ts';
import { type Ended, newHome, type RunOptions, run } from '../../support/in-process.ts';
import { samples } from './samples.ts';

export const key = 'abcd1234567890abcdef1234567890ab.ZYXW9876543210zz';
export const otherKey = 'fedc0987654321fedcba0987654321fe.ABCD0123456789yy';

/** The entry at each path below a folder: bytes and mode of a file, the target of a link, or a folder. */
export type Tree = Readonly<Record<string, string>>;

export interface CodingHome {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** A path below the home. */
  at(...names: string[]): string;
  sh(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Like `sh`, for a command that must succeed. */
  ok(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Makes a file with its folders. */
  put(file: string, text: string | Uint8Array, mode?: number): Promise<void>;
  /** Everything in the home but the store of modelsvc. */
  tree(): Promise<Tree>;
  /** Everything in the home. */
  wholeTree(): Promise<Tree>;
  record(): Promise<RecordData>;
}

/** A home in which the programs of all tools are on the PATH, with the settings of a tool. With `isProcess` each command is a process of its own. */
export async function codingHome({ account = true, isProcess = false, settings = '' } = {}): Promise<CodingHome> {
  const home = await newHome();
  const at = (...names: string[]): string => join(home, ...names);
  const env = { HOME: home, PATH: `${at('bin')}:/usr/bin:/bin`, XDG_CONFIG_HOME: at('.config'), XDG_STATE_HOME: at('.state') };
  await mkdir(at('bin'));
  for (const { program } of wiredTools) if (program !== undefined) await fakeProgram(at('bin', program), 'echo 1.2.3');
  await mkdir(at('project'));
  const sh = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    run(args, { isProcess, cwd: at('project'), ...options, env: { ...env, ...options.env } });
  const ok = async (args: readonly string[], options: RunOptions = {}): Promise<Ended> => {
    const ended = await sh(args, options);
    expect(ended.code, `modelsvc ${args.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(0);
    return ended;
  };
  const own: CodingHome = {
    home,
    env,
    at,
    sh,
    ok,
    put: async (file, text, mode = 0o644) => {
      await mkdir(dirname(at(file)), { recursive: true });
      await writeFile(at(file), text);
      await chmod(at(file), mode);
    },
    tree: () => treeOf(home, (path) => path === join('.config', 'modelsvc')),
    wholeTree: () => treeOf(home, () => false),
    record: async () => JSON.parse(await readFile(at('.config', 'modelsvc', 'coding.json'), 'utf8')) as RecordData,
  };
  for (const { file, text } of samples[settings] ?? []) await own.put(file, text);
  if (account) await putStore(own);
  return own;
}

export async function addAccount({ ok }: CodingHome, name: string, text: string, ...more: string[]): Promise<void> {
  await ok(['accounts', 'add', name, '--no-validate', ...(more.length > 0 ? more : ['--kind', 'plan'])], { stdin: `${text}\n` });
}

const store = new Map<string, Buffer>();

/** The accounts `work`, which is the active one, and `other`. The program makes their files once. */
async function putStore(own: CodingHome): Promise<void> {
  const folder = own.at('.config', 'modelsvc');
  if (store.size === 0) {
    await addAccount(own, 'work', key);
    await addAccount(own, 'other', otherKey);
    for (const name of await readdir(folder)) store.set(name, await readFile(join(folder, name)));
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, bytes] of store) await writeFile(join(folder, name), bytes, { mode: 0o600 });
}

export async function fakeProgram(path: string, body: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}

async function treeOf(root: string, isLeftOut: (path: string) => boolean): Promise<Tree> {
  const found: Record<string, string> = {};
  const walk = async (folder: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const here = relative(root, path);
      if (isLeftOut(here)) continue;
      const facts = await lstat(path);
      const mode = (facts.mode & 0o777).toString(8);
      if (facts.isSymbolicLink()) found[here] = `-> ${await readlink(path)}`;
      else if (facts.isDirectory()) found[`${here}/`] = mode;
      else if (!facts.isFile() || facts.size > 1e6) found[here] = `${mode} ${facts.size}`;
      else found[here] = `${mode} ${(await readFile(path)).toString('latin1')}`;
      if (facts.isDirectory()) await walk(path);
    }
  };
  await walk(root);
  return found;
}

/** Files that contain a text. */
export function filesWith(tree: Tree, text: string): string[] {
  return Object.keys(tree).filter((path) => tree[path]?.includes(text));
}

/** True if a process may mount files over others, in a name space of its own. */
export function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
