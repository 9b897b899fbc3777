import { list } from './operations.ts';
import { banner, isObject, type Source } from './source.ts';

const categories = ['auth', 'account', 'billing', 'parameter', 'permission', 'content', 'rate', 'quota', 'server'];
const retries = ['yes', 'later', 'never'];

/** Business codes: category, whether a retry can help, and what a person should do. */
export function codesFile(source: Source): string {
  const seen = new Set<string>();
  const rows = list(source.value['codes']).map((row, index) => {
    const place = ['codes', index];
    if (!isObject(row)) throw source.error(place, 'a row must be a map');
    const code = String(row['code']);
    if (seen.has(code)) throw source.error([...place, 'code'], `code ${code} has two rows`);
    seen.add(code);
    if (!categories.includes(String(row['category']))) throw source.error([...place, 'category'], `must be one of ${categories.join(', ')}`);
    if (!retries.includes(String(row['retry']))) throw source.error([...place, 'retry'], `must be one of ${retries.join(', ')}`);
    if (typeof row['message'] !== 'string') throw source.error([...place, 'message'], 'missing');
    const status = typeof row['status'] === 'number' ? `, status: ${row['status']}` : '';
    const { backoff } = row;
    if (backoff !== undefined && !(typeof backoff === 'number' && backoff >= 1)) throw source.error([...place, 'backoff'], 'must be a number from 1');
    const factor = backoff === undefined ? '' : `, backoff: ${backoff}`;
    return `  '${code}': { category: '${row['category']}', retry: '${row['retry']}', message: ${JSON.stringify(row['message'])}${status}${factor} },\n`;
  });
  return `${banner}
/** Class of a failure, to branch on. */
export type ErrorCategory = ${categories.map((word) => `'${word}'`).join(' | ')};

export interface BusinessCode {
  readonly category: ErrorCategory;
  /** \`yes\`: the same call can succeed soon. \`later\`: once a quota window resets. \`never\`: a person or the request must change. */
  readonly retry: 'yes' | 'later' | 'never';
  /** Cause and next step. */
  readonly message: string;
  /** HTTP status the code comes with, where known. */
  readonly status?: number;
  /** Factor on the base delay between retries. Default: 1. */
  readonly backoff?: number;
}

export const businessCodes: Readonly<Record<string, BusinessCode>> = {
${rows.join('')}};
`;
}
