import { UsageMeter } from '../../../src/overlay/above/usage-meter.ts';
import { readResults } from '../../../src/overlay/batch/output.ts';
import { retryAfterOf } from '../../../src/overlay/call/reply/retry-after.ts';
import { apiError, envelopeOf, failureIn } from '../../../src/overlay/errors/failure.ts';
import { parseServerTime, untilTimeIn } from '../../../src/overlay/errors/server-time.ts';
import { planEdition, quotaWindow } from '../../../src/overlay/monitor/quota-windows.ts';
import { tokensOf } from '../../../src/overlay/monitor/tokens.ts';
import { cleanText } from '../../../src/overlay/secrets/clean.ts';
import { addUsage } from '../../../src/overlay/tools/usage.ts';
import { fields, list, nested, streamOf } from './inputs.ts';
import { type Row, text, value } from './row.ts';

const failure = { operation: 'o', surface: 'chat', status: 500, requestId: undefined, secrets: ['k'.repeat(40)], maxLineLength: 0 } as const;

export const replyRows: readonly Row[] = [
  ['failureIn', 'brackets', value((n) => ({ error: { message: `[123][${'][a'.repeat(n)}`, type: 'x' } })).through(failureIn)],
  ['failureIn', 'words in brackets', value((n) => ({ error: { message: `[123][a][${'b-'.repeat(n)}`, type: 'x' } })).through(failureIn)],
  ['envelopeOf', 'blanks', text((n) => `${' '.repeat(n)}<x`).through((given) => envelopeOf(given, 'text/plain'))],
  ['cleanText', 'the word before a key', text((n) => 'bearer '.repeat(n)).through((given) => cleanText(given, ['k'.repeat(20)]))],
  ['cleanText', 'blanks behind that word', text((n) => `bearer${' '.repeat(n)}`).through((given) => cleanText(given, ['k'.repeat(20)]))],
  ['cleanText', 'beginnings of a key', text((n) => 'k'.repeat(19).concat('x').repeat(n)).through((given) => cleanText(given, ['k'.repeat(20)]))],
  [
    'apiError',
    'a long message',
    text((n) => 'word '.repeat(n)).through((message) => apiError({ code: message, message, requestId: undefined }, failure)),
  ],
  ['retryAfterOf', 'digits', text((n) => `${'1'.repeat(n)}x`).through((given) => retryAfterOf(() => given, 0))],
  [
    'retryAfterOf',
    'words',
    text((n) => 'jan 1 '.repeat(n)).through((given) => retryAfterOf((name) => (name === 'retry-after' ? given : undefined), 0)),
  ],
  [
    'readResults',
    'lines',
    value((n) => list(n, (index) => new TextEncoder().encode(`{"custom_id":"c${index}","response":{"body":{"choices":[]}}}\n`))).through((blocks) =>
      readResults(streamOf(blocks), new Map(), failure),
    ),
  ],
  ['parseServerTime', 'digits', text((n) => '2025-01-01 '.repeat(n)).through(parseServerTime)],
  ['untilTimeIn', 'dates that do not exist', text((n) => '2025-99-01 '.repeat(n)).through(untilTimeIn)],
  ['untilTimeIn', 'digits', text((n) => '2025-01-'.repeat(n)).through(untilTimeIn)],
  ['quotaWindow', 'a long kind of limit', text((n) => '_A'.repeat(n)).through((type) => quotaWindow({ type } as never))],
  ['planEdition', 'rows', value((n) => list(n, () => ({ type: 'TOKENS_LIMIT' }))).through((limits) => planEdition(limits as never))],
  ['tokensOf', 'fields', value((n) => fields(n, () => 1)).through(tokensOf)],
  [
    'UsageMeter',
    'models',
    value((n) =>
      list(n, (index) => ({ model: `m${index}`, service: 's', endpoint: '/x', complete: true, usage: { total_tokens: 1 } }) as never),
    ).through((metas) => {
      const meter = new UsageMeter();
      for (const meta of metas) meter.onResponse(meta);
      return meter.totals();
    }),
  ],
  ['addUsage', 'fields', value((n) => fields(n, () => ({ inner: 1 }))).through((usage) => addUsage(usage, usage))],
  ['addUsage', 'levels', value((n) => nested(n, (inner) => ({ inner }), 1)).through((usage) => addUsage(usage, usage))],
];
