import { placeholder } from '../../../src/testing/exchanges/redaction.ts';
import { keyIn } from '../../../src/testing/exchanges/secrets.ts';
import { specWords } from '../../../src/testing/exchanges/vocabulary.ts';

/** A difference between a recording and the document. */
export interface ExchangeFinding {
  /**
   * - `differs`: the reply contradicts the document, for instance by a missing field or another type
   * - `new`: the document lacks it: a field, a word of a list, an event, a model, a code
   * - `not reached`: the reply does not show the operation, for instance because of an empty balance
   */
  readonly kind: 'differs' | 'new' | 'not reached';
  /** Operation, for instance `chat.create`. Undefined for a path that the document lacks. */
  readonly operation: string | undefined;
  /** Index of the first exchange that has it. */
  readonly exchange: number;
  /** Number of places that have it, in all exchanges. */
  readonly count: number;
  /** Place in the exchange, for instance `response.body.choices[].finish_reason`. A segment of a path or a name that may be a text is its length, for instance `<text 27>`. */
  readonly place: string;
  /** Form in the document, or for `not reached` the reason. */
  readonly expected: string;
  /** Type of the value, or its word where a list of words is expected. Other texts are never in it. Undefined for `not reached`. */
  readonly seen: string | undefined;
  /** Place in the document, for instance `#/components/schemas/FinishReason`. Undefined if it has none. */
  readonly rule: string | undefined;
}

/** One line for a finding. */
export function findingText({ kind, operation, place, expected, seen, count }: ExchangeFinding): string {
  const where = `${operation ?? 'unknown operation'} ${place}`;
  if (kind === 'not reached') return `not reached  ${where}: ${expected}`;
  return `${kind.padEnd(11)}  ${where}: expected ${expected}, seen ${seen}${count > 1 ? ` (${count} times)` : ''}`;
}

/** The type of a value: a new field may have a secret. */
export function typeText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A value where a word of a list belongs: it stays if it looks like one, and is a length otherwise. */
export function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : typeText(value);
  if (/^\d{1,4}$/.test(value)) return value;
  return isIdentifier(value) ? value : `a text of ${value.length} characters`;
}

/** A name of a field or a parameter, or a segment of a path. It stays if the spec has it, or if it looks like the name of a field. */
export function shownName(name: string): string {
  const isShown = specWords.has(name) || placeholder.test(name) || name === '' || (/^[a-z]\w*$/i.test(name) && isIdentifier(name));
  return isShown ? name : `<text ${name.length}>`;
}

/** A path without its query. */
export function shownPath(path: string): string {
  return path.split('/').map(shownName).join('/');
}

const most = { length: 64, digits: 6 };
const part = /^[a-z]{0,24}\d{0,2}$|^\d{1,2}[a-z]?$/i;

/** A word such as `tool_calls`, `response.output_text.delta` or `glm-5.2-0414`, not a sentence and not a key. */
function isIdentifier(text: string): boolean {
  if (text.length > most.length || !/^[a-z]/i.test(text) || keyIn(text) !== undefined) return false;
  const parts = text.replace(/-\d{4}(?:\d\d)?$/, '').split(/[._:/[\]-]/);
  return parts.every((one) => part.test(one)) && text.replace(/\D/g, '').length <= most.digits;
}
