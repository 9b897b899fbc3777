/**
 * Compiles `spec/` to `src/generated` and to pages of `docs/`.
 *
 *     npm run generate             write what changed
 *     npm run generate -- --check  write nothing; fail when a file is stale, and name it
 *
 * `--root <folder>` works on another tree than this one.
 * All files are built and type-checked in memory first, so a broken spec does not change the tree.
 */
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSpec } from './generate/check/spec.ts';
import { collectClaims, evidenceFile } from './generate/claims/claims.ts';
import { readRecordings } from './generate/claims/recordings.ts';
import { codesFile } from './generate/code/codes.ts';
import { effortFile } from './generate/code/effort.ts';
import { examplesFile } from './generate/code/examples.ts';
import { replaceFiles, staleFiles, strays } from './generate/code/files.ts';
import { modelIdsFile, modelsFile } from './generate/code/models.ts';
import { networksFile } from './generate/code/networks.ts';
import { optionsFile } from './generate/code/options.ts';
import { otelFile } from './generate/code/otel.ts';
import { refusalsFile } from './generate/code/refusals.ts';
import { rulesFile } from './generate/code/request-rules.ts';
import { rootsFile, routesFile } from './generate/code/routes.ts';
import { checkTypes } from './generate/code/type-check.ts';
import { typesFiles } from './generate/code/types.ts';
import { wordsFile } from './generate/code/words.ts';
import { modelRows, withModelLists } from './generate/document/models.ts';
import { banner, loadYaml, type Source, SpecError } from './generate/document/source.ts';
import { apiPage, checkDeprecated } from './generate/pages/api-page.ts';
import { errorCodesPage, errorsPage, withErrorClasses, withErrorCodes } from './generate/pages/errors-page.ts';
import { evidenceTable } from './generate/pages/evidence.ts';
import { faultsFile, testingGuide, withFaults } from './generate/pages/faults.ts';
import { featuresPage } from './generate/pages/features.ts';
import { hostsPage } from './generate/pages/hosts.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/** The files of `spec/`. */
export interface Spec {
  readonly openapi: Source;
  readonly codes: Source;
  readonly models: Source;
}

export async function loadSpec(folder: string): Promise<Spec> {
  const models = await loadYaml(join(folder, 'models.yaml'));
  const openapi = await loadYaml(join(folder, 'openapi.yaml'), (text) => withModelLists(text, modelRows(models)));
  return { openapi, codes: await loadYaml(join(folder, 'error-codes.yaml')), models };
}

/** Compile a spec, with the doc comments of this project. Returns the text of every generated file by its path from the project root. */
export async function compile({ openapi, codes, models }: Spec): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  files.set('src/generated/codes.ts', codesFile(codes));
  files.set('src/generated/models.ts', modelsFile(models));
  files.set('src/generated/model-ids.ts', modelIdsFile(models));
  files.set('src/generated/refusals.ts', refusalsFile(models));
  files.set('src/generated/effort.ts', effortFile(models, modelRows(models)));
  const operations = checkSpec(openapi);
  files.set('src/generated/roots.ts', rootsFile(openapi, operations));
  files.set('src/generated/routes.ts', routesFile(openapi, operations));
  files.set('src/generated/rules.ts', rulesFile(openapi, operations));
  files.set('src/generated/options.ts', optionsFile(openapi, operations));
  files.set('src/generated/otel.ts', otelFile(operations));
  files.set('src/generated/examples.ts', examplesFile(openapi, operations));
  files.set('src/generated/words.ts', wordsFile(openapi, operations));
  const recordings = await readRecordings(join(project, 'test/recorded'));
  const claims = collectClaims({ openapi, operations, models, codes, recordings });
  files.set('docs/evidence.json', evidenceFile(claims));
  files.set('docs/evidence.md', evidenceTable(claims, operations, models));
  const types = await typesFiles(openapi);
  files.set('src/generated/types.ts', types.types);
  files.set('src/generated/operations.ts', types.operations);
  files.set('docs/hosts.md', hostsPage(openapi, operations));
  checkDeprecated(openapi, operations);
  files.set('docs/api.md', apiPage(operations));
  files.set('docs/internals/spec-format.md', featuresPage());
  files.set('src/generated/networks.ts', networksFile());
  files.set('src/generated/version.ts', await versionFile());
  files.set('src/generated/faults.ts', faultsFile());
  files.set(testingGuide, withFaults(await readFile(join(project, testingGuide), 'utf8')));
  files.set(errorsPage, withErrorClasses(await readFile(join(project, errorsPage), 'utf8')));
  files.set(errorCodesPage, withErrorCodes(await readFile(join(project, errorCodesPage), 'utf8'), codes));
  return files;
}

/** The version is in package.json alone. */
async function versionFile(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as { readonly version: string };
  return `${banner}\n/** Version of this package, part of the default User-Agent. */\nexport const version = '${version}';\n`;
}

/** The end of a run. */
export interface Outcome {
  readonly summary: string;
  readonly complaints: readonly string[];
}

/**
 * Replace the stale files of the tree at `root`, all or none, and delete those that the generator does not write. With `isCheck` only list them.
 * `say` gets the name of each file before it is deleted.
 */
export async function generate(root: string, isCheck: boolean, say: (line: string) => void = () => {}): Promise<Outcome> {
  const started = performance.now();
  const spec = await loadSpec(join(root, 'spec'));
  const files = await compile(spec);
  files.set('spec/openapi.yaml', spec.openapi.text);
  const stale = await staleFiles(root, files);
  const stray = await strays(root, files);
  const complaints: string[] = [];
  if (isCheck) {
    for (const path of stale.keys()) complaints.push(`stale: ${path} (run: npm run generate)`);
    for (const path of stray) complaints.push(`not generated: ${path} (delete it)`);
  } else {
    if (stale.size > 0) checkTypes(spec.openapi, files);
    await replaceFiles(root, stale);
    for (const path of stray) {
      say(`deleted: ${path} (not generated)`);
      await rm(join(root, path));
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return { summary: `${files.size} files, ${stale.size} ${isCheck ? 'stale' : 'written'}, ${seconds} s`, complaints };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, root: { type: 'string' } } });
  const { summary, complaints } = await generate(values.root ?? project, values.check, console.log);
  for (const line of complaints) console.error(line);
  console.log(summary);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}

/** An error of a flag or of the document as its message; a fault of the generator also has its place in the code. */
function inOneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = error instanceof SpecError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  const place = /\(?(\S+:\d+:\d+)\)?$/m.exec(error.stack ?? '')?.[1];
  return `${error.message.replaceAll('\n', ' ')}${isExpected ? '' : ` (a fault of the generator, at ${place})`}`;
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === 'generate.ts') {
  main().catch((error: unknown) => {
    console.error(inOneLine(error));
    process.exitCode = 1;
  });
}
