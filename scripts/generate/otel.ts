import type { Operation } from './operations.ts';
import { banner, isObject, type JsonObject, type Source, type SpecError } from './source.ts';

/** The GenAI span of an operation: its operation name, and its output type if the operation decides it. */
export interface OtelSpan {
  readonly operation: string;
  readonly output?: string;
}

const operations = ['chat', 'generate_content', 'embeddings', 'invoke_agent', 'fetch_response'];

/** Reads `x-otel` of an operation: `none`, or the name and output type of its span. Undefined for `none`. */
export function readOtel(source: Source, raw: JsonObject, place: readonly (string | number)[]): OtelSpan | undefined {
  const given = raw['x-otel'];
  if (given === 'none') return undefined;
  const { operation, output, ...rest } = isObject(given) ? given : {};
  const known = typeof operation === 'string' && operations.includes(operation) && Object.keys(rest).length === 0;
  if (!known || !(output === undefined || typeof output === 'string')) throw wrong(source, place);
  return { operation, ...(output === undefined ? {} : { output }) };
}

function wrong(source: Source, place: readonly (string | number)[]): SpecError {
  return source.error([...place, 'x-otel'], `must be none, or { operation, output? } with operation one of ${operations.join(', ')}`);
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
