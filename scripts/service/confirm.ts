/**
 * Compares the service, or a recording, with the document: strictly, by its schemas.
 *
 *     npm run confirm -- --host https://api.z.ai                   show the requests and their largest cost, ask, send each once, judge
 *     npm run confirm -- --host https://api.z.ai --dry-run         only show them
 *     npm run confirm -- --recording FILE                          judge a cassette of `modelsvc/testing`, without a request
 *
 * `--file FILE` is the file of the run; the same file continues it. `--all` removes the bounds of requests and cost, `--yes` the question,
 * `--plan` is for the key of a coding plan, `--model ID` answers where any model would do. The key is `SVC_API_KEY`.
 * Exit code: 0 if everything was answered, also with findings; 8 if something was not; 2 for input that cannot be used.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type Client, newClient, version } from '../../src/overlay/index.ts';
import { readExchanges } from '../../src/testing/index.ts';
import { cheapestModel, entriesOf, type KeyKind } from './confirm/entries.ts';
import { type RunFile, runIn } from './confirm/file.ts';
import { planOf, planText, requestsIn, usdText } from './confirm/plan.ts';
import { proposals } from './confirm/proposals.ts';
import { runEntries } from './confirm/run-entries.ts';
import { verdictsOf } from './confirm/verdicts.ts';
import { claimsOf, project, Refused, regions, specFile } from './facts.ts';
import { type ExchangeFinding, findingText } from './judge/finding.ts';
import { judged } from './judge/judge-exchanges.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = { host: text, recording: text, file: text, model: text, all: flag, yes: flag, plan: flag, 'dry-run': flag };

/** A client for the host alone: every root is below it. */
function clientOf(host: string, apiKey: string, kind: KeyKind): { client: Client; url: URL } {
  if (!URL.canParse(host) || !/^https?:$/.test(new URL(host).protocol)) throw new Refused('--host must be a URL, for instance https://api.z.ai');
  const url = new URL(host);
  if (url.pathname !== '/' || url.username !== '' || url.search !== '') throw new Refused('--host must be a URL without path, key and query');
  if (url.hostname in regions && url.protocol !== 'https:') throw new Refused(`--host must be https://${url.host}`);
  const at = (path: string): string => `${url.origin}/api${path}`;
  const [platform, coding] = [at('/paas/v4'), at('/coding/paas/v4')];
  const others = { messages: at('/anthropic'), responses: at('/v1'), agents: at(''), monitor: at('/monitor'), biz: at('/biz') };
  const endpoints = { ...others, china: platform, platform, coding };
  return { client: newClient({ apiKey, baseURL: kind === 'plan' ? coding : platform, endpoints, serviceRules: true }), url };
}

async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Refused('pass --yes to send without a terminal');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await reader.question(`${question} [y/N] `));
  } finally {
    reader.close();
  }
}

/** Prints what holds, the findings, the changes of the document and a count. */
function print(
  findings: readonly ExchangeFinding[],
  source: string,
  held?: readonly string[],
  silent: ReadonlyMap<string, string> = new Map(),
): void {
  for (const id of held ?? []) console.log(`holds        ${id}`);
  for (const finding of findings) console.log(findingText(finding));
  for (const [name, why] of silent) console.log(`not reached  ${name}: ${why}`);
  for (const change of proposals(findings, readFileSync(project + specFile, 'utf8'), source)) console.log(`\n${change}`);
  const count = (kind: string): number => findings.filter((one) => one.kind === kind).length;
  const claims = held === undefined ? '' : `${held.length} claims hold. `;
  console.log(`${claims}${count('differs')} differ, ${count('new')} are new, ${count('not reached')} were not reached.`);
}

export async function main(args: string[]): Promise<number> {
  const given = parseArgs({ args, options }).values;
  if ((given.host === undefined) === (given.recording === undefined)) throw new Refused('pass --host URL or --recording FILE');
  if (given.recording !== undefined) {
    const { findings } = judged(readExchanges(readFileSync(given.recording, 'utf8'), given.recording));
    print(findings, given.recording);
    return 0;
  }
  const claims = await claimsOf(project);
  const apiKey = process.env['SVC_API_KEY'] ?? '';
  if (apiKey === '' && !given['dry-run']) throw new Refused('set SVC_API_KEY to a key of the host');
  const key: KeyKind = given.plan ? 'plan' : 'payg';
  const { client, url } = clientOf(given.host ?? '', apiKey || 'none.none', key);
  const path = given.file ?? `confirm-${url.host.replace(/[^\w.-]/g, '-')}.json`;
  const date = new Date().toISOString().slice(0, 10);
  const present = existsSync(path) ? runIn(path, readFileSync(path, 'utf8')) : undefined;
  if (present !== undefined && (present.host !== url.host || present.key !== key))
    throw new Refused(`${path} is of ${present.host} with a key of kind ${present.key}: write to another one with --file`);
  const start: RunFile = present ?? { package: version, host: url.host, key, date, answered: {}, exchanges: [] };
  const entries = entriesOf(claims, given.model ?? cheapestModel(claims));
  const plan = planOf(entries, key, given.all, new Set(Object.keys(start.answered)));
  console.error(planText(plan, url.host, key));
  if (given['dry-run']) return 0;
  const cost = key === 'plan' ? 'on the plan' : `for at most ${usdText(plan)}`;
  const isSent = plan.send.length > 0;
  if (isSent && !given.yes && !(await confirmed(`Send at most ${requestsIn(plan)} requests to ${url.host} with SVC_API_KEY, ${cost}?`))) return 2;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const note = (text: string): void => console.error(text);
  const { file, silent } = await runEntries(
    plan.send.map(({ entry }) => entry),
    { client, apiKey, path, file: start, note, signal: stop.signal },
  );
  const { findings, held } = await verdictsOf(file, claims, entries);
  print(findings, `${url.host} ${file.date}`, held, silent);
  if (file.exchanges.length > 0) console.log(`File of the run: ${path}`);
  if (silent.size > 0) console.error(`${silent.size} without an answer. The same command with --file ${path} sends only these.`);
  return silent.size > 0 ? 8 : 0;
}
