/** What a reply's `usage` says, in one form for both surfaces. */
export interface TokenCount {
  /** Tokens read, cached ones included. */
  readonly inputTokens: number;
  /** Those of `inputTokens` that came from the cache. */
  readonly cachedInputTokens: number;
  /** Tokens written, reasoning included. */
  readonly outputTokens: number;
  /** Both together; also where the reply tells no more than a total. */
  readonly totalTokens: number;
}

/**
 * The tokens of a `usage` object of either surface; undefined when it names none.
 *
 * `prompt_tokens` counts cached tokens in. `input_tokens` leaves cache reads and writes out, as the message protocol has it; whether
 * this service keeps to that is not confirmed.
 */
export function tokensOf(usage: unknown): TokenCount | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const fields = usage as Readonly<Record<string, unknown>>;
  const message = count(fields, 'input_tokens');
  const written = count(fields, 'output_tokens') ?? count(fields, 'completion_tokens');
  const read = message ?? count(fields, 'prompt_tokens');
  const total = count(fields, 'total_tokens');
  if (read === undefined && written === undefined && total === undefined) return undefined;
  const details = fields['prompt_tokens_details'];
  const cacheRead = count(fields, 'cache_read_input_tokens') ?? 0;
  const cacheWrite = count(fields, 'cache_creation_input_tokens') ?? 0;
  const cachedInputTokens = message === undefined ? (count(details as typeof fields, 'cached_tokens') ?? 0) : cacheRead;
  const outputTokens = written ?? 0;
  const inputTokens = (read ?? 0) + (message === undefined ? 0 : cacheRead + cacheWrite);
  return { inputTokens, cachedInputTokens, outputTokens, totalTokens: Math.max(total ?? 0, inputTokens + outputTokens) };
}

function count(fields: Readonly<Record<string, unknown>> | null | undefined, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
