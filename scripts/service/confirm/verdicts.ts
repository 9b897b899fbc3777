// Claims that a run shows, and differences of the service.

import { businessCode } from '../../../src/overlay/errors/failure.ts';
import type { Claim } from '../../generate/claims/claim.ts';
import type { Claims } from '../facts.ts';
import type { ExchangeFinding } from '../judge/finding.ts';
import { type Judgement, judged } from '../judge/judge-exchanges.ts';
import type { Entry } from './entries.ts';
import type { RunFile } from './file.ts';

export interface Verdicts {
  readonly findings: readonly ExchangeFinding[];
  /** Ids of the claims that some reply shows. */
  readonly held: readonly string[];
}

/** Judges the exchanges of a run, and the answers to requests that must be refused or accepted. */
export async function verdictsOf(file: RunFile, claims: Claims, entries: readonly Entry[]): Promise<Verdicts> {
  const judgement = judged(file);
  const answers = entries.flatMap((entry) => {
    const answer = file.answered[entry.name];
    return answer === undefined ? [] : [{ entry, answer, found: answerFinding(entry, answer) }];
  });
  const findings = [...judgement.findings, ...answers.flatMap(({ found }) => found ?? [])];
  const refused = answers.flatMap(({ entry, found }) => (entry.refusal !== undefined && found === undefined ? [entry.refusal.id] : []));
  const shown = [...claims.values()].filter((claim) => isShown(claim, judgement)).map(({ id }) => id);
  return { findings, held: [...new Set([...shown, ...refused])].sort() };
}

/** Categories that are about the key or the moment, not about the request. */
const otherCauses: readonly unknown[] = ['auth', 'account', 'billing', 'permission', 'quota', 'rate', 'server', 'content'];

function answerFinding({ name, refusal }: Entry, answer: string): ExchangeFinding | undefined {
  const [status = '', code = ''] = answer.split(' ');
  const found = (kind: ExchangeFinding['kind'], expected: string, seen?: string): ExchangeFinding => ({
    kind,
    operation: name,
    exchange: 0,
    count: 1,
    place: 'answer',
    expected,
    seen,
    rule: refusal?.place.replace(/^spec\/openapi\.yaml/, ''),
  });
  const category = businessCode(code)?.category;
  if (refusal === undefined) {
    if (answer === 'success') return undefined;
    // A failure of the key has its own finding; a refused request contradicts the document.
    return otherCauses.includes(category) ? undefined : found('differs', 'a success', answer);
  }
  const wanted = (refusal.value ?? {}) as { readonly status?: unknown; readonly code?: unknown };
  const wantedCode = wanted.code === undefined && refusal.id.startsWith('code:') ? refusal.id.slice('code:'.length) : wanted.code;
  const expected = [wanted.status, wantedCode].filter((one) => one !== null && one !== undefined).join(' ');
  const fits = (wanted.status ?? status) === (typeof wanted.status === 'number' ? Number(status) : status) && (wantedCode ?? code) === code;
  if (answer !== 'success' && fits) return undefined;
  const isOther = otherCauses.includes(category) && code !== String(wantedCode);
  return isOther ? found('not reached', `another failure came first (${answer})`) : found('differs', `a refusal with ${expected}`, answer);
}

/** A claim holds where a reply shows it, and no finding contradicts it. */
function isShown({ id, place, value }: Claim, { shown, findings }: Judgement): boolean {
  const pointer = place.slice(place.indexOf('#'));
  const kind = id.slice(0, id.indexOf(':'));
  if (kind === 'code' || kind === 'model') return shown.has(id);
  if (findings.some(({ kind: found, rule }) => found !== 'not reached' && rule !== undefined && pointer.startsWith(rule))) return false;
  if (kind === 'field' || kind === 'operation') return shown.has(pointer);
  const schema = pointer.replace(/\/(?:x-extensible-enum|enum)$/, '');
  return kind === 'enum' && Array.isArray(value) && value.every((word) => shown.has(`${schema}=${String(word)}`));
}
