import { isObject, type Json, type JsonObject, type Source } from './source.ts';

/** The GenAI span of an operation: its operation name, and its output type if the operation decides it. */
export interface OtelSpan {
  readonly operation: string;
  readonly output?: string;
}

export const spanOperations = ['chat', 'generate_content', 'embeddings', 'invoke_agent', 'fetch_response'];

/** The form of `x-otel`: `none`, or the name and output type of the span. */
export const otelForm = {
  isValid: (value: Json): boolean => value === 'none' || isSpan(value),
  must: `must be none, or { operation, output? } with operation one of ${spanOperations.join(', ')}`,
} as const;

function isSpan(value: Json): boolean {
  const { operation, output = '', ...rest } = isObject(value) ? value : {};
  return spanOperations.includes(String(operation)) && typeof output === 'string' && Object.keys(rest).length === 0;
}

/** Reads `x-otel` of an operation, which must have it. Undefined for `none`. */
export function readOtel(source: Source, raw: JsonObject, place: readonly (string | number)[]): OtelSpan | undefined {
  const given = raw['x-otel'];
  if (given === undefined) throw source.error([...place, 'x-otel'], otelForm.must);
  return given === 'none' ? undefined : (given as unknown as OtelSpan);
}
