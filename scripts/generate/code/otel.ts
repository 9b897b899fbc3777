import type { Operation } from '../document/operations.ts';
import { type OtelSpan, spanOperations } from '../document/otel.ts';
import { banner } from '../document/source.ts';
import { quote } from './prose.ts';

/** The spans by method and path: raw calls have no id. */
export function otelFile(all: readonly Operation[]): string {
  const rows = all.flatMap(({ otel, method, path }) => (otel ? [`  ${quote(`${method} ${path}`)}: { ${fields(otel)} },\n`] : []));
  return `${banner}
/** The GenAI span of an operation. */
export interface OtelSpan {
  readonly operation: ${spanOperations.map((one) => `'${one}'`).join(' | ')};
  /** Output type, if the operation decides it. */
  readonly output?: string;
}

/** The GenAI span of each operation that has one, by method and path. */
export const otelSpans: Readonly<Record<string, OtelSpan>> = {
${rows.join('')}};
`;
}

function fields({ operation, output }: OtelSpan): string {
  return `operation: '${operation}'${output === undefined ? '' : `, output: ${quote(output)}`}`;
}
