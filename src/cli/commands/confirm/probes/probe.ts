// A probe as data: the request that it sends, the claims that it judges, and its largest cost.
import type { Claim } from 'modelsvc/evidence.json';
import type { Claims } from '../claims.ts';
import type { ProbeReply, ReplyFields, Vocabulary } from '../reply.ts';

/** Keys that may send a probe. A plan key may call chat on the coding root, messages and Responses. */
export type KeyKind = 'payg' | 'plan';

export type Judgement =
  /** `byAnyReply`: not by a failure before the operation, such as that of a key or a rate limit. */
  | { readonly verdict: 'holds'; readonly byAnyReply?: boolean }
  /** `isCertain`: also if the reply is a failure that has its cause in the key or the service. */
  | { readonly verdict: 'differs'; readonly expected: unknown; readonly seen: unknown; readonly isCertain?: boolean }
  | { readonly verdict: 'unreachable'; readonly why: string };

/** Compares a reply with a claim. */
export type Judge = (reply: ProbeReply, words: Vocabulary) => Judgement;

export interface Judged {
  readonly claim: Claim;
  readonly judge: Judge;
  /** True if the claim holds only if it holds in all of its probes, such as each word of an enum. Default: one of them is enough. */
  readonly isPart?: boolean;
}

export interface ClaimProbe {
  /** Unique and stable, for instance `chat max_tokens glm-4v-flash`. */
  readonly name: string;
  readonly method: string;
  /** Path of the spec, which selects the surface. */
  readonly template: string;
  /** Path to send, with its ids and query. Default: the template. */
  readonly path?: string;
  readonly body?: ReplyFields;
  /** `wrong`: the key of the user, wrong in its last character. */
  readonly credential?: 'wrong';
  /** Default: only `payg`. */
  readonly keys?: readonly KeyKind[];
  /** The model that works, and the most tokens that it generates. None for a call that is free. */
  readonly work?: { readonly model: string; readonly output: number };
  readonly judges: readonly Judged[];
}

export const holds: Judgement = { verdict: 'holds' };

export function unreachable(why: string): Judgement {
  return { verdict: 'unreachable', why };
}

export const bothKeys: readonly KeyKind[] = ['payg', 'plan'];
export const planOnly: readonly KeyKind[] = ['plan'];

export const chatPath = '/chat/completions';
export const messagesPath = '/v1/messages';
export const responsesPath = '/responses';

/** A conversation of one token or two. */
export const hello: readonly ReplyFields[] = [{ role: 'user', content: 'Hi' }];

/** The claims that probes ask about, with what else they need to know. */
export class ClaimSource {
  readonly claims: Claims;
  /** The model of probes that need any model: the first that is free, by the prices of the claims and the order of their ids. */
  readonly model: string;

  constructor(claims: Claims) {
    this.claims = claims;
    this.model = freeModel(claims);
  }

  /** The judged claims among some, left out if they do not exist. */
  judged(...pairs: readonly (readonly [id: string, judge: (claim: Claim) => Judge])[]): Judged[] {
    return pairs.flatMap(([id, judge]) => {
      const claim = this.claims.get(id);
      return claim === undefined ? [] : [{ claim, judge: judge(claim) }];
    });
  }

  /** The claims of a form, with the texts of its groups. */
  matching(form: RegExp): { readonly claim: Claim; readonly parts: readonly string[] }[] {
    return [...this.claims.values()].flatMap((claim) => {
      const found = form.exec(claim.id);
      return found ? [{ claim, parts: found.slice(1).map((part) => part ?? '') }] : [];
    });
  }

  /** The ids of chat models. */
  get chatModels(): string[] {
    return [...this.claims.values()]
      .filter((claim) => claim.value === 'chat' && rowOf(claim)?.column === undefined)
      .flatMap((claim) => rowOf(claim)?.id ?? []);
  }

  value(id: string): unknown {
    return this.claims.get(id)?.value;
  }
}

/** The row and column of the model file that a claim is about. */
export function rowOf({ place }: Claim): { readonly id: string; readonly column: string | undefined } | undefined {
  const [, id, column] = /^spec\/models\.yaml#\/models\/([^/]+)(?:\/([^/]+))?/.exec(place) ?? [];
  return id === undefined ? undefined : { id, column };
}

/** A model that thinks only if it may comes first: it has most of the claimed fields. */
function freeModel(claims: Claims): string {
  const price = (id: string): unknown => claims.get(`price:${id}.output`)?.value;
  const ids = [...claims.values()]
    .filter((claim) => claim.value === 'chat' && claim.id.startsWith('model:'))
    .map(({ id }) => id.slice('model:'.length));
  const free = ids.filter(
    (id) => price(id) === 0 && claims.get(`price:${id}.input`)?.value === 0 && claims.get(`model:${id}.status`)?.value === 'current',
  );
  const isSwitchable = (id: string): boolean => claims.get(`model:${id}.thinking`)?.value === 'switchable';
  const cheapest = ids.filter((id) => typeof price(id) === 'number').sort((a, b) => Number(price(a)) - Number(price(b)));
  return free.filter(isSwitchable).at(-1) ?? free[0] ?? cheapest[0] ?? ids[0] ?? 'glm-5.3';
}
