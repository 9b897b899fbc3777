// The bundle: the exchanges of a run without keys, ids and texts, and what they show. It can be attached to an issue.
import { createHash } from 'node:crypto';
import { type JsonObject, type RecordedExchange, readExchanges, redactExchange, sortExchanges, writeExchanges } from 'modelsvc/testing';
import { usageError } from '../../errors/exit.ts';
import { nearMiss } from '../../table/near-miss.ts';
import type { Judgement, KeyKind } from './probes/probe.ts';
import { fields, items } from './reply.ts';
import type { ClaimFinding } from './verdicts.ts';

/** An answered probe. */
export interface Answered {
  readonly probe: string;
  /** Redacted. */
  readonly exchange: RecordedExchange;
  readonly findings: readonly ClaimFinding[];
}

export interface Bundle {
  /** Version of modelsvc. */
  readonly package: string;
  /** Host of the chat surface. */
  readonly host: string;
  readonly key: KeyKind;
  /** Day of the first request, in UTC. */
  readonly date: string;
  readonly answered: readonly Answered[];
  /** Claims that need answers of more probes. */
  readonly open: readonly string[];
}

/** An exchange as a bundle may have it: only words of the spec stay. */
export function publicExchange(exchange: RecordedExchange, apiKey: string): RecordedExchange {
  return redactExchange(exchange, { profile: 'bundle', secrets: apiKey.length >= 8 ? [apiKey] : [] });
}

/** The text of a bundle, without what was not found. `sum` finds a change by hand. */
export function bundleText({ answered, open, ...head }: Bundle): string {
  const sorted = sortExchanges(answered.map(({ exchange }) => exchange));
  const probes = sorted.map((exchange) => answered.find((one) => one.exchange === exchange)?.probe ?? '');
  const claims = answered
    .flatMap(({ probe, findings }) =>
      findings.flatMap(({ id, judgement }) =>
        judgement.verdict === 'unreachable' ? [] : [{ id, ...judgementJson(judgement), exchanges: [probes.indexOf(probe)] }],
      ),
    )
    .sort((a, b) => compared(`${a.id} ${String(a.exchanges[0]).padStart(6, '0')}`, `${b.id} ${String(b.exchanges[0]).padStart(6, '0')}`));
  const confirm = { sum: '', ...head, claims, open: [...open].sort(), probes } as unknown as JsonObject;
  const text = writeExchanges({ confirm, exchanges: sorted });
  return text.replace('"sum": ""', `"sum": "${sumOf(text)}"`);
}

function judgementJson(judgement: Judgement): JsonObject {
  if (judgement.verdict !== 'differs') return { verdict: judgement.verdict };
  return { verdict: 'differs', expected: judgement.expected ?? null, seen: judgement.seen ?? null } as JsonObject;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const confirmFields = ['package', 'host', 'key', 'date', 'claims', 'open', 'probes', 'sum'];
const claimFields = ['id', 'verdict', 'expected', 'seen', 'exchanges'];
const again = 'Run `modelsvc confirm` again for a new one.';

/** The version and the claims that a bundle must agree with. */
export interface Expected {
  readonly package: string;
  readonly claimIds: ReadonlySet<string>;
}

/** The bundle in a text. Throws a usage error, or a ValidationError of `readExchanges`, which name the field and never the value. */
export function readBundle(place: string, text: string, expected: Expected): Bundle {
  const { exchanges, confirm } = readExchanges(text, place);
  const refuse = (field: string, problem: string, next: string = again): Error => usageError(`${place}: ${field} ${problem}`, next);
  if (confirm === undefined) throw usageError(`${place} is not a bundle of modelsvc confirm: it has no confirm`, again);
  const extra = Object.keys(confirm).find((name) => !confirmFields.includes(name));
  if (extra !== undefined) throw refuse('confirm', 'has a field that this version does not know');
  const { package: version, host, key, date, claims, open, probes, sum } = confirm;
  for (const [name, value] of Object.entries({ package: version, host, date, sum }))
    if (typeof value !== 'string') throw refuse(`confirm.${name}`, 'must be a text');
  if (version !== expected.package) throw refuse('confirm.package', `is another version than ${expected.package}`);
  if (key !== 'payg' && key !== 'plan') throw refuse('confirm.key', 'must be payg or plan');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(date))) throw refuse('confirm.date', 'must be a day such as 2026-11-22');
  if (!/^[\w.-]+(?::\d+)?$/.test(String(host))) throw refuse('confirm.host', 'must be a host');
  const names = items(probes);
  if (
    names.length !== exchanges.length ||
    new Set(names).size !== names.length ||
    !names.every((name) => typeof name === 'string' && /^[\w .[\]-]{1,120}$/.test(name))
  )
    throw refuse('confirm.probes', 'must name each exchange once');
  const known = (id: unknown, field: string): string => {
    if (typeof id === 'string' && expected.claimIds.has(id)) return id;
    const near = typeof id === 'string' ? nearMiss(id, [...expected.claimIds]) : undefined;
    throw refuse(field, `is a claim that does not exist${near === undefined ? '' : `; the nearest is ${near}`}`);
  };
  const findings = items(claims).map((claim, index): [number, ClaimFinding] => {
    const path = `confirm.claims[${index}]`;
    const { id, exchanges: at, ...judgement } = fields(claim);
    if (Object.keys(fields(claim)).some((name) => !claimFields.includes(name))) throw refuse(path, 'has a field that this version does not know');
    const [place = -1] = items(at);
    const probe = typeof place === 'number' ? names[place] : undefined;
    if (typeof probe !== 'string' || items(at).length !== 1) throw refuse(`${path}.exchanges`, 'must be the index of an exchange');
    if (!isJudgement(judgement)) throw refuse(`${path}.verdict`, 'must be holds, or differs with expected and seen');
    return [Number(place), { id: known(id, `${path}.id`), probe, judgement }];
  });
  const bundle: Bundle = {
    package: version,
    host: String(host),
    key,
    date: String(date),
    answered: exchanges.map((exchange, at) => ({
      probe: String(names[at]),
      exchange,
      findings: findings.filter(([index]) => index === at).map(([, one]) => one),
    })),
    open: items(open).map((id, index) => known(id, `confirm.open[${index}]`)),
  };
  if (sumOf(text.replace(`"sum": "${String(sum)}"`, '"sum": ""')) !== sum)
    throw refuse('confirm.sum', 'does not fit: the file was changed after it was written');
  return bundle;
}

function isJudgement(value: object): value is Judgement {
  const { verdict, expected, seen } = value as Readonly<Record<string, unknown>>;
  if (verdict === 'holds') return expected === undefined && seen === undefined;
  return verdict === 'differs' && expected !== undefined && seen !== undefined;
}
