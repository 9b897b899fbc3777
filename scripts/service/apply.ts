/**
 * Takes the file of a run of `npm run confirm` into the repository.
 *
 *     npm run confirm:apply -- FILE      --root <folder> works on another tree than this one
 *
 * Claims that hold become `recorded`, with the host and the date, in `x-confirmed` of their file in spec/. The exchanges become a file of
 * test/recorded/confirmed. Differences are printed as a change of the spec, which a person judges and makes. Applying a file again changes
 * no file. Run `npm run generate` after it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeExchanges } from '../../src/testing/index.ts';
import { withConfirmed } from './confirm/confirmed.ts';
import { cheapestModel, entriesOf } from './confirm/entries.ts';
import { runIn } from './confirm/file.ts';
import { proposals } from './confirm/proposals.ts';
import { verdictsOf } from './confirm/verdicts.ts';
import { claimsOf, project, Refused, regions, specFile } from './facts.ts';

export interface Applied {
  /** Ids of the claims that hold. */
  readonly held: readonly string[];
  /** Files that were changed or made, from the root. */
  readonly changed: readonly string[];
  /** Text for each difference. */
  readonly differences: readonly string[];
}

/** Applies the text of a run to the tree at `root`. Throws an error that names the field of a file that is not accepted. */
export async function applyRun(root: string, name: string, text: string): Promise<Applied> {
  const claims = await claimsOf(root);
  const run = runIn(name, text);
  const { host, key, date, exchanges } = run;
  const region = regions[host];
  // A run against a mock proves no claim.
  if (region === undefined) throw new Refused(`${name}: confirm.host is not a host of the service (${Object.keys(regions).join(', ')})`);
  const { held, findings } = await verdictsOf(run, claims, entriesOf(claims, cheapestModel(claims)));
  const source = `confirm ${host} ${date}`;
  const changed: string[] = [];
  const put = async (path: string, content: string): Promise<void> => {
    if ((await readFile(join(root, path), 'utf8').catch(() => undefined)) === content) return;
    await writeFile(join(root, path), content);
    changed.push(path);
  };
  await mkdir(join(root, 'test/recorded/confirmed'), { recursive: true });
  const differences = proposals(findings, await readFile(join(root, specFile), 'utf8'), source);
  for (const file of [specFile, 'spec/models.yaml', 'spec/error-codes.yaml']) {
    const ids = held.filter((id) => claims.get(id)?.place.startsWith(`${file}#`));
    await put(file, withConfirmed(await readFile(join(root, file), 'utf8'), ids, source));
  }
  await put(`test/recorded/confirmed/${region}.json`, writeExchanges({ confirm: { host, key, date }, exchanges }));
  return { held, changed, differences };
}

export async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { root: { type: 'string', default: project } } });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Refused('Usage: npm run confirm:apply -- FILE');
  const { held, changed, differences } = await applyRun(values.root, file, await readFile(file, 'utf8'));
  for (const change of differences) console.log(`${change}\n`);
  console.log(`${held.length} claims hold, ${differences.length} differ; ${changed.length} files were written.`);
  if (changed.length > 0) console.log('Run `npm run generate`, then read the diff.');
  return 0;
}
