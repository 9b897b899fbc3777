/**
 * Takes a bundle of `modelsvc confirm` into the repository.
 *
 *     npm run confirm:apply -- BUNDLE      --root <folder> works on another tree than this one
 *
 * Claims that hold become `recorded`, with the host and the date, in `x-confirmed` of their file in spec/. Their exchanges become files of
 * test/recorded/confirmed. Differences are printed as a change of the spec, which a person judges and makes. Applying a bundle again changes
 * no file. Run `npm run generate` after it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Bundle, readBundle } from '../src/cli/commands/confirm/bundle.ts';
import { type Claims, claimsIn } from '../src/cli/commands/confirm/claims.ts';
import { writeExchanges } from '../src/testing/index.ts';
import { withConfirmed } from './confirm-apply/confirmed.ts';
import { changeOf } from './confirm-apply/differences.ts';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Hosts of the service. A bundle of a mock proves no claim. */
const hosts = ['api.z.ai', 'open.bigmodel.cn'];

export interface Applied {
  /** Ids of the claims that hold. */
  readonly held: readonly string[];
  /** Files that were changed or made, from the root. */
  readonly changed: readonly string[];
  /** Text for each difference. */
  readonly differences: readonly string[];
}

/** Applies the text of a bundle to the tree at `root`. Throws an error that names the field of a bundle that is not accepted. */
export async function applyBundle(root: string, name: string, text: string): Promise<Applied> {
  const claims = claimsIn('docs/evidence.json', await readFile(join(root, 'docs/evidence.json'), 'utf8'));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const bundle = readBundle(name, text, { package: version, claimIds: new Set(claims.keys()) });
  if (!hosts.includes(bundle.host)) throw new Error(`${name}: confirm.host is not a host of the service (${hosts.join(', ')})`);
  const held = heldIn(bundle);
  const source = `confirm ${bundle.host} ${bundle.date}`;
  const changed: string[] = [];
  const put = async (path: string, content: string): Promise<void> => {
    if ((await readFile(join(root, path), 'utf8').catch(() => undefined)) === content) return;
    await writeFile(join(root, path), content);
    changed.push(path);
  };
  await mkdir(join(root, 'test/recorded/confirmed'), { recursive: true });
  for (const file of ['spec/openapi.yaml', 'spec/models.yaml', 'spec/error-codes.yaml']) {
    const ids = held.filter((id) => claims.get(id)?.place.startsWith(`${file}#`));
    await put(file, withConfirmed(await readFile(join(root, file), 'utf8'), ids, source));
  }
  for (const { probe, exchange, findings } of bundle.answered) {
    if (!findings.some(({ id }) => held.includes(id))) continue;
    const slug = probe.replace(/[^\w.]+/g, '-').replace(/-$/, '');
    const confirm = { host: bundle.host, key: bundle.key, date: bundle.date };
    await put(
      `test/recorded/confirmed/${slug}-${bundle.host === hosts[0] ? 'global' : 'china'}.json`,
      writeExchanges({ confirm, exchanges: [exchange] }),
    );
  }
  return { held, changed, differences: await differencesIn(root, bundle, claims, source) };
}

/** Claims that hold in some finding, differ in none, and need no further answer. */
function heldIn({ answered, open }: Bundle): string[] {
  const findings = answered.flatMap((one) => one.findings);
  const differing = new Set(findings.filter(({ judgement }) => judgement.verdict === 'differs').map(({ id }) => id));
  const holding = findings.filter(({ id, judgement }) => judgement.verdict === 'holds' && !differing.has(id) && !open.includes(id));
  return [...new Set(holding.map(({ id }) => id))].sort();
}

async function differencesIn(root: string, { answered }: Bundle, claims: Claims, source: string): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const { id, judgement } of answered.flatMap((one) => one.findings)) {
    const claim = claims.get(id);
    if (judgement.verdict !== 'differs' || claim === undefined || texts.has(id)) continue;
    const file = claim.place.slice(0, claim.place.indexOf('#'));
    texts.set(id, changeOf(file, await readFile(join(root, file), 'utf8'), claim, judgement, source));
  }
  return [...texts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: 'string' } } });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    console.error('Usage: npm run confirm:apply -- BUNDLE');
    return 2;
  }
  try {
    const { held, changed, differences } = await applyBundle(values.root ?? project, file, await readFile(file, 'utf8'));
    for (const text of differences) console.log(`${text}\n`);
    console.log(`${held.length} claims hold, ${differences.length} differ; ${changed.length} files were written.`);
    if (changed.length > 0) console.log('Run `npm run generate`, then read the diff.');
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
