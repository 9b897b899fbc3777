import type { Hook, RequestMeta, ResponseMeta } from '../hooks.ts';
import { estimateCost } from './cost.ts';
import { type TokenCount, tokensOf } from './tokens.ts';

/** Tokens of a group of calls. */
export interface UsageCount extends TokenCount {
  /** Replies that told their usage. */
  readonly calls: number;
  /** Streams that were left, or broke, before they told theirs: they cost tokens that are not counted here. */
  readonly unseen: number;
}

/** A copy of what a meter holds. */
export interface UsageTotals {
  readonly all: UsageCount;
  /**
   * By model, with the list price in US dollars where the catalogue knows it. Calls whose model hooks are not told stand under `''`: use `withModel` to
   * name it.
   */
  readonly byModel: Readonly<Record<string, UsageCount & { readonly cost: number | undefined }>>;
  /** By service; where hooks are told none, by the path of the operation, for instance `/layout_parsing`. `withService` names it. */
  readonly byService: Readonly<Record<string, UsageCount>>;
}

/**
 * Counts the tokens that replies and streams tell, in this process: `const meter = usageMeter(); newClient({ apiKey, hooks: [meter] })`.
 * It sends nothing. A finished job that is fetched twice counts twice, and results of a batch, which come as a file, do not count.
 */
export class UsageMeter implements Hook<{ streamed: boolean }> {
  #byModel = new Map<string, UsageCount>();
  #byService = new Map<string, UsageCount>();

  /** For the client to call, like the others of a hook. */
  onRequest(): { streamed: boolean } {
    return { streamed: false };
  }

  onStreamChunk(_meta: RequestMeta, _chunk: unknown, attempt: { streamed: boolean }): void {
    attempt.streamed = true;
  }

  onError(meta: RequestMeta, _error: unknown, attempt: { streamed: boolean }): void {
    if (attempt.streamed) this.#count(meta, { ...none, unseen: 1 });
  }

  onResponse(meta: ResponseMeta): void {
    // A tokenizer's usage is its answer, not what it spent.
    const tokens = meta.endpoint === '/tokenizer' ? undefined : tokensOf(meta.usage);
    // A message stream opens with zeros: left early, it has told nothing.
    const told = tokens !== undefined && (meta.complete || tokens.totalTokens > 0);
    if (!told && meta.complete) return;
    this.#count(meta, told ? { ...tokens, calls: 1, unseen: 0 } : { ...none, unseen: 1 });
  }

  #count(meta: RequestMeta, count: UsageCount): void {
    add(this.#byModel, meta.model, count);
    add(this.#byService, meta.service === '' ? meta.endpoint : meta.service, count);
  }

  /** What has been counted so far. */
  totals(): UsageTotals {
    let all = none;
    for (const count of this.#byService.values()) all = sum(all, count);
    const priced = [...this.#byModel].map(([model, count]) => [model, { ...count, cost: estimateCost(model, count) }] as const);
    return { all, byModel: Object.fromEntries(priced), byService: Object.fromEntries(this.#byService) };
  }

  /** Start again from zero. */
  reset(): void {
    this.#byModel.clear();
    this.#byService.clear();
  }
}

/** A new meter, to put in `Config.hooks`. */
export function usageMeter(): UsageMeter {
  return new UsageMeter();
}

const none: UsageCount = Object.freeze({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, totalTokens: 0, calls: 0, unseen: 0 });

function add(counts: Map<string, UsageCount>, name: string, count: UsageCount): void {
  counts.set(name, sum(counts.get(name) ?? none, count));
}

function sum(one: UsageCount, other: UsageCount): UsageCount {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    calls: one.calls + other.calls,
    unseen: one.unseen + other.unseen,
  };
}
