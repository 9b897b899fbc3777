// The verdict on a run: what the server played against how each call ended.
import { textOf, wishOf } from './answers.ts';
import type { End } from './client.ts';
import { continues, type Play, playOf } from './faults.ts';
import type { Loose, Post } from './server.ts';

/** Everything that happened in a run. */
export interface Run {
  readonly seed: number;
  /** Milliseconds that the machine may take to deliver a close, or bytes, from one process to the other. */
  readonly slackMs: number;
  readonly transport: string;
  readonly posts: readonly Post[];
  readonly loose: readonly Loose[];
  readonly ends: readonly End[];
}

/** One POST with its play, and the attempt that sent it. */
interface Sent {
  readonly post: Post;
  readonly play: Play;
  /** When its attempt began. */
  readonly start: number;
  /** The previous POST on the same connection. */
  readonly before: Post | undefined;
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
const kinds: ReadonlySet<string> = new Set(['connection', 'stream', 'reply', 'api']);

/** With a gate, the retries of all calls of a model have a budget. */
const spentBudget = 'the budget of retries for this model is used up';

export function judge(run: Run): Verdict[] {
  const posts = new Map<number, Post[]>();
  const before = new Map<Post, Post | undefined>();
  const latest = new Map<number, Post>();
  for (const post of run.posts) {
    posts.set(post.call, [...(posts.get(post.call) ?? []), post]);
    before.set(post, latest.get(post.connection));
    latest.set(post.connection, post);
  }
  return run.ends.map((end) => {
    const sent = (posts.get(end.call) ?? [])
      .sort((a, b) => a.attempt - b.attempt)
      .map((post): Sent => {
        const start = end.attempts[post.attempt]?.start ?? 0;
        return { post, play: playOf(run.seed, end.call, post.attempt), start, before: before.get(post) };
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
function isSentAgain({ post, play }: Sent, transport: string): boolean | undefined {
  if (post.wasClosed) return undefined;
  if (play.retried !== undefined) return play.retried;
  if (mustAnswer(play, transport)) return false;
  // A break during the upload may come before the reply is read.
  if (play.early) return undefined;
  if (transport === 'fetch' && play.end === 'reset' && play.begun === 'header') return undefined;
  if (transport === 'fetch' && play.end === 'close' && play.begun === 'nothing' && post.used > 0) return false;
  return play.begun === 'nothing';
}

/** True if the call must return the answer. Node's fetch treats a 100 as a broken reply. */
function mustAnswer({ answers, fault }: Play, transport: string): boolean {
  return answers === true && !(fault === continues && transport === 'fetch');
}

/**
 * True if this POST may fail because of a close, or bytes after an earlier reply, unseen by the client when the attempt began. The pool of
 * fetch does not check a connection before it sends.
 */
function isExcused({ post, start }: Sent, { transport, slackMs }: Pick<Run, 'transport' | 'slackMs'>): boolean {
  return post.spoiltAt !== undefined && (transport === 'fetch' || post.spoiltAt + slackMs >= start);
}

/** Each POST must be one of the allowed attempts, and no other may be sent again. */
function* wrongSendings(run: Run, { call, attempts, abortedAt = Number.POSITIVE_INFINITY }: End, sent: readonly Sent[]): Generator<string> {
  const { seed, transport, slackMs, loose } = run;
  const mayAttempt = wishOf(seed, call).maxRetries + 1;
  if (attempts.length > mayAttempt) yield `${attempts.length} attempts, though ${mayAttempt} are allowed`;
  for (const [index, { start, end }] of attempts.entries()) {
    const posts = sent.filter(({ post }) => post.attempt === index).length;
    if (posts > 1) yield `${posts} POSTs in attempt ${index}`;
    // The server may close a connection while the request is on its way.
    else if (start > abortedAt) yield `attempt ${index} began after the abort`;
    else if (posts === 0 && abortedAt > end && transport !== 'fetch' && !loose.some(({ from, to }) => to + slackMs >= start && from <= end))
      yield `attempt ${index} did not reach the server, which closed no connection meanwhile`;
  }
  for (const one of sent) {
    if (isExcused(one, run)) continue;
    if (one.post.wasClosed) yield `attempt ${one.post.attempt} used a connection that the server had closed ${sinceSpoilt(one)} before`;
    if (one.post.attempt < attempts.length - 1 && isSentAgain(one, transport) === false) yield `sent again after: ${one.play.fault}`;
  }
}

/** Did the call end with its own answer, or with the error that the last POST permits? */
function* wrongEnd(run: Run, { call, kind, text, attempts, abortedAt }: End, sent: readonly Sent[]): Generator<string> {
  const { seed, transport } = run;
  const last = sent.find(({ post }) => post.attempt === attempts.length - 1);
  if (kind === 'abort' && abortedAt !== undefined) return;
  if (kind !== 'answer' && !kinds.has(kind)) yield `${kind}: ${text}`;
  else if (!last) {
    // The last attempt did not reach the server.
    if (kind === 'answer') yield `an answer without a request: ${text.slice(0, 40)}`;
  } else if (kind === 'answer') {
    // Bytes after an earlier reply cannot be distinguished from an answer if they arrive after the request.
    if (text !== textOf(call, last.post.attempt, text.split('x').length - 1) && !isExcused(last, run))
      yield `an answer that is not its own: ${text.slice(0, 40)}${last.post.spoiltAt ? `, ${sinceSpoilt(last)} after it was there` : ''}`;
    else if (last.play.answers === false && !isExcused(last, run)) yield 'an answer, though the reply is broken';
  } else if (!last.post.wasClosed && !isExcused(last, run)) {
    if (mustAnswer(last.play, transport)) yield `the answer was lost: ${text}`;
    else if (isSentAgain(last, transport) && attempts.length <= wishOf(seed, call).maxRetries && !text.includes(spentBudget))
      yield `not sent again: ${text}`;
  }
}

function sinceSpoilt({ post, start }: Sent): string {
  return post.spoiltAt === undefined ? '' : `${(start - post.spoiltAt).toFixed(2)} ms`;
}

function traceOf(seed: number, { attempts }: End, sent: readonly Sent[]): string[] {
  const first = attempts[0]?.start ?? 0;
  const since = (time: number): string => `${(time - first).toFixed(2)} ms`;
  const played = ({ fault, begun, end }: Play): string => `"${fault}" (${begun}, ${end ?? 'open'})`;
  return [
    ...attempts.map(({ start, end, error = 'reply' }, index) => `attempt ${index}, ${since(start)} to ${since(end)}: ${error}`),
    ...sent.flatMap(({ post: { attempt, at, spoiltAt, connection }, before, play }) => [
      `POST of attempt ${attempt} at ${since(at)} on ${before ? 'used' : 'new'} connection ${connection}: ${played(play)}`,
      ...(before ? [`  after call ${before.call}: ${played(playOf(seed, before.call, before.attempt))} at ${since(before.at)}`] : []),
      ...(spoiltAt === undefined ? [] : [`  bytes behind an earlier reply, or a close, at ${since(spoiltAt)}`]),
    ]),
  ];
}
