// The verdict on a run: what the server played against how each call ended.
import { textOf, wishOf } from './answers.ts';
import type { Attempt, End } from './client.ts';
import { continues, type Play, playOf } from './faults.ts';
import type { Closed, Post } from './server.ts';

/** Everything that happened in a run. */
export interface Run {
  readonly seed: number;
  readonly transport: string;
  readonly posts: readonly Post[];
  readonly closed: readonly Closed[];
  readonly ends: readonly End[];
}

/** One POST with its play, and the attempt that sent it. */
interface Sent extends Post {
  /** The POST before on the same connection. */
  readonly before: Post | undefined;
  readonly play: Play;
  readonly attempt: Attempt | undefined;
}

export interface Verdict {
  readonly call: number;
  /** The fault of the first POST. */
  readonly fault: string;
  /** As in `End`. */
  readonly kind: string;
  readonly posts: number;
  readonly wrongs: readonly string[];
  /** Attempts and POSTs, a line each. */
  readonly trace: readonly string[];
}

/** Kinds of errors that a broken connection, a broken reply or a refusal may become. */
const kinds: ReadonlySet<string> = new Set(['connection', 'stream', 'api']);

export function judge(run: Run): Verdict[] {
  const posts = new Map<number, Post[]>();
  for (const post of run.posts) posts.set(post.call, [...(posts.get(post.call) ?? []), post]);
  const before = new Map<Post, Post>();
  const latest = new Map<number, Post>();
  for (const post of run.posts) {
    const previous = latest.get(post.connection);
    if (previous) before.set(post, previous);
    latest.set(post.connection, post);
  }
  return run.ends.map((end) => {
    const sent = (posts.get(end.call) ?? []).map((post): Sent => {
      const attempt = end.attempts.filter(({ start }) => start <= post.at).at(-1);
      return { ...post, before: before.get(post), attempt, play: playOf(run.seed, end.call, post.nth) };
    });
    const wrongs = [...wrongSendings(run, end, sent), ...wrongEnd(run, end, sent)];
    return {
      call: end.call,
      fault: sent[0]?.play.fault ?? 'no POST',
      kind: end.kind,
      posts: sent.length,
      wrongs,
      trace: traceOf(run.seed, end, sent),
    };
  });
}

/** Must the call be sent again after this POST, as docs/guides/errors.md promises, while attempts are left? Undefined: either is right. */
function isSentAgain({ play, used, wasClosed }: Sent, transport: string): boolean | undefined {
  const { answers, begun, end, retried, early } = play;
  if (wasClosed) return undefined;
  if (retried !== undefined) return retried;
  if (mustAnswer(play, transport)) return false;
  // A break during the upload may come before the reply is read.
  if (early) return undefined;
  if (transport === 'fetch' && end === 'reset' && begun === 'header') return undefined;
  if (transport === 'fetch' && end === 'close' && begun === 'nothing' && used > 0) return false;
  return begun === 'nothing' && answers !== true;
}

/** Node's fetch takes a 100 for a broken reply. */
function mustAnswer({ answers, fault }: Play, transport: string): boolean {
  return answers === true && !(fault === continues && transport === 'fetch');
}

/**
 * True if this POST may fail for bytes behind an earlier reply, or a close, which the client could not see when the attempt began. The pool
 * of a fetch does not look at a connection before it sends.
 */
function isExcused({ spoiltAt, attempt }: Sent, transport: string): boolean {
  return spoiltAt !== undefined && (transport === 'fetch' || attempt === undefined || spoiltAt >= attempt.start);
}

/** Is each POST one of the attempts that are allowed, and is none sent again that must not be? */
function* wrongSendings({ seed, transport, closed }: Run, { call, attempts }: End, sent: readonly Sent[]): Generator<string> {
  const mayAttempt = wishOf(seed, call).maxRetries + 1;
  if (attempts.length > mayAttempt) yield `${attempts.length} attempts, though ${mayAttempt} are allowed`;
  if (sent.length > attempts.length) yield `${sent.length} POSTs in ${attempts.length} attempts`;
  const without = attempts.filter(({ start, end }) => !sent.some(({ at }) => at >= start && at <= end));
  if (attempts.length > sent.length && transport !== 'fetch')
    for (const { start, end } of without)
      if (!closed.some(({ at }) => at >= start && at <= end)) yield 'an attempt did not reach the server, which closed no connection meanwhile';
  for (const one of sent) {
    if (isExcused(one, transport)) continue;
    if (one.wasClosed) yield `sent on a connection that the server had closed ${sinceSpoilt(one)} before`;
    if (one !== sent.at(-1) && isSentAgain(one, transport) === false) yield `sent again after: ${one.play.fault}`;
  }
}

/** Did the call end with its own answer, or with the error that the last POST permits? */
function* wrongEnd({ seed, transport }: Run, { call, kind, text, attempts }: End, sent: readonly Sent[]): Generator<string> {
  const last = sent.at(-1);
  if (kind === 'answer') {
    const isOwn = sent.some(({ nth }) => text === textOf(call, nth, text.split('x').length - 1));
    if (isOwn && last?.play.answers === false && !isExcused(last, transport)) yield 'an answer, though the reply is broken';
    // The bytes of an earlier reply cannot be told from an answer if they come after the request.
    if (!isOwn && last && !isExcused(last, 'node:http'))
      yield `an answer that is not its own: ${text.slice(0, 40)}${last.spoiltAt ? `, ${sinceSpoilt(last)} after it was there` : ''}`;
  } else if (!kinds.has(kind)) yield `${kind}: ${text}`;
  // An attempt that did not reach the server may be the last one.
  else if (last && attempts.length === sent.length && !last.wasClosed && !isExcused(last, transport)) {
    if (mustAnswer(last.play, transport)) yield `the answer was lost: ${text}`;
    else if (isSentAgain(last, transport) && attempts.length <= wishOf(seed, call).maxRetries) yield `not sent again: ${text}`;
  }
}

function sinceSpoilt({ attempt, spoiltAt }: Sent): string {
  return attempt && spoiltAt ? `${(attempt.start - spoiltAt).toFixed(2)} ms` : 'at an unknown time';
}

function traceOf(seed: number, { attempts }: End, sent: readonly Sent[]): string[] {
  const first = attempts[0]?.start ?? 0;
  const since = (time: number): string => `${(time - first).toFixed(2)} ms`;
  const played = ({ fault, begun, end }: Play): string => `"${fault}" (${begun}, ${end ?? 'open'})`;
  return [
    ...attempts.map(({ start, end, error = 'reply' }, index) => `attempt ${index}, ${since(start)} to ${since(end)}: ${error}`),
    ...sent.flatMap(({ at, before, spoiltAt, connection, play }) => [
      `POST at ${since(at)} on ${before ? 'used' : 'new'} connection ${connection}: ${played(play)}`,
      ...(before ? [`  after call ${before.call}: ${played(playOf(seed, before.call, before.nth))} at ${since(before.at)}`] : []),
      ...(spoiltAt === undefined ? [] : [`  bytes or a close behind an earlier reply at ${since(spoiltAt)}`]),
    ]),
  ];
}
