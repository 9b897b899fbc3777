import type { Attributes } from '@opentelemetry/api';
import { isKnownCode } from '../overlay/errors/failure.ts';
import { isApiError, isModelsvcError } from '../overlay/errors/guards.ts';
import type { OperationOutcome } from '../overlay/hooks/hook.ts';
import { fieldsOf, textOf } from '../overlay/json/json-value.ts';
import { catalogueRow } from '../overlay/monitor/model-info.ts';
import { tokensOf } from '../overlay/monitor/tokens.ts';

/** Token counts as in the conventions: `input` includes the cached tokens, and `output` the reasoning. */
export interface SpanTokens {
  readonly input: number;
  /** Undefined for a stream that ended before it sent its last counts. */
  readonly output: number | undefined;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** The token counts of an operation. Undefined if the reply had none, and for a message stream that was left before its real counts. */
export function spanTokens({ usage, kind, usageIsFinal = kind === 'ok' }: OperationOutcome): SpanTokens | undefined {
  const tokens = tokensOf(usage);
  if (!tokens || (!usageIsFinal && tokens.totalTokens === 0)) return undefined;
  const fields = fieldsOf(usage);
  return {
    input: tokens.inputTokens,
    output: usageIsFinal ? tokens.outputTokens : undefined,
    cacheRead: tokens.cachedInputTokens,
    cacheWrite: countOf(fields['cache_creation_input_tokens']),
    reasoning: countOf(fieldsOf(fields['completion_tokens_details'] ?? fields['output_tokens_details'])['reasoning_tokens']),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** `error.type` of a span: the business code if the service gave one, otherwise the kind of the error, otherwise its name. */
export function errorType(error: unknown): string {
  const { code = '' } = isApiError(error) ? error : {};
  if (isModelsvcError(error)) return /^[\w.-]{1,64}$/.test(code) ? code : error.kind;
  return error instanceof Error && error.name !== '' ? error.name : '_OTHER';
}

/** `error.type` of a metric: a code of our list, otherwise the status of a failed reply, otherwise the kind or the class of the error. */
export function errorClass(error: unknown): string {
  if (isApiError(error) && !isKnownCode(error.code)) return error.status >= 400 && error.status <= 599 ? String(error.status) : error.kind;
  if (isModelsvcError(error)) return errorType(error);
  // A tool's error can have any text as its name. The name of its class is part of the program.
  const name = error instanceof Error ? textOf((error.constructor as { readonly name?: unknown } | undefined)?.name) : '';
  return /^[\w$]{1,64}$/.test(name) ? name : '_OTHER';
}

/** `gen_ai.response.model` of a metric: the requested model, or one of the catalogue. */
export function knownModel(model: string | undefined, requested: unknown): string | undefined {
  return model !== undefined && (model === requested || catalogueRow(model)) ? model : undefined;
}

/** Attributes of the end of a call. */
export function responseAttributes(outcome: OperationOutcome, tokens: SpanTokens | undefined, legacy: boolean): Attributes {
  const { responseId, model, firstChunkMs, requestId } = outcome;
  const attributes: Attributes = {};
  if (responseId) attributes['gen_ai.response.id'] = responseId;
  if (model) attributes['gen_ai.response.model'] = model;
  if (requestId) attributes['modelsvc.request_id'] = requestId;
  const reasons = finishReasons(outcome);
  if (reasons.length > 0) attributes['gen_ai.response.finish_reasons'] = reasons;
  if (firstChunkMs !== undefined) attributes['gen_ai.response.time_to_first_chunk'] = firstChunkMs / 1000;
  if (tokens) Object.assign(attributes, tokenAttributes(tokens, legacy));
  return attributes;
}

function tokenAttributes({ input, output, cacheRead, cacheWrite, reasoning }: SpanTokens, legacy: boolean): Attributes {
  const attributes: Attributes = { 'gen_ai.usage.input_tokens': input };
  if (output !== undefined) attributes['gen_ai.usage.output_tokens'] = output;
  if (cacheRead > 0) attributes['gen_ai.usage.cache_read.input_tokens'] = cacheRead;
  if (cacheWrite > 0) attributes['gen_ai.usage.cache_write.input_tokens'] = cacheWrite;
  if (cacheWrite > 0 && legacy) attributes['gen_ai.usage.cache_creation.input_tokens'] = cacheWrite;
  if (reasoning > 0) attributes['gen_ai.usage.reasoning.output_tokens'] = reasoning;
  return attributes;
}

/** The reasons of the reply. A generation that began and was cut off or canceled has `error` instead. */
function finishReasons({ kind, finishReasons, firstChunkMs }: OperationOutcome): string[] {
  return finishReasons.length === 0 && kind !== 'ok' && firstChunkMs !== undefined ? ['error'] : [...finishReasons];
}
