/**
 * Writes the report of the public surface: one file for each entry point but `types` in `docs/internals/api-report`, made from the built declarations.
 *
 *     npm run docs                             build, then write the reports, among others
 *     npx tsx scripts/api-report.ts --check    compare with the last build; fails when a report is stale, and prints the lines that differ
 *     npx tsx scripts/api-report.ts --types    print the report of modelsvc/types, which is not committed: src/generated/types.ts has the same
 *
 * All fail when a signature uses a type that is not exported.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entryNames } from './entries.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/**
 * The parts of `Bindings`, which only openapi-fetch reads, parts of types that the compiler infers, and what only the library passes: the facts of
 * errors and the settings of services.
 */
const internal = [
  'ApiFailure',
  'ConnectionFailure',
  'MessageParts',
  'InfoOf',
  'PreparedCall',
  'SchemaPair',
  'Settings',
  'paths',
  'Plain',
  'NoSlips',
  'Slips',
  'AnyWord',
  'Instead',
  'CallOf',
  'ReceivedMark',
  'received',
];

interface Report {
  readonly text: string;
  /** Types that a signature uses and the entry point does not export. */
  readonly unexported: readonly string[];
  /** Errors of the compiler and of API Extractor. */
  readonly problems: readonly string[];
}

const declarationsOf = (entry: string): string => join(project, 'dist', `${entry}.d.ts`);

/** The configuration of one entry point; `work` is a folder for temporary files. */
function configOf(entry: string, work: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObject: extractorOptions(entry, work),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(project, 'package.json'),
  });
}

/** The report of one entry point. */
async function report(entry: string, work: string, compilerState: CompilerState): Promise<Report> {
  const unexported: string[] = [];
  const problems: string[] = [];
  Extractor.invoke(configOf(entry, work), {
    localBuild: true,
    compilerState,
    messageCallback: (message) => {
      message.handled = true;
      const unexportedName = message.messageId === 'ae-forgotten-export' ? /"(.+?)"/.exec(message.text)?.[1] : undefined;
      if (unexportedName !== undefined) unexported.push(unexportedName);
      else if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.formatMessageWithLocation(project));
    },
  });
  return { text: await readFile(join(work, `${entry}.api.md`), 'utf8'), unexported, problems };
}

function extractorOptions(entry: string, work: string): Parameters<typeof ExtractorConfig.prepare>[0]['configObject'] {
  const declarations = declarationsOf(entry);
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  // The project's own tsconfig is for sources, which import `.ts` files.
  const compilerOptions = { target: 'ES2022', lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'], module: 'NodeNext', strict: true, types: ['node'] };
  return {
    projectFolder: project,
    mainEntryPointFilePath: declarations,
    newlineKind: 'lf',
    compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
    apiReport: { enabled: true, reportFileName: `${entry}.api.md`, reportFolder: work, reportTempFolder: join(work, 'temp') },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: { ...silent, 'ae-forgotten-export': { logLevel: ExtractorLogLevel.Error } },
      tsdocMessageReporting: silent,
    },
  };
}

/** The lines of `text` that `other` lacks. */
function added(text: string, other: string): string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
}

function printDifference(path: string, committed: string, built: string): void {
  console.error(`${path} differs from the build. Review the change, then run: npm run docs`);
  for (const line of added(committed, built)) console.error(`  - ${line}`);
  for (const line of added(built, committed)) console.error(`  + ${line}`);
}

async function main({ check, types }: { readonly check: boolean; readonly types: boolean }, work: string): Promise<boolean> {
  let good = true;
  // One program for all: compiling the declarations takes most of the time.
  const compilerState = CompilerState.create(configOf('index', work), { additionalEntryPoints: entryNames.map(declarationsOf) });
  await mkdir(join(project, 'docs/internals/api-report'), { recursive: true });
  const reports = await Promise.all(entryNames.map(async (entry) => ({ entry, ...(await report(entry, work, compilerState)) })));
  const shared = reports
    .filter(({ entry }) => ['index', 'monitor', 'services', 'types'].includes(entry))
    .map(({ text }) => text)
    .join('\n');
  for (const { entry, text, unexported, problems } of reports) {
    // Entry points use types of the main one, of `monitor`, of `services` and of `types`, which users import from there. Audio_2 is Audio.
    const isExported = (name: string): boolean => new RegExp(`^export .*\\b${name.replace(/_\d+$/, '')}\\b`, 'm').test(shared);
    const missing = unexported.filter((name) => !internal.includes(name) && !isExported(name));
    for (const name of missing) console.error(`${entry}: the type ${name} is used in a public signature and not exported. Export it.`);
    for (const problem of problems) console.error(problem);
    if (missing.length + problems.length > 0) good = false;
    if (entry === 'types' && types) console.log(text);
    if (entry === 'types' || types) continue;
    const path = `docs/internals/api-report/${entry}.api.md`;
    const committed = await readFile(join(project, path), 'utf8').catch(() => '');
    const stale = committed !== text;
    if (stale && check) printDifference(path, committed, text);
    if (stale && !check) await writeFile(join(project, path), text);
    if (stale && check) good = false;
  }
  return good;
}

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { check: flag, types: flag } });
const work = await mkdtemp(join(tmpdir(), 'api-report-'));
try {
  process.exitCode = (await main(values, work)) ? 0 : 1;
} finally {
  await rm(work, { recursive: true });
}
