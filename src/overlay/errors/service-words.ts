import { type Fields, isFields, labelOf, textOf } from '../json/json-value.ts';
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
const maxDepth = 4;

/** The message of a failure: a string, a list, or an object with one of `wordFields`. Empty if there is none. */
export function serviceWords(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > maxDepth) return '';
  if (Array.isArray(value))
    return value
      .slice(0, maxQuoted)
      .map((one) => serviceWords(one, depth + 1))
      .filter((words) => words !== '')
      .join('; ');
  if (!isFields(value)) return '';
  for (const name of wordFields) {
    const words = serviceWords(value[name], depth + 1);
    if (words !== '') return words;
  }
  return '';
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

/** The code of a failure: in the body, or in the error inside it. */
export function serviceCode(body: Fields): string | undefined {
  const places = [body, body['error'], body['detail'], body['errors']].map((place) => (Array.isArray(place) ? place[0] : place));
  for (const place of places) {
    const code = isFields(place) ? codeOf(place['code']) : undefined;
    if (code !== undefined && !isSuccessCode(code)) return code;
  }
  return undefined;
}

export function isSuccessCode(code: string): boolean {
  return code === '200' || code === '0';
}
