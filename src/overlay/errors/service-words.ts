import { type Fields, fieldsOf, isFields, isObject, jsonOrUndefined, labelOf, listOf, textOf } from '../json/json-value.ts';
import type { RefusedField } from './envelope.ts';

/** Text that is not empty. */
export function saidText(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

/** A business code as text. The surfaces send it as a number or a string. */
export function codeOf(value: unknown): string | undefined {
  return labelOf(value) || undefined;
}

/** Fields that contain the message of a failure at services and gateways, the most specific first. */
const wordFields = ['message', 'msg', 'detail', 'error', 'errors', 'error_description', 'reason', 'title'] as const;
/** Maximum number of errors quoted from a list. */
const maxQuoted = 3;
/** Maximum length of the path of a field, in characters. */
export const maxParamLength = 200;
/** A gateway may send the service's reply as a text, inside an error, inside of its own. */
const maxDepth = 6;

/**
 * The message of a failure: a string, a list, or an object with one of `wordFields`, also as JSON text. A reason next to a general message follows
 * it. Empty if there is none.
 */
export function serviceWords(value: unknown, depth = 0): string {
  if (depth > maxDepth) return textOf(value);
  if (typeof value === 'string') return serviceWords(inText(value), depth + 1) || value;
  if (Array.isArray(value)) return joined(value, depth);
  if (!isFields(value)) return '';
  for (const name of wordFields) {
    const words = serviceWords(value[name], depth + 1);
    if (words !== '') return reasoned(words, value, name, depth);
  }
  return serviceWords(fieldsOf(value['metadata'])['raw'], depth + 1);
}

function joined(list: readonly unknown[], depth: number): string {
  const all = list.slice(0, maxQuoted).map((one) => serviceWords(one, depth + 1));
  return all.filter((words) => words !== '').join('; ');
}

/** The words, and after them the reasons in the list of errors or in the provider's reply that the failure has next to them. */
export function reasoned(words: string, failure: Fields, name = '', depth = 0): string {
  const lists = (['detail', 'details', 'errors'] as const).filter((one) => one !== name).map((one) => joined(listOf(failure[one]), depth + 1));
  const reasons = [serviceWords(fieldsOf(failure['metadata'])['raw'], depth + 1), ...lists];
  return reasons.reduce((all, reason) => (all.includes(reason) ? all : `${all}: ${reason}`), words);
}

/** The object or list that a text is as JSON. */
function inText(text: string): object | undefined {
  const value = /^\s*[{[]/.test(text) ? jsonOrUndefined(text) : undefined;
  return isObject(value) ? value : undefined;
}

/** The first code that is accepted in a failure, or in one that it holds. */
export function codeInside(value: unknown, accept: (code: string) => boolean, depth = 0): string | undefined {
  if (typeof value === 'string') return codeInside(inText(value), accept, depth + 1);
  // Each absent field would be asked for its own fields, down to the last depth.
  if (depth > maxDepth || !isObject(value)) return undefined;
  const fields = fieldsOf(value);
  const code = codeOf(fields['code']);
  if (code !== undefined && accept(code)) return code;
  const inside = Array.isArray(value) ? value.slice(0, maxQuoted) : [...wordFields.map((name) => fields[name]), fieldsOf(fields['metadata'])['raw']];
  for (const one of inside) {
    const found = codeInside(one, accept, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first place in a list of errors, or the field that an OpenAI error names. Undefined if the body names none. */
export function placeIn(body: Fields): RefusedField | undefined {
  const { error, detail, errors } = body;
  const inner = isFields(error) ? [error, error['detail'], error['errors']] : [error];
  for (const place of [...inner, detail, errors, body]) {
    const [first, ...others] = Array.isArray(place) ? place : [place];
    const param = isFields(first) ? (pathOf(first['loc']) ?? pathOf(first['param'])) : undefined;
    if (param !== undefined) return { param, more: others.length };
  }
  return undefined;
}

/** `messages[0].role` from text, or from the steps of a validator, which begin with the part of the request. */
function pathOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return saidText(value);
  const steps = value.length > 1 && parts.has(value[0]) ? value.slice(1) : value;
  let path = '';
  for (const step of steps.slice(0, maxParamLength))
    path += typeof step === 'number' ? `[${step}]` : typeof step === 'string' ? `${path === '' ? '' : '.'}${step}` : '';
  return path || undefined;
}

const parts: ReadonlySet<unknown> = new Set(['body', 'query', 'path', 'header']);

/** The message of a failure with its place in front, unless the message has it. */
export function placedWords(words: string, place: RefusedField | undefined): string {
  if (!place || words.includes(place.param)) return words;
  return `${place.param}${place.more > 0 ? ` and ${place.more} more` : ''}${words === '' ? ' is not accepted' : `: ${words}`}`;
}

export function isSuccessCode(code: string): boolean {
  return code === '200' || code === '0';
}
