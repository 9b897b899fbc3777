// The faults of a run, as functions of its seed: server and judge compute the same plain data from it.
import { type Answer, answerOf, type Framing, headOf, oneOf, type Random, randomOf, upTo, type Wish, wishOf } from './answers.ts';

export type Step = readonly ['write', string] | readonly ['wait', number] | readonly ['close'] | readonly ['reset'];

/** The reply to one POST. */
export interface Play {
  readonly fault: string;
  readonly steps: readonly Step[];
  /** True if the reply begins before the body of the request has arrived. */
  readonly early?: boolean;
  /** Milliseconds for which the body of the request is not read. */
  readonly deafMs?: number;
  /** The part of the reply that is sent. */
  readonly begun: 'nothing' | 'header' | 'body' | 'whole';
  readonly end?: 'close' | 'reset' | undefined;
  /** Bytes of the steps that belong to the reply. Bytes after them arrive before the reply to the next request on the socket. */
  readonly own?: number;
  /** True if the call must return this answer, false if it cannot. Undefined: either is right. */
  readonly answers?: boolean | undefined;
  /** True for a refusal that is retried, false for one that is not. Undefined: the connection decides. */
  readonly retried?: boolean | undefined;
}

const wait = (random: Random, limitMs: number): Step[] => (random() < 0.5 ? [] : [['wait', upTo(random, limitMs)]]);

/** A text in up to six writes. */
function inPieces(random: Random, text: string): Step[] {
  const cuts = Array.from({ length: upTo(random, 5) }, () => upTo(random, text.length)).sort((a, b) => a - b);
  return [0, ...cuts].flatMap((from, index) => [...wait(random, 12), ['write', text.slice(from, cuts[index])] as const]);
}

function informational(random: Random): Step[] {
  const one = (): Step[] => [
    ['write', headOf(oneOf(random, ['103 Early Hints', '102 Processing']), random() < 0.5 ? [] : ['link: </a>'])],
    ...wait(random, 8),
  ];
  return Array.from({ length: 1 + upTo(random, 2) }, one).flat();
}

type Draft = (random: Random, answer: (framing?: Framing, excess?: number) => Answer, wish: Wish) => Omit<Play, 'fault'>;

const framings: readonly Framing[] = ['length', 'chunked', 'chunked', 'close'];

/** The reply up to a byte, then a close or a reset. */
function cut(end: 'close' | 'reset', random: Random, { head, body, enough, untilClose }: Answer, before: readonly Step[] = []): Omit<Play, 'fault'> {
  const part = random();
  const at = part < 0.3 ? 0 : part < 0.65 ? upTo(random, head.length) : head.length + upTo(random, body.length);
  const given = at - head.length;
  const isWhole = given === body.length && !(untilClose && end === 'reset');
  return {
    steps: [...before, ...inPieces(random, (head + body).slice(0, at)), ...wait(random, 12), [end]],
    begun: isWhole ? 'whole' : given >= 0 ? 'body' : at > 0 || before.length > 0 ? 'header' : 'nothing',
    end,
    answers: isWhole ? true : given >= enough ? undefined : false,
  };
}

function refusal(status: string, text: string, more: readonly string[] = []): string {
  return headOf(status, ['content-type: application/json', `content-length: ${text.length}`, ...more]) + text;
}

const busy = JSON.stringify({ error: { code: '1', message: 'busy' } });
const retriable: readonly string[] = [
  refusal('429 Too Many Requests', busy),
  refusal('500 Internal Server Error', busy),
  refusal('502 Bad Gateway', ''),
  refusal('503 Service Unavailable', '<html>busy</html>', ['retry-after: 0']),
];
const final: readonly string[] = [
  refusal('400 Bad Request', busy),
  refusal('404 Not Found', ''),
  refusal('429 Too Many Requests', busy, ['retry-after: 120']),
  refusal('429 Too Many Requests', JSON.stringify({ error: { code: '1113', message: 'empty' } })),
];
const unparsable: readonly string[] = [
  'no HTTP at all\r\n\r\n',
  '\0\0\0\0',
  'HTTP/1.1 200 OK\r\ncontent-length: abc\r\n\r\n',
  'HTTP/1.1 200 OK\r\nbad\u0001name: 1\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n',
  `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`,
  headOf('101 Switching Protocols', ['connection: upgrade', 'upgrade: chaos']),
];
const strays: readonly string[] = ['\r\n', 'x', '\0\0', 'HTTP/1.1 200 OK\r\n', refusal('408 Request Timeout', '', ['connection: close'])];

/** Name of the fault that only some transports accept. */
export const continues = '100 before the answer';

