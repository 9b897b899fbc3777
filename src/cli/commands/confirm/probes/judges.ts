// The judges that several probes share.
import type { Claim } from 'modelsvc/evidence.json';
import { fields, items, type ProbeReply, type Vocabulary } from '../reply.ts';
import { type ClaimSource, holds, type Judge, type Judged, type Judgement, unreachable } from './probe.ts';

const success = ({ status, code }: ProbeReply): boolean => status < 400 && code === undefined;

/** Codes of a request that is wrong, apart from its model. */
const wrongRequest = ['1210', '1213', '1214', '1215', 'invalid_request', 'invalid_request_error', 'not_implemented'];

export const isSuccess: (reply: ProbeReply) => boolean = success;

export function isRefused({ code }: ProbeReply): boolean {
  return code !== undefined && wrongRequest.includes(code);
}

/** The service refuses the request with the status and the code of the claim. */
export const refusedAsClaimed = (claim: Claim): Judge => {
  const { status = null, code = null } = fields(claim.value);
  // Without a status, any refusal is the claimed one; status 200 without a code claims that the request is accepted.
  const isClaimed = (reply: ProbeReply): boolean =>
    status === null ? isRefused(reply) : reply.status === status && (code === null ? success(reply) : reply.code === String(code));
  return (reply, words) => {
    if (isClaimed(reply)) return holds;
    // Such a model may be one that the account may not use.
    if (reply.code === '1211' || reply.code === 'model_not_found') return notThere(reply, words);
    return {
      verdict: 'differs',
      expected: `${String(status)} ${code === null ? 'accepted' : String(code)}`,
      seen: words.failure(reply),
      isCertain: reply.code === String(code),
    };
  };
};

/** The service accepts a value of the claim. A failure for another reason than the request is no verdict. */
export function takenWord(claim: Claim, what: string): Judge {
  return (reply, words) => {
    if (success(reply)) return holds;
    return isRefused(reply) ? { verdict: 'differs', expected: claim.value, seen: `${what}: ${words.failure(reply)}` } : notThere(reply, words);
  };
}

/** The service refuses a value that is not one of the claim. */
export function refusedWord(claim: Claim, what: string): Judge {
  return (reply, words) => {
    if (isRefused(reply)) return holds;
    return success(reply) ? { verdict: 'differs', expected: claim.value, seen: `${what}: ${words.failure(reply)}` } : notThere(reply, words);
  };
}

const noPath = ['404', '405', '1221', '1222', 'not_found_error'];

/** The path exists: the service answers with a success, or refuses for another reason than the path. */
export const answersOnPath = (): Judge => (reply, words) => {
  if (success(reply) || !noPath.includes(reply.code ?? '')) return { verdict: 'holds', byAnyReply: true };
  return { verdict: 'differs', expected: 'an answer of the operation', seen: words.failure(reply), isCertain: true };
};

/** As above, for a path with an id that does not exist: a 404 may be about the id. */
export const answersOnId = (): Judge => (reply, words) => {
  const found = answersOnPath()(reply, words);
  const isAboutId = found.verdict === 'differs' && !['405', '1221', '1222'].includes(reply.code ?? '');
  return isAboutId ? unreachable(`the service answers with ${words.failure(reply)}, which may be about the id`) : found;
};

/** One of several codes is the answer to a mistake. The first is the one that the mistake should have. */
export function answersWithCode(codes: readonly string[]): (claim: Claim) => Judge {
  return (claim) => (reply, words) => {
    const own = claim.id.slice('code:'.length);
    const { status } = fields(claim.value);
    if (reply.code === own) {
      // Some surfaces put the failure into a reply with status 200, which has no status of its own.
      if (status === null || status === reply.status || reply.status === 200) return holds;
      return { verdict: 'differs', expected: `status ${String(status)}`, seen: `status ${reply.status}`, isCertain: true };
    }
    if (own === codes[0] && !codes.includes(reply.code ?? '')) return { verdict: 'differs', expected: own, seen: words.failure(reply) };
    return unreachable(`the service answers with ${words.failure(reply)}`);
  };
}

/** The values at a path of a value; `name[]` is each item of a list. */
export function valuesAt(value: unknown, steps: readonly string[]): readonly unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return value === undefined ? [] : [value];
  const child = fields(value)[step.replace('[]', '')];
  return (step.endsWith('[]') ? items(child) : [child]).flatMap((one) => valuesAt(one, rest));
}

/** Where the schemas of the spec are in a reply: the path of each, empty for the whole body. */
export type Places = Readonly<Record<string, string>>;

/** Reads the values that contain the schemas. */
export type From = (reply: ProbeReply) => readonly unknown[];

const bodyOf: From = ({ body }) => [body];
export const framesOf: From = ({ frames }) => frames;

/** The claims about fields and words of a reply. `isFailure`: the reply is that of a refused request. */
export function replyClaims(
  source: ClaimSource,
  places: Places,
  { from = bodyOf, isFailure = false }: { readonly from?: From; readonly isFailure?: boolean } = {},
): Judged[] {
  return source.matching(/^(field|enum):([A-Za-z]+)(?:\.([\w.[\]]+))?$/).flatMap(({ claim, parts: [kind = '', schema = '', rest = ''] }) => {
    const place = Object.hasOwn(places, schema) ? places[schema] : undefined;
    if (place === undefined) return [];
    const steps = [place, rest].flatMap((text) => text.split('.').filter(Boolean));
    const read = (reply: ProbeReply): readonly unknown[] =>
      from(reply)
        .flatMap((one) => valuesAt(one, steps))
        .filter((one) => one !== null);
    return [{ claim, judge: kind === 'enum' ? hasWord(claim, read, isFailure) : hasField(claim, read, isFailure) }];
  });
}

/** A reply without an optional field is no verdict. */
function hasField({ value }: Claim, read: From, isFailure: boolean): Judge {
  return (reply, words) => {
    if (success(reply) === isFailure) return notThere(reply, words);
    const [found] = read(reply);
    if (found === undefined) return unreachable('the reply does not have it');
    const isOther = value !== undefined && value !== null && typeof value !== 'object' && value !== found;
    return isOther ? { verdict: 'differs', expected: value, seen: words.shown(found) } : holds;
  };
}

function hasWord({ value }: Claim, read: From, isFailure: boolean): Judge {
  return (reply, words) => {
    if (success(reply) === isFailure) return notThere(reply, words);
    const found = read(reply);
    if (found.length === 0) return unreachable('the reply does not have it');
    // A business code may be in the place of a word.
    const other = found.find((one) => !items(value).includes(one) && !/^\d{3,4}$/.test(String(one)));
    return other === undefined ? holds : { verdict: 'differs', expected: value, seen: words.shown(other) };
  };
}

function notThere(reply: ProbeReply, words: Vocabulary): Judgement {
  return unreachable(`the service answers with ${words.failure(reply)}`);
}

/** A default that the reply states. */
export function stated(steps: readonly string[]): (claim: Claim) => Judge {
  return ({ value }) =>
    (reply, words) => {
      const [found] = success(reply) ? valuesAt(reply.body, steps) : [];
      if (found === undefined || found === null) return success(reply) ? unreachable('the reply does not have it') : notThere(reply, words);
      return found === value ? holds : { verdict: 'differs', expected: value, seen: words.shown(found) };
    };
}
