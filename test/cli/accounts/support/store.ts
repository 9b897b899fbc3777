// A store in a folder of its own, and the bundled writer process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import type { NewAccount } from '../../../../src/cli/accounts/format.ts';
import { AccountStore } from '../../../../src/cli/accounts/store.ts';

export const key = 'abcd1234567890abcdef1234567890ab.ZYXW9876543210zz';

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function newStore(): Promise<AccountStore> {
  return storeIn(join(await newFolder(), 'modelsvc'));
}

export function storeIn(folder: string): AccountStore {
  return new AccountStore(folder, new AbortController().signal);
}

export function account(name: string, fields: Partial<NewAccount> = {}): NewAccount {
  return { name, region: 'global', kind: 'payg', store: 'file', secret: { apiKey: key, hosts: ['https://api.z.ai'] }, ...fields };
}

/** The writer as one file that Node runs without a loader. */
export async function writerProgram(): Promise<string> {
  const outfile = join(await newFolder(), 'writer.mjs');
  const entry = fileURLToPath(new URL('writer.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  return outfile;
}
