import type { ModelRow } from '../../generated/models.ts';
import { usageIsResultPaths } from '../../generated/routes.ts';
import { configured } from '../errors/problem.ts';
import type { Hook, OperationMeta, OperationOutcome, ResponseMeta } from '../hooks/hook.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { costOf, ownRows } from '../monitor/cost.ts';
import type { OwnRows } from '../monitor/model-info.ts';
import { type TokenCount, tokensOf } from '../monitor/tokens.ts';

/** Tokens of a group of calls. */
export interface UsageCount extends TokenCount {
  /** Number of responses with their whole usage. */
  readonly calls: number;
  /** Number of streams that broke or were left before they sent their last usage. The tokens that they had reported are counted, as a lower bound. */
  readonly unseen: number;
}

/** Options of `usageMeter`. */
export interface UsageMeterOptions {
  /** The rows of `Config.models`, for prices of your own. Default: none. */
  readonly models?: readonly ModelRow[] | undefined;
}

const optionNames: KnownFields<UsageMeterOptions> = { models: 1 };

/** A copy of the counts of a meter. */
export interface UsageTotals {
  readonly all: UsageCount;
  /**
   * Counts by model. `cost` is the list price in US dollars, or undefined if the catalogue has no price. Calls without a model are counted
   * under `''`; set the model with `withModel`.
   */
  readonly byModel: Readonly<Record<string, UsageCount & { readonly cost: number | undefined }>>;
  /** Counts by service. Calls without a service are counted by path, for instance `/layout_parsing`; set the service with `withService`. */
  readonly byService: Readonly<Record<string, UsageCount>>;
}

/**
 * Counts the tokens in the usage of responses and streams of this process: `const meter = usageMeter(); newClient({ apiKey, hooks: [meter] })`.
 * It sends no requests. A finished job that is fetched twice counts twice. Results of a batch are not counted, because they arrive as a file.
 */
export class UsageMeter implements Hook {
  #byModel = new Map<string, UsageCount>();
  #byService = new Map<string, UsageCount>();
  readonly #models: OwnRows;

  /** Use `usageMeter`. */
  constructor(options: UsageMeterOptions = {}) {
    configured(() => checkFields(options, optionNames));
    this.#models = ownRows(options.models);
  }

  /** Called by the client, like the other hook method. */
  onEnd(operation: OperationMeta, { error, firstChunkMs, usage, usageIsFinal = false }: OperationOutcome): void {
    if (error !== undefined && (firstChunkMs !== undefined || usage !== undefined)) this.#count(operation, counted(tokensOf(usage), usageIsFinal));
  }

  onResponse(meta: ResponseMeta): void {
    const tokens = usageIsResultPaths.includes(meta.endpoint) ? undefined : tokensOf(meta.usage);
    if (tokens !== undefined || !meta.complete) this.#count(meta, counted(tokens, meta.usageIsFinal ?? meta.complete));
  }

  #count(meta: Pick<OperationMeta, 'model' | 'service' | 'endpoint'>, count: UsageCount): void {
    add(this.#byModel, meta.model, count);
    add(this.#byService, meta.service === '' ? meta.endpoint : meta.service, count);
  }

  /** The counts so far. */
  totals(): UsageTotals {
    let all = none;
    for (const count of this.#byService.values()) all = sum(all, count);
    const priced = [...this.#byModel].map(([model, count]) => [model, { ...count, cost: costOf(model, count, this.#models) }] as const);
    return { all, byModel: Object.fromEntries(priced), byService: Object.fromEntries(this.#byService) };
  }

  /** Resets all counts to zero. */
  reset(): void {
    this.#byModel.clear();
    this.#byService.clear();
  }
}

/** Creates a meter; pass it in `Config.hooks`. Throws a ConfigError if an option is invalid. */
export function usageMeter(options: UsageMeterOptions = {}): UsageMeter {
  return new UsageMeter(options);
}

/** Counts that are not final are a lower bound. */
function counted(tokens: TokenCount | undefined, isFinal: boolean): UsageCount {
  return { ...none, ...tokens, ...(tokens && isFinal ? { calls: 1 } : { unseen: 1 }) };
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
