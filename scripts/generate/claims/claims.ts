import { namesOf, stepInto } from '../../../src/overlay/json/pointer.ts';
import type { Operation } from '../document/operations.ts';
import { isObject, type Json, type JsonObject, type Source } from '../document/source.ts';
import type { Claim, Found } from './claim.ts';
import { codeClaims } from './codes.ts';
import { modelClaims } from './models.ts';
import type { Recording } from './recordings.ts';
import { specClaims } from './spec.ts';

/** Subjects of claims. A fact of a new kind gets a line here. */
export const claimKinds = ['code', 'default', 'enum', 'field', 'limit', 'model', 'operation', 'price', 'refusal'];

/** The files that have claims. */
export interface ClaimSources {
  readonly openapi: Source;
  readonly operations: readonly Operation[];
  readonly models: Source;
  readonly codes: Source;
  readonly recordings: readonly Recording[];
}

/** Every claim, sorted by id. Refuses two claims with one id, and a source without a date. */
export function collectClaims({ openapi, operations, models, codes, recordings }: ClaimSources): Claim[] {
  const claims = new Map<string, Claim>();
  const files: [file: string, source: Source, found: readonly Found[]][] = [
    ['spec/openapi.yaml', openapi, specClaims(openapi, operations, recordings)],
    ['spec/models.yaml', models, modelClaims(models)],
    ['spec/error-codes.yaml', codes, codeClaims(codes, recordings)],
  ];
  for (const [file, source, found] of files)
    for (const one of found) {
      const claim = withDate(file, source, confirmed(source, one));
      const twin = claims.get(claim.id);
      if (twin) throw source.error(pathOf(source, one), `claim ${claim.id} is made here and at ${twin.place}`);
      claims.set(claim.id, claim);
    }
  for (const [, source] of files)
    for (const id of Object.keys(confirmations(source)))
      if (!claims.has(id)) throw source.error([confirmedKey, id], 'is a claim that does not exist');
  return [...claims.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The field of a file with the sources of claims that `npm run confirm` has seen to hold. */
export const confirmedKey = 'x-confirmed';

/** The sources by claim. */
export function confirmations({ value }: Pick<Source, 'value'>): JsonObject {
  const table = value[confirmedKey];
  return isObject(table) ? table : {};
}

/** A claim that holds is recorded, and keeps its other sources. */
function confirmed(source: Source, found: Found): Found {
  const seen = confirmations(source)[found.id];
  return Array.isArray(seen) ? { ...found, evidence: 'recorded', source: [...seen.map(String), ...found.source] } : found;
}

function pathOf(source: Source, { path }: Found): readonly (string | number)[] {
  return locate(source.value, path.reduce(stepInto, '')) ?? path;
}

function withDate(file: string, source: Source, found: Found): Claim {
  const { path, id, value, evidence, source: from, disputed = [] } = found;
  const dates = from.map((text) => / (\d{4}-\d{2}(?:-\d{2})?)$/.exec(text)?.[1]);
  const undated = dates.indexOf(undefined);
  if (undated >= 0) throw source.error(pathOf(source, found), `source ${from[undated]} of ${id} must end in a date`);
  // A day sorts after its month.
  const seen = dates.sort().at(-1);
  if (seen === undefined) throw source.error(pathOf(source, found), `${id} is ${evidence} without a source`);
  return {
    id,
    place: path.reduce(stepInto, `${file}#`),
    evidence,
    source: from,
    seen,
    ...(value !== undefined && { value }),
    ...(disputed.length > 0 && { disputed }),
  };
}

/** The path of a place in its file, with the positions of rows; undefined if the file has no such place. */
export function locate(document: Json, place: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  let node: Json | undefined = document;
  for (const step of namesOf(place.slice(place.indexOf('#') + 1))) {
    const key: string | number = Array.isArray(node) ? rowOf(node, step) : step;
    node = Array.isArray(node) ? node[Number(key)] : isObject(node) ? node[step] : undefined;
    if (node === undefined) return undefined;
    path.push(key);
  }
  return path;
}

function rowOf(rows: readonly Json[], step: string): number {
  const named = rows.findIndex((row) => isObject(row) && [row['id'], row['code'], row['name']].includes(step));
  return named >= 0 ? named : Number(step);
}

/** The claims as data, one a line. */
export function evidenceFile(claims: readonly Claim[]): string {
  return `{"format":"modelsvc/evidence","version":1,"claims":[\n${claims.map((claim) => JSON.stringify(claim)).join(',\n')}\n]}\n`;
}
