/**
 * Compares the clients of other vendors without and with `modelsvc/fetch`, against the fake service on real sockets.
 *
 *     npm ci --prefix bench/fetch-adapter && npm run build && node bench/fetch-adapter/run.mjs [row]
 *
 * Prints a table; docs/guides/adapter.md contains four of its columns. It takes three minutes, because LangChain waits that long between its retries.
 */
import { serviceFetch } from '../../dist/fetch.js';
import { fakeKey, faults, startFakeService } from '../../dist/testing.js';
import { clients } from './clients.mjs';

const turn = { turn: { text: ['whole', ' answer'] } };
const cut = { turn: { text: ['one ', 'two ', 'three ', 'four'] } };

/** Each row: how the service answers, and whether the client streams. `more` adds options of the adapter. */
const rows = [
  { title: '429, empty balance (1113)', always: faults.error(429, '1113') },
  { title: 'empty balance inside 200', always: faults.embeddedFailure(undefined, '1113') },
  { title: 'overload inside 200 (1305), then an answer', first: [faults.embeddedFailure(undefined, '1305')] },
  { title: 'JSON instead of a stream', stream: true, always: faults.jsonForStream() },
  { title: 'stream cut with a clean end', stream: true, always: { ...faults.truncatedStream(), reply: cut } },
  { title: 'stream that falls silent', stream: true, always: { ...faults.silentAfterHeaders(5), reply: cut }, more: { streamIdleTimeout: 500 } },
  { title: 'error inside a stream (1305)', stream: true, always: { ...faults.inBandError('1305', 'busy', 5), reply: cut } },
  { title: 'no response header', always: faults.silentBeforeHeaders(), more: { timeout: 500 } },
  { title: 'tool schema with `anyOf`', tools: true, always: refusingSchemas },
  { title: '307 to another host', always: (_request, other) => faults.redirect(`${other.url}/elsewhere`, 307) },
];

function refusingSchemas(request) {
  return JSON.stringify(request.body).includes('anyOf') ? faults.error(500, '500') : turn;
}

const giveUpMs = 150_000;
/** Without the adapter a silent stream never ends. */
const silentMs = 10_000;

async function cell(row, make, adapted) {
  // Some of the clients send their key as x-api-key, which the service does not know.
  const fake = await startFakeService({ keys: 'any' });
  const other = await startFakeService({ keys: 'any', validate: false });
  const { always = turn, first = [] } = row;
  for (const operation of ['chat.create', 'anthropic.create', 'responses.create'])
    fake.fallback(operation, typeof always === 'function' ? (request) => always(request, other) : always).answer(operation, ...first);
  const { url } = fake;
  const fetch = adapted ? serviceFetch({ baseURL: url, ...row.more }) : undefined;
  const client = make({ roots: fake.roots, apiKey: fakeKey, fetch });
  const limit = row.stream ? silentMs : giveUpMs;
  let timer;
  const waiting = new Promise((resolve) => {
    timer = setTimeout(resolve, limit, 'hangs');
  });
  const outcome = await Promise.race([(row.stream ? client.stream() : client.create(row.tools)).then(worded, failed), waiting]);
  clearTimeout(timer);
  const leaked = other.requests.length > 0 ? `, **body${other.requests.some(keyed) ? ' and key' : ''} sent there**` : '';
  const sends = fake.requests.length;
  await Promise.all([fake.close(), other.close()]);
  return `${sends}: ${outcome}${leaked}`;
}

function keyed({ headers }) {
  return [headers.authorization, headers['x-api-key']].some((value) => value?.includes(fakeKey));
}

function worded(value) {
  const { text, finish } = typeof value === 'object' && value !== null ? value : { text: value };
  if (finish === 'error' || finish === 'other' || finish === 'unknown') return `text, finish reason ${finish}`;
  if (text === undefined) return '**success without text**';
  if (text === '') return '**empty text**';
  return text.length > 0 && text.startsWith('one') ? '**part as success**' : 'answer';
}

function failed(error) {
  const inner = error?.lastError ?? error;
  const status = inner?.status ?? inner?.statusCode;
  const ours = [inner, inner?.cause].find((one) => one?.[Symbol.for('modelsvc.error')]);
  if (ours) return ours.name;
  return status === undefined ? (inner?.name === 'Error' ? inner.constructor.name : inner?.name) : String(status);
}

process.on('unhandledRejection', () => undefined);
// LangChain and the AI SDK print warnings.
console.warn = console.error = () => undefined;
globalThis.AI_SDK_LOG_WARNINGS = false;

// The first call of a client loads much code.
for (const make of Object.values(clients)) for (const adapted of [false, true]) await cell({ more: {} }, make, adapted);

const [only] = process.argv.slice(2);
const wanted = rows.filter(({ title }) => only === undefined || title.includes(only));
const names = Object.keys(clients);
const table = await Promise.all(
  wanted.map(async (row, index) => {
    // One row after the other, because a busy machine would reach the timeouts of the clients.
    await new Promise((resolve) => setTimeout(resolve, index * 1500));
    const cells = await Promise.all(
      names.map(async (name) => {
        const [before, after] = await Promise.all([cell(row, clients[name], false), cell(row, clients[name], true)]);
        return `${before} → ${after}`;
      }),
    );
    return [row.title, ...cells];
  }),
);
for (const line of [['the service does', ...names], ['service', ...names].map(() => '---'), ...table]) console.log(`| ${line.join(' | ')} |`);
process.exit(0);
