import { type Fields, fieldsOf, isObject } from '../json/json-value.ts';

/** Token counts of a response, in one form for all surfaces. */
export interface TokenCount {
  /** Input tokens, cached ones included. */
  readonly inputTokens: number;
  /** Part of `inputTokens` that came from the cache. */
  readonly cachedInputTokens: number;
  /** Output tokens, reasoning included. */
  readonly outputTokens: number;
  /** Sum of input and output, or the total of the response if that is larger or the only count. */
  readonly totalTokens: number;
}

/**
 * The token counts of a `usage` object of any surface. Returns undefined if it contains none.
 *
 * `prompt_tokens` includes cached tokens, and so does `input_tokens` of Responses, unless there are more cached ones or the total counts them apart. `input_tokens` of messages excludes cache reads and writes,
 * as in the message protocol; unconfirmed for this service.
 */
export function tokensOf(usage: unknown): TokenCount | undefined {
  if (!isObject(usage)) return undefined;
  const fields = usage as Readonly<Record<string, unknown>>;
  const message = count(fields, 'input_tokens');
  const written = count(fields, 'output_tokens') ?? count(fields, 'completion_tokens');
  const read = message ?? count(fields, 'prompt_tokens');
  const total = count(fields, 'total_tokens');
  if (read === undefined && written === undefined && total === undefined) return undefined;
  const cached = count(inputDetails(fields), 'cached_tokens');
  const cacheRead = count(fields, 'cache_read_input_tokens') ?? 0;
  const cacheWrite = count(fields, 'cache_creation_input_tokens') ?? 0;
  // Only the message surface has the cache in addition to `input_tokens`; without details there is none.
  const cachedInputTokens = cached ?? (message === undefined ? 0 : cacheRead);
  const outputTokens = written ?? 0;
  // Some gateways count the cached tokens in addition to the others.
  const isBeside = cached !== undefined && read !== undefined && cached > 0 && (cached > read || total === read + cached + outputTokens);
  const inputTokens = (read ?? 0) + (isBeside ? cached : 0) + (message === undefined ? 0 : cacheRead + cacheWrite);
  return { inputTokens, cachedInputTokens, outputTokens, totalTokens: Math.max(total ?? 0, inputTokens + outputTokens) };
}

/** True if a usage has a count that cannot be one: a text, or a number that is negative or absurd. */
export function isAbsurd(usage: unknown): boolean {
  const fields = fieldsOf(usage);
  return countNames.some((name) => (fields[name] ?? undefined) !== undefined && count(fields, name) === undefined);
}

const countNames = ['input_tokens', 'output_tokens', 'prompt_tokens', 'completion_tokens', 'total_tokens'] as const;

/**
 * The share of the input tokens that the service read from its cache, from 0 to 1. Takes the `usage` of a response of any surface or of
 * `toolRun`, or a TokenCount. Cached tokens cost less: a tool loop sends its history again in each round.
 *
 * Returns undefined if the usage contains no input tokens, or no count of cached ones.
 *
 * @example
 * ```ts
 * const clock = defineTool({ name: 'clock', description: 'The time', input: {}, run: () => new Date().toISOString() });
 * const request = { model: 'glm-5.3', effort: 'low' as const, messages: [{ role: 'user', content: 'What time is it?' }] };
 * const reply = await c.chat().runWithTools(request, [clock]);
 * console.log(cachedShare(toolRun(reply)?.usage));
 * ```
 */
export function cachedShare(usage: object | null | undefined): number | undefined {
  const fields = fieldsOf(usage);
  const counted = [fields['cachedInputTokens'], fields['cache_read_input_tokens'], inputDetails(fields)['cached_tokens']];
  const { inputTokens = 0, cachedInputTokens = 0 } = isTokenCount(usage) ? usage : (tokensOf(usage) ?? {});
  if (inputTokens === 0 || counted.every((count) => typeof count !== 'number')) return undefined;
  return Math.min(cachedInputTokens / inputTokens, 1);
}

export function isTokenCount(usage: unknown): usage is TokenCount {
  const { inputTokens, cachedInputTokens, outputTokens, totalTokens } = fieldsOf(usage);
  return [inputTokens, cachedInputTokens, outputTokens, totalTokens].every((count) => typeof count === 'number');
}

/** The shares of the input tokens, on chat and on Responses. */
function inputDetails(usage: Fields): Fields {
  return fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
}

function count(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
