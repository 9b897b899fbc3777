import { list } from '../document/operations.ts';
import { checkShape, evidenceWords, mapOf } from '../document/shape.ts';
import { banner, type JsonObject, type Source } from '../document/source.ts';

const categories = ['auth', 'account', 'billing', 'parameter', 'permission', 'content', 'rate', 'quota', 'server'];
const row = mapOf(['code', 'category', 'retry', 'message'], {
  code: { type: 'string', pattern: '^([0-9]+|[a-z_]+)$' },
  status: { type: ['integer', 'null'] },
  category: { enum: categories },
  retry: { enum: ['yes', 'later', 'never'] },
  backoff: { type: 'number', minimum: 1 },
  reset: { type: 'boolean' },
  source: { type: 'array', items: { type: 'string' }, minItems: 1 },
  // The client leaves out the cause if the service gave it.
  message: { type: 'string', pattern: '^[^;]+; [^;]+\\.$' },
});

const origin = mapOf(['evidence', 'source'], {
  evidence: { enum: evidenceWords },
  source: { type: 'array', items: { type: 'string' }, minItems: 1 },
});

/** Business codes and words of failures: category, whether a retry can help, and what a person should do. */
export function codesFile(source: Source): string {
  checkShape(
    source,
    mapOf(['sources', 'codes'], {
      sources: { type: 'object', additionalProperties: origin },
      codes: { type: 'array', items: row },
      'x-confirmed': { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    }),
  );
  const seen = new Set<string>();
  const rows = (list(source.value['codes']) as JsonObject[]).map(({ code, category, retry, backoff, reset, message }, index) => {
    if (seen.has(String(code))) throw source.error(['codes', index, 'code'], `code ${code} has two rows`);
    seen.add(String(code));
    const factor = backoff === undefined ? '' : `, backoff: ${backoff}`;
    const window = reset === true ? ', reset: true' : '';
    return `  ${/^[0-9]/.test(String(code)) ? `'${code}'` : code}: { category: '${category}', retry: '${retry}', message: ${JSON.stringify(message)}${factor}${window} },\n`;
  });
  return `${banner}
/** Class of a failure, to branch on. */
export type ErrorCategory = ${categories.map((word) => `'${word}'`).join(' | ')};

export interface BusinessCode {
  readonly category: ErrorCategory;
  /** \`yes\`: the same call can succeed soon. \`later\`: once a quota window resets. \`never\`: a person or the request must change. */
  readonly retry: 'yes' | 'later' | 'never';
  /** Cause and next step, with the only semicolon between them. */
  readonly message: string;
  /** Factor on the base delay between retries. Default: 1. */
  readonly backoff?: number;
  /** True if the service's message has the time at which the window resets. */
  readonly reset?: true;
}

export const businessCodes: Readonly<Record<string, BusinessCode>> = {
${rows.join('')}};
`;
}
