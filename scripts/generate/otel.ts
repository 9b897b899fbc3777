import type { Operation } from './operations.ts';
import { banner, isObject, type Json, type JsonObject, type Source } from './source.ts';

/** The GenAI span of an operation: its operation name, and its output type if the operation decides it. */
export interface OtelSpan {
  readonly operation: string;
  readonly output?: string;
}

const operations = ['chat', 'generate_content', 'embeddings', 'invoke_agent', 'fetch_response'];

/** The form of `x-otel`: `none`, or the name and output type of the span. */
export const otelForm = {
  isValid: (value: Json): boolean => value === 'none' || isSpan(value),
  must: `must be none, or { operation, output? } with operation one of ${operations.join(', ')}`,
} as const;

function isSpan(value: Json): boolean {
  const { operation, output = '', ...rest } = isObject(value) ? value : {};
  return operations.includes(String(operation)) && typeof output === 'string' && Object.keys(rest).length === 0;
}

/** Reads `x-otel` of an operation, which must have it. Undefined for `none`. */
export function readOtel(source: Source, raw: JsonObject, place: readonly (string | number)[]): OtelSpan | undefined {
  const given = raw['x-otel'];
  if (given === undefined) throw source.error([...place, 'x-otel'], otelForm.must);
  return given === 'none' ? undefined : (given as unknown as OtelSpan);
}

/** The spans by method and path: raw calls have no id. */
export function otelFile(all: readonly Operation[]): string {
  const rows = all.flatMap(({ otel, method, path }) => (otel ? [`  '${method} ${path}': { ${fields(otel)} },\n`] : []));
  return `${banner}
/** The GenAI span of an operation. */
export interface OtelSpan {
  readonly operation: ${operations.map((one) => `'${one}'`).join(' | ')};
  /** Output type, if the operation decides it. */
  readonly output?: string;
}

/** The GenAI span of each operation that has one, by method and path. */
export const otelSpans: Readonly<Record<string, OtelSpan>> = {
${rows.join('')}};
`;
}

function fields({ operation, output }: OtelSpan): string {
  return `operation: '${operation}'${output === undefined ? '' : `, output: '${output}'`}`;
}
