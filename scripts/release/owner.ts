/** `npx tsx scripts/release/owner.ts`: write the fields of package.json that name the owner and the repository, from `owner.json`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest } from './installed.ts';

/** The content of `owner.json`. `url` is the page of the repository, and `email` an address that reads reports of vulnerabilities. */
export interface Owner {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

export type OwnerFields = Pick<Manifest, 'author' | 'homepage' | 'repository' | 'bugs'>;

export function ownerFields({ name, email, url }: Owner): Required<OwnerFields> {
  return {
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues`, email },
    repository: { type: 'git', url: `git+${url}.git` },
    author: { name, email },
  };
}

export async function readOwner(): Promise<Owner> {
  return JSON.parse(await readFile(new URL('owner.json', import.meta.url), 'utf8')) as Owner;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const path = join(import.meta.dirname, '../../package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  await writeFile(path, `${JSON.stringify({ ...manifest, ...ownerFields(await readOwner()) }, undefined, 2)}\n`);
}
