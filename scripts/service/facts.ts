// The facts of a tree: its claims and its spec. Every question is about them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Claim } from '../generate/claims/claim.ts';

/** The root of this tree. */
export const project: string = fileURLToPath(new URL('../..', import.meta.url));

/** Claims by id. */
export type Claims = ReadonlyMap<string, Claim>;

export const specFile = 'spec/openapi.yaml';

/** Input that cannot be used. The message has the place and the next step. */
export class Refused extends Error {}

export async function claimsOf(root: string): Promise<Claims> {
  const { claims } = JSON.parse(await readFile(join(root, 'docs/evidence.json'), 'utf8')) as { readonly claims: readonly Claim[] };
  return new Map(claims.map((claim) => [claim.id, claim]));
}

/** Hosts of the service, and their regions. */
export const regions: Readonly<Record<string, string>> = { 'api.z.ai': 'global', 'open.bigmodel.cn': 'china' };
