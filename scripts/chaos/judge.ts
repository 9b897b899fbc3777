// The verdict on a run: what the server played against what each call returned.
import type { Attempt, End } from './client.ts';
import { continues, type Play, playOf, textOf, wishOf } from './faults.ts';
import type { Closed, Post } from './server.ts';

export interface Run {
  readonly seed: number;
  readonly transport: string;
  readonly posts: readonly Post[];
  readonly closed: readonly Closed[];
  readonly ends: readonly End[];
}

/** One POST with its play, and the attempt that sent it. */
interface Sent extends Post {
  readonly play: Play;
  readonly attempt: Attempt | undefined;
}

export interface Verdict {
  readonly call: number;
  /** The fault of the first POST. */
  readonly fault: string;
  readonly kind: string;
  readonly posts: readonly Sent[];
  readonly lost: number;
  readonly wrongs: readonly string[];
}

/** Kinds of errors that a broken connection, a broken reply or a refusal may become. */
const kinds: ReadonlySet<string> = new Set(['connection', 'stream', 'api']);

/** What docs/guides/errors.md promises for a billed call after this POST, while attempts are left. Undefined: either. */
function isSentAgain({ play, used, wasClosed }: Sent, transport: string): boolean | undefined {
  const { fault, answers, begun, end, retried, early } = play;
  if (wasClosed) return undefined;
  // Node's fetch takes it for a broken reply.
  if (fault === continues && transport === 'fetch') return false;
  if (retried !== undefined) return retried;
  if (answers) return false;
  // A break during the upload may come before the reply is read.
  if (early) return undefined;
  if (transport === 'fetch' && end === 'reset' && begun === 'header') return undefined;
  if (transport === 'fetch' && end === 'close' && begun === 'nothing' && used > 0) return false;
  return begun === 'nothing';
}

/** True if bytes behind an earlier reply, or a close, went out before this POST, and the client could not see them when its attempt began. */
function isRaced({ spoiltAt, attempt }: Sent): boolean {
  return spoiltAt !== undefined && (attempt === undefined || spoiltAt >= attempt.start);
}

export function judge(run: Run): Verdict[] {
  const posts = new Map<number, Post[]>();
  for (const post of run.posts) posts.set(post.call, [...(posts.get(post.call) ?? []), post]);
  return run.ends.map((end) => judgeCall(run, end, posts.get(end.call) ?? []));
}

function judgeCall({ seed, transport, closed }: Run, { call, kind, text, attempts }: End, posts: readonly Post[]): Verdict {
  const wrongs: string[] = [];
  const sent = posts.map((post): Sent => {
    const attempt = attempts.filter(({ start }) => start <= post.at).at(-1);
    return { ...post, attempt, play: playOf(seed, call, post.nth) };
  });
  // The pool of a fetch is not ours: it does not look at a connection before it sends.
  const isExcused = (one: Sent): boolean => isRaced(one) || (transport === 'fetch' && one.spoiltAt !== undefined);
  const mayAttempt = wishOf(seed, call).maxRetries + 1;
  const last = sent.at(-1);
  const lost = attempts.filter(({ start, end }) => !posts.some(({ at }) => at >= start && at <= end));
  if (posts.length > attempts.length) wrongs.push(`${posts.length} POSTs in ${attempts.length} attempts`);
  if (attempts.length > mayAttempt) wrongs.push(`${attempts.length} attempts, though ${mayAttempt} are allowed`);
  for (const { start, end } of lost)
    if (transport !== 'fetch' && attempts.length > posts.length && !closed.some(({ at }) => at >= start && at <= end)) wrongs.push('an attempt reached no server, and the server closed no connection during it');
  for (const one of sent) {
    if (one.wasClosed && !isExcused(one)) wrongs.push(`sent on a connection that the server had closed ${sinceSpoilt(one)} before`);
    if (one !== last && !isExcused(one) && isSentAgain(one, transport) === false) wrongs.push(`sent again after: ${one.play.fault}`);
  }
  const isSettled = kind === 'answer' || kinds.has(kind);
  if (!isSettled) wrongs.push(`${kind}: ${text}`);
  else if (kind === 'answer') {
    const whole = sent.some(({ nth }) => text === textOf(call, nth, text.split('x').length - 1));
    if (!whole && !(last && isRaced(last))) wrongs.push(`another answer than its own: ${text.slice(0, 40)}${last?.spoiltAt ? `, ${sinceSpoilt(last)} after the first byte behind the previous answer` : ''}`);
    else if (whole && last?.play.answers === false && !isExcused(last)) wrongs.push('an answer, though the reply is broken');
  } else if (last && lost.length === 0 && !isExcused(last)) {
    if (last.play.answers && !last.wasClosed && !(last.play.fault === continues && transport === 'fetch')) wrongs.push(`the answer was lost: ${text}`);
    else if (isSentAgain(last, transport) && attempts.length < mayAttempt) wrongs.push(`not sent again: ${text}`);
  }
  if (wrongs.length > 0)
    for (const [index, { start, end, error = 'ok' }] of attempts.entries()) wrongs.push(`  attempt ${index}: ${start.toFixed(2)} to ${end.toFixed(2)}: ${error}`);
  if (wrongs.length > 0) for (const one of sent) wrongs.push(`  post ${one.at.toFixed(2)} spoilt ${one.spoiltAt} closed ${one.wasClosed} ${JSON.stringify({ ...one.play, steps: one.play.steps.length })}`);
  return { call, fault: last ? (sent[0] ?? last).play.fault : 'no POST', kind, posts: sent, lost: lost.length, wrongs };
}

function sinceSpoilt({ attempt, spoiltAt }: Sent): string {
  return attempt && spoiltAt ? `${(attempt.start - spoiltAt).toFixed(2)} ms` : 'an unknown time';
}
