// The counts of a run, as texts: one line while it runs, and a summary at its end.
import { cachedShare } from 'modelsvc';
import type { RowResult } from '../../bulk/results.ts';
import { costText, tokenCounts } from '../../talk/usage-line.ts';
import { waitText } from '../../terminal/time-text.ts';
import { shortened } from '../../terminal/width.ts';

/** Reasons that a summary lists. */
const mostReasons = 5;
/** A rate needs some results to mean something. */
const leastForRate = 3;

/** Times are milliseconds of a steady clock. */
export class Tally {
  answered = 0;
  failed = 0;
  /** Answers that the token limit cut off. */
  cut = 0;
  /** Rows that have an answer from an earlier run. */
  skipped = 0;
  /** Rows of the input, once they are counted. */
  total: number | undefined;
  /** Tokens of the answers, those that were not usable included. */
  readonly usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } };
  readonly #startedAt: number;
  readonly #costOf: (usage: object) => number | undefined;
  readonly #reasons = new Map<string, { readonly text: string; readonly first: number; count: number }>();
  #retry: { readonly reason: string; readonly until: number } | undefined;
  readonly #retryReasons = new Set<string>();

  /** `costOf` is the list price of a usage in dollars, if there is one. */
  constructor(now: number, costOf: (usage: object) => number | undefined) {
    this.#startedAt = now;
    this.#costOf = costOf;
  }

  /** In milliseconds. */
  elapsed(now: number): number {
    return Math.round(now - this.#startedAt);
  }

  add({ index, error, usage, finish_reason: reason }: RowResult): void {
    this.#spend(usage ?? {});
    if (reason !== undefined) this.cut++;
    if (!error) return void this.answered++;
    this.failed++;
    const { key, text } = reasonOf(error as Readonly<Record<string, unknown>>);
    const known = this.#reasons.get(key);
    if (known) known.count++;
    else this.#reasons.set(key, { text, first: index, count: 1 });
  }

  /** A call is tried again. True for the first of its reason. */
  retry(reason: string, delayMs: number, now: number): boolean {
    this.#retry = { reason, until: Math.max(this.#retry?.until ?? 0, now + delayMs) };
    return this.#retryReasons.size < this.#retryReasons.add(reason).size;
  }

  /** `2 answered, 1 failed, 4 there already`. */
  get counts(): string {
    return `${this.answered} answered, ${this.failed} failed${this.skipped > 0 ? `, ${this.skipped} there already` : ''}`;
  }

  /** The line while the run goes on, the most important first: a narrow terminal shows its beginning. */
  line(now: number): string {
    const [done, seconds] = [this.answered + this.failed, (now - this.#startedAt) / 1000];
    const ended = done + this.skipped;
    const rate = done >= leastForRate && seconds > 0 ? done / seconds : undefined;
    const left = rate === undefined || this.total === undefined ? undefined : Math.max(0, this.total - ended) / rate;
    const waits =
      this.#retry !== undefined && this.#retry.until > now ? `next try in ${waitText(this.#retry.until - now)}: ${this.#retry.reason}` : '';
    const parts = [
      this.total === undefined ? `${ended} done` : `${ended} of ${this.total}, ${this.total === 0 ? 100 : Math.floor((ended / this.total) * 100)} %`,
      this.failed > 0 ? `${this.failed} failed` : '',
      rate === undefined ? '' : rateText(rate),
      left === undefined || left === 0 ? '' : `${waitText(left * 1000)} left`,
      waits,
      this.#tokens(shortNumber),
    ];
    return parts.filter((part) => part !== '').join(', ');
  }

  /** The counts with tokens and cost, then the failures by reason, the most frequent first. */
  summary(): string {
    const tokens = this.#tokens((count) => count.toLocaleString('en-US'));
    const reasons = [...this.#reasons.values()].sort((one, other) => other.count - one.count);
    const lines = reasons.slice(0, mostReasons).map(({ count, text, first }) => `  ${count} × ${text} (first: row ${first})`);
    const others = reasons.slice(mostReasons).reduce((sum, { count }) => sum + count, 0);
    return [`${this.counts}${tokens === '' ? '' : `; ${tokens}`}`, ...lines, ...(others > 0 ? [`  ${others} × other reasons`] : [])].join('\n');
  }

  #spend(usage: object): void {
    const { input = 0, output = 0 } = tokenCounts(usage);
    this.usage.prompt_tokens += input;
    this.usage.completion_tokens += output;
    this.usage.total_tokens += input + output;
    this.usage.prompt_tokens_details.cached_tokens += Math.round((cachedShare(usage) ?? 0) * input);
  }

  #tokens(text: (count: number) => string): string {
    const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = this.usage;
    if (total === 0) return '';
    const cost = this.#costOf(this.usage);
    return `${text(input)} tokens in, ${text(output)} out${cost === undefined ? '' : `, about ${costText(cost)}`}`;
  }
}

/** The reason of a failure: its code, or else its problem. Operation and id of the request are left out, so that equal failures are one reason. */
export function reasonOf({ message, operation, code, reason, problem, request_id: id }: Readonly<Record<string, unknown>>): {
  readonly key: string;
  readonly text: string;
} {
  const [line = ''] = String(message).replace(`${operation}: `, '').replace(`, request ${id}`, '').split('\n', 1);
  return { key: String(code ?? reason ?? problem ?? line), text: shortened(line, 100) };
}

function rateText(perSecond: number): string {
  if (perSecond >= 10) return `${Math.round(perSecond)}/s`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

/** `950`, `12.3k`, `4.5M`. */
function shortNumber(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}