const drafts: Readonly<Record<string, readonly [weight: number, draft: Draft]>> = {
  none: [20, (random, answer) => whole(random, answer(oneOf(random, framings)))],
  '1xx before the answer': [8, (random, answer) => whole(random, answer(oneOf(random, framings)), informational(random))],
  [continues]: [2, (random, answer) => whole(random, answer(), [['write', headOf('100 Continue', [])], ...wait(random, 8)])],
  'reset in the reply': [14, (random, answer) => cut('reset', random, answer(oneOf(random, framings)))],
  'close in the reply': [14, (random, answer) => cut('close', random, answer(oneOf(random, framings)))],
  '1xx, then reset': [3, (random, answer) => cut('reset', random, answer(), informational(random))],
  '1xx, then close': [3, (random, answer) => cut('close', random, answer(), informational(random))],
  'answered twice': [6, (random, answer) => followed(random, answer(), ({ head, body }) => head + body)],
  'stray bytes behind the answer': [6, (random, answer) => followed(random, answer(), () => oneOf(random, strays))],
  'length too long': [
    4,
    (random, answer) => {
      const { head, body, enough } = answer('length', 1 + upTo(random, 1000));
      const end = oneOf(random, ['close', 'reset'] as const);
      const answers = enough < body.length ? undefined : false;
      return { steps: [...inPieces(random, head + body), ...wait(random, 12), [end]], begun: 'body', end, answers };
    },
  ],
  'length too short': [
    4,
    (random, answer, { stream }) => {
      const { head, body } = answer('length', -1 - upTo(random, 8));
      const own = head.length + Number(/content-length: (\d+)/.exec(head)?.[1]);
      return { steps: [['write', head + body]], begun: 'whole', own, answers: stream ? undefined : false };
    },
  ],
  'close after the answer': [8, (random, answer) => closed(random, answer(), 'close')],
  'reset after the answer': [4, (random, answer) => closed(random, answer(), 'reset')],
  'refused for now': [8, (random) => ({ steps: inPieces(random, oneOf(random, retriable)), begun: 'whole', answers: false, retried: true })],
  'refused for good': [3, (random) => ({ steps: inPieces(random, oneOf(random, final)), begun: 'whole', answers: false, retried: false })],
  'no HTTP': [4, (random) => ({ steps: inPieces(random, oneOf(random, unparsable)), begun: 'header', answers: false })],
};

function whole(random: Random, { head, body, untilClose }: Answer, before: readonly Step[] = []): Omit<Play, 'fault'> {
  const steps = [...before, ...inPieces(random, head + body)];
  if (!untilClose) return { steps, begun: 'whole', answers: true };
  return { steps: [...steps, ...wait(random, 12), ['close']], begun: 'whole', end: 'close', answers: true };
}

function followed(random: Random, answer: Answer, more: (answer: Answer) => string): Omit<Play, 'fault'> {
  const own = answer.head.length + answer.body.length;
  const text = answer.head + answer.body + more(answer);
  const at = random() < 0.5 ? text.length : own;
  const rest: Step[] = at < text.length ? [...wait(random, 30), ['write', text.slice(at)]] : [];
  return { steps: [['write', text.slice(0, at)], ...rest], begun: 'whole', own, answers: true };
}

/** A complete reply that announces a kept-alive connection, which the server closes or resets nevertheless. */
function closed(random: Random, { head, body }: Answer, end: 'close' | 'reset'): Omit<Play, 'fault'> {
  return { steps: [['write', head + body], ...wait(random, 20), [end]], begun: 'whole', end, answers: true };
}

const early: Draft = (random, answer) => {
  const kind = oneOf(random, ['answer', 'retriable', 'final'] as const);
  const { head, body } = answer();
  const text = kind === 'answer' ? head + body : oneOf(random, kind === 'final' ? final : retriable);
  const end = oneOf(random, [undefined, undefined, 'close', 'reset'] as const);
  const deafMs = random() < 0.5 ? 0 : upTo(random, 30);
  const steps: Step[] = [...wait(random, 5), ['write', text], ...(end ? [...wait(random, 5), [end] as const] : [])];
  const facts = { steps, early: true, deafMs, begun: 'whole', end } as const;
  // A break during the upload may reach the client before the answer.
  if (end) return { ...facts, ...(kind !== 'answer' && { answers: false }) };
  return kind === 'answer' ? { ...facts, answers: true } : { ...facts, answers: false, retried: kind === 'retriable' };
};

const total = Object.values(drafts).reduce((sum, [weight]) => sum + weight, 0);

/** The reply to an attempt of a call; both count from 0. */
export function playOf(seed: number, call: number, attempt: number): Play {
  const random = randomOf(seed, call, attempt + 1);
  const wish = wishOf(seed, call);
  const answer = (framing: Framing = random() < 0.5 ? 'length' : 'chunked', excess = 0): Answer =>
    answerOf(wish, call, attempt, random, framing, excess);
  if (wish.size >= 300_000 && random() < 0.7) return { fault: 'early reply', ...early(random, answer, wish) };
  let left = random() * total;
  for (const [fault, [weight, draft]] of Object.entries(drafts)) if ((left -= weight) < 0) return { fault, ...draft(random, answer, wish) };
  throw new Error('the weights do not add up');
}
