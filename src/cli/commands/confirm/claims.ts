// The claims of the package, or of another version of it: a file in the form of `modelsvc/evidence.json`.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Claim } from 'modelsvc/evidence.json';
import { usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import { readText } from '../../files/text.ts';
import { nearMiss } from '../../table/near-miss.ts';

/** Claims by id. */
export type Claims = ReadonlyMap<string, Claim>;

const idForm = /^[a-z]+:[^\s\p{Cc}][^\p{Cc}]{0,399}$/u;

/** The claims of `--evidence`, or those of the installed package. Throws a usage error for a file in another form. */
export async function readClaims(file: string | undefined): Promise<Claims> {
  const text =
    file === undefined ? await readFile(fileURLToPath(import.meta.resolve('modelsvc/evidence.json')), 'utf8') : await readText('--evidence', file);
  return claimsIn(file ?? 'modelsvc/evidence.json', text);
}

/** The claims in a text. `place` names it in errors. */
export function claimsIn(place: string, text: string): Claims {
  const refuse = (problem: string): Error => usageError(`--evidence: ${place} ${problem}`, 'Pass the file evidence.json of a version of modelsvc.');
  const value = jsonValue(text);
  if (value === undefined) throw refuse('is not JSON');
  const { format, version, claims } = (value ?? {}) as { readonly format?: unknown; readonly version?: unknown; readonly claims?: unknown };
  if (format !== 'modelsvc/evidence' || !Array.isArray(claims)) throw refuse('is not a file of claims');
  if (version !== 1) throw refuse('has another version of the form; this program reads version 1');
  const found = new Map<string, Claim>();
  for (const [index, claim] of claims.entries()) {
    if (!isClaim(claim)) throw refuse(`has no valid claim at claims[${index}]`);
    if (found.has(claim.id)) throw refuse(`has the claim ${claim.id} twice`);
    found.set(claim.id, claim);
  }
  return found;
}

function isClaim(value: unknown): value is Claim {
  const { id, place, evidence, seen, source } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && idForm.test(id) && [place, evidence, seen].every((one) => typeof one === 'string') && Array.isArray(source);
}

/** The part before the colon. */
export function kindOf(id: string): string {
  return id.slice(0, id.indexOf(':'));
}

/** The ids that `--claim` and `--kind` select; all without either. Throws a usage error for an id or a kind that does not exist. */
export function selected(claims: Claims, ids: readonly string[], kinds: readonly string[]): ReadonlySet<string> {
  const known = [...claims.keys()];
  const knownKinds = [...new Set(known.map(kindOf))].sort();
  for (const kind of kinds)
    if (!knownKinds.includes(kind)) throw usageError(`--kind must be one of ${knownKinds.join(', ')}, not ${JSON.stringify(kind)}`);
  for (const id of ids) {
    if (claims.has(id)) continue;
    const near = nearMiss(id, known) ?? known.find((one) => one.endsWith(`:${id}`) || one.toLowerCase() === id.toLowerCase());
    const next = near === undefined ? 'The ids are in modelsvc/evidence.json.' : `Did you mean ${near}?`;
    throw usageError(`there is no claim ${JSON.stringify(id)}`, next);
  }
  if (ids.length === 0 && kinds.length === 0) return new Set(known);
  return new Set(known.filter((id) => ids.includes(id) || kinds.includes(kindOf(id))));
}
