/**
 * Compares the claims with tables of others that a person has downloaded, and prints the differences by harm.
 *
 *     npm run drift -- FILE…     a folder stands for its files
 *
 * Tables: OpenAPI documents of the vendor, models.dev (TOML files or api.json), the price map of LiteLLM, the provider data of pi-ai.
 * `spec/drift.yaml` explains the differences that were looked at. `--root <folder>` works on another tree than this one.
 * Exit code: 0 without open differences, 1 with some, 2 for input that cannot be read.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Difference, type Explanation, type Harm, harms, type Judged, judge } from './drift/difference.ts';
import { readExplanations } from './drift/explanations.ts';
import { modelDifferences } from './drift/models.ts';
import { fieldNames, openapiDifferences } from './drift/openapi.ts';
import { readTables, type Table, TableError } from './drift/tables.ts';
import type { Claim } from './generate/claims.ts';
import { readOperations } from './generate/operations.ts';
import { type Json, loadYaml, SpecError } from './generate/source.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Compare the tables of these files with the tree at `root`. */
export async function drift(root: string, files: readonly string[]): Promise<Judged> {
  const { claims: rows } = JSON.parse(await readFile(join(root, 'docs/evidence.json'), 'utf8')) as { readonly claims: readonly Claim[] };
  const claims = new Map(rows.map((claim) => [claim.id, claim]));
  const spec = await loadYaml(join(root, 'spec/openapi.yaml'));
  const operations = readOperations(spec);
  const explanations = await readExplanations(join(root, 'spec/drift.yaml'), new Set([...claims.keys(), ...fieldNames(spec)]));
  const tables: Table[] = [];
  for (const file of files) tables.push(...(await tablesOf(file)));
  const differences = tables.flatMap((table) =>
    table.form === 'models'
      ? modelDifferences(table.name, table.rows, claims)
      : openapiDifferences(table.name, table.document, spec, operations, rows),
  );
  // Several documents of one host describe parts of it, with the same schemas.
  const single = [...new Map(differences.map((one) => [`${one.table} ${one.claim}`, one])).values()];
  return judge(single, explanations, new Set(tables.map(({ name }) => name)));
}

const forms = /\.(json|toml|ya?ml|md)$/;

async function tablesOf(path: string): Promise<Table[]> {
  const found = await stat(path).catch(() => {
    throw new TableError(`${path}: cannot be read`);
  });
  if (!found.isDirectory()) return readTables(path, await readFile(path, 'utf8'));
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile() && forms.test(one.name)).map((one) => join(one.parentPath, one.name));
  if (files.length === 0) throw new TableError(`${path}: no table in this folder`);
  return (await Promise.all(files.sort().map(tablesOf))).flat();
}

/** The report as lines. */
export function report({ open, explained, unused }: Judged): string[] {
  const titles = Object.entries(harms) as [Harm, string][];
  const groups = titles.flatMap(([harm, title]) => {
    const own = open.filter((one) => one.harm === harm);
    return own.length === 0 ? [] : [`${title} (${own.length})`, ...own.flatMap(linesOf), ''];
  });
  const old = unused.map(({ claim, table, date }) => `Explained on ${date}, and no longer different: ${claim} in ${table}`);
  return [...groups, ...old, `${open.length} open, ${explained} explained`];
}

function linesOf({ claim, table, theirs, ours, was }: Difference & { readonly was?: Explanation }): string[] {
  const line = `  ${claim}  ${table}: ${shown(theirs)}, ours: ${shown(ours)}`;
  return was === undefined
    ? [line]
    : [line, `    changed since it was explained on ${was.date} for ${shown(was.theirs)} and ours ${shown(was.ours)}`];
}

function shown(value: Json): string {
  return value === null ? 'absent' : JSON.stringify(value);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: 'string' } } });
  if (positionals.length === 0) throw new TableError('give files or folders with tables: npm run drift -- FILE…');
  const judged = await drift(values.root ?? project, positionals);
  for (const line of report(judged)) console.log(line);
  process.exitCode = judged.open.length > 0 ? 1 : 0;
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === 'drift.ts') {
  main().catch((error: unknown) => {
    if (!(error instanceof TableError || error instanceof SpecError || (error instanceof TypeError && 'code' in error))) throw error;
    console.error(error.message);
    process.exitCode = 2;
  });
}
