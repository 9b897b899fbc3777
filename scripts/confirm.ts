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
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Client, isConfigError, isValidationError, newClient } from '../src/overlay/index.ts';
import { findingText, judgeExchanges, readExchanges } from '../src/testing/index.ts';
import { packagedClaims, packagedDocument } from '../src/testing/judge/document.ts';
import { cheapestModel, entriesOf, type KeyKind } from './confirm/entries.ts';
import { FileRefused, type RunFile, readRun } from './confirm/file.ts';
import { planOf, planText, requestsIn, usdText } from './confirm/plan.ts';
import { proposals } from './confirm/proposals.ts';
import { runEntries } from './confirm/run.ts';
import { verdictsOf } from './confirm/verdicts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const hosts: readonly string[] = ['api.z.ai', 'open.bigmodel.cn'];

class Refused extends Error {}

function options() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({ options: { host: text, recording: text, file: text, model: text, all: flag, yes: flag, plan: flag, 'dry-run': flag } }).values;
}

/** A client for the host alone: every root is below it. */
function clientOf(host: string, apiKey: string, kind: KeyKind): { client: Client; url: URL } {
  if (!URL.canParse(host) || !/^https?:$/.test(new URL(host).protocol)) throw new Refused('--host must be a URL, for instance https://api.z.ai');
  const url = new URL(host);
  if (url.pathname !== '/' || url.username !== '' || url.search !== '') throw new Refused('--host must be a URL without path, key and query');
  if (hosts.includes(url.hostname) && url.protocol !== 'https:') throw new Refused(`--host must be https://${url.host}`);
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

function print(findings: readonly { readonly kind: string }[], held: number | undefined): void {
  const count = (kind: string): number => findings.filter((one) => one.kind === kind).length;
  const claims = held === undefined ? '' : `${held} claims hold. `;
  console.log(`${claims}${count('differs')} differ, ${count('new')} are new, ${count('not reached')} were not reached.`);
}

async function judgeRecording(path: string): Promise<number> {
  const { findings } = await judgeExchanges(readExchanges(readFileSync(path, 'utf8'), path));
  for (const finding of findings) console.log(findingText(finding));
  for (const text of proposals(findings, packagedDocument(), path)) console.log(`\n${text}`);
  print(findings, undefined);
  return 0;
}

async function main(): Promise<number> {
  const given = options();
  if ((given.host === undefined) === (given.recording === undefined)) throw new Refused('pass --host URL or --recording FILE');
  if (given.recording !== undefined) return judgeRecording(given.recording);
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
  const claims = packagedClaims();
  const apiKey = process.env['SVC_API_KEY'] ?? '';
  if (apiKey === '' && !given['dry-run']) throw new Refused('set SVC_API_KEY to a key of the host');
  const key: KeyKind = given.plan ? 'plan' : 'payg';
  const { client, url } = clientOf(given.host ?? '', apiKey || 'none.none', key);
  const path = given.file ?? `confirm-${url.host.replace(/[^\w.-]/g, '-')}.json`;
  const date = new Date().toISOString().slice(0, 10);
  const present = readRun(path, version);
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
  for (const id of held) console.log(`holds        ${id}`);
  for (const finding of findings) console.log(findingText(finding));
  for (const [name, why] of silent) console.log(`not reached  ${name}: ${why}`);
  for (const text of proposals(findings, packagedDocument(), `${url.host} ${file.date}`)) console.log(`\n${text}`);
  print(findings, held.length);
  if (file.exchanges.length > 0) console.log(`File of the run: ${path}`);
  if (silent.size > 0) console.error(`${silent.size} without an answer. The same command with --file ${path} sends only these.`);
  return silent.size > 0 ? 8 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isKnown = error instanceof Refused || error instanceof FileRefused || isValidationError(error) || isConfigError(error);
  const isArgument = error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  const isFile = error instanceof Error && 'syscall' in error;
  if (!isKnown && !isArgument && !isFile) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
