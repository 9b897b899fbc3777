// Every probe, in the order in which they are sent, and why other claims have none.
import type { Claims } from '../claims.ts';
import { codeProbes } from './codes.ts';
import { modelProbes, planModelProbes } from './models.ts';
import { operationProbes } from './operations.ts';
import { type ClaimProbe, ClaimSource } from './probe.ts';
import { effortProbes, refusalProbes } from './refusals.ts';
import { readProbes, talkProbes } from './talk.ts';
import { limitProbes, wordProbes } from './words.ts';

/** Every probe with a claim. The first show the most claims for the least money. */
export function probesOf(claims: Claims): ClaimProbe[] {
  const source = new ClaimSource(claims);
  const [models = [], ...reads] = readProbes(source);
  const first = [models, ...talkProbes(source), ...codeProbes(source), ...reads, ...planModelProbes(source), ...refusalProbes(source)].flat();
  const last = [...limitProbes(source), ...wordProbes(source), ...modelProbes(source), ...effortProbes(source)];
  const known = new Set([...first, ...last].flatMap(({ judges }) => judges.map(({ claim }) => claim.id)));
  return [...first, ...operationProbes(source, known), ...last].filter(({ judges }) => judges.length > 0);
}

const reasons: readonly (readonly [form: RegExp, why: string])[] = [
  [/^price:/, 'a price is on a page or a bill, not in a reply'],
  [/^default:.*max_tokens$/, 'only an answer of that length shows it'],
  [/^default:/, 'no reply repeats it'],
  [/context_tokens$/, 'only a prompt of that size shows it'],
  [/^limit:/, 'it is a limit of a paid call, or of a part of a request'],
  [/^field:\w*Request\b|^enum:\w*Request\b/, 'the service ignores a field that it does not know, so an answer is no evidence'],
  [/^model:.*\.(?:status|capabilities)$|^model:service/, 'it is on a page, not in a reply'],
  [/^model:/, 'only a paid call of media shows it'],
  [/^code:/, 'it cannot be provoked for free'],
];

/** Why a claim has no probe. */
export function whyNone(id: string): string {
  return reasons.find(([form]) => form.test(id))?.[1] ?? 'no free reply shows it';
}
