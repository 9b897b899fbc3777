/**
 * Compares the claims with tables of others that a person has downloaded, and prints the differences by harm.
 *
 *     npm run drift -- FILE…     a folder counts as its files
 *
 * Tables: OpenAPI documents of the vendor, models.dev (TOML files or api.json), the price map of LiteLLM, the provider data of pi-ai, and
 * `zcode-builtin.json` of the vendor's desktop client.
 * `spec/drift.yaml` explains the differences that were looked at. `--unused` lists the explanations that whole tables no longer need.
 * `--root <folder>` works on another tree than this one.
 * Exit code: 0 without open differences, 1 with some, 2 for input that cannot be read.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Operation, readOperations } from '../generate/document/operations.ts';
import { loadYaml, type Source } from '../generate/document/source.ts';
import { type Difference, type Explanation, type Harm, harms, type Judged, judge } from './drift/difference.ts';
import { readExplanations } from './drift/explanations.ts';
import { modelDifferences } from './drift/models.ts';
import { fieldNames, openapiDifferences } from './drift/openapi.ts';
import { readTables, type Table } from './drift/tables.ts';
import { type Claims, claimsOf, project, Refused, specFile } from './facts.ts';

/** The claims and the spec of a tree. */
export interface Ours {
  readonly claims: Claims;
  readonly spec: Source;
  readonly operations: readonly Operation[];
}

export async function readOurs(root: string): Promise<Ours> {
  const spec = await loadYaml(join(root, specFile));
  return { claims: await claimsOf(root), spec, operations: readOperations(spec) };
}

/** Compare the tables of these files with ours, and the differences with a file of explanations. */
export async function drift({ claims, spec, operations }: Ours, explained: string, files: readonly string[]): Promise<Judged> {
  const parameters = operations.flatMap(({ id, parameters: own }) => own.map(({ name }) => `parameter:${id}.${name}`));
  const explanations = await readExplanations(explained, new Set([...claims.keys(), ...fieldNames(spec), ...parameters]));
  const tables: Table[] = [];
  for (const file of files) tables.push(...(await tablesOf(file)));
  const differences = tables.flatMap((table) =>
    table.form === 'models' ? modelDifferences(table, claims) : openapiDifferences(table.name, table.document, spec, operations, claims),
  );
  // Several documents of one host describe parts of it, with the same schemas.
  const single = [...new Map(differences.map((one) => [`${one.table} ${one.claim}`, one])).values()];
  return judge(single, explanations, new Set(tables.map(({ name }) => name)));
}

const forms = /\.(json|toml|ya?ml|md)$/;

async function tablesOf(path: string): Promise<Table[]> {
  const found = await stat(path).catch(() => {
    throw new Refused(`${path}: cannot be read`);
  });
  if (!found.isDirectory()) return readTables(path, await readFile(path, 'utf8'));
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile() && forms.test(one.name)).map((one) => join(one.parentPath, one.name));
  if (files.length === 0) throw new Refused(`${path}: no table in this folder`);
  return (await Promise.all(files.sort().map(tablesOf))).flat();
}

/** The report as lines; with `isWhole` also the explanations of these tables that no difference needs. */
export function report({ open, explained, unused }: Judged, isWhole: boolean): string[] {
  const titles = Object.entries(harms) as [Harm, string][];
  const groups = titles.flatMap(([harm, title]) => {
    const own = open.filter((one) => one.harm === harm);
    return own.length === 0 ? [] : [`${title} (${own.length})`, ...own.flatMap(linesOf), ''];
  });
  const rest = unused.length === 0 ? '' : `, ${unused.length} explanations without a difference here`;
  return [
    ...groups,
    ...(isWhole ? unused.map(({ claim, table, date }) => `  ${claim}  ${table}: explained on ${date}`) : []),
    `${open.length} open, ${explained} explained${rest}`,
  ];
}

function linesOf({ claim, table, theirs, ours, was }: Difference & { readonly was?: Explanation }): string[] {
  const line = `  ${claim}  ${table}: ${shown(theirs)}, ours: ${shown(ours)}`;
  return was === undefined
    ? [line]
    : [line, `    changed since it was explained on ${was.date} for ${shown(was.theirs)} and ours ${shown(was.ours ?? null)}`];
}

function shown(value: unknown): string {
  return value === null ? 'absent' : JSON.stringify(value);
}

export async function main(args: string[]): Promise<number> {
  const options = { root: { type: 'string', default: project }, unused: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (positionals.length === 0) throw new Refused('give files or folders with tables: npm run drift -- FILE…');
  const judged = await drift(await readOurs(values.root), join(values.root, 'spec/drift.yaml'), positionals);
  for (const line of report(judged, values.unused)) console.log(line);
  return judged.open.length > 0 ? 1 : 0;
}
