import { type Fields, isFields, labelOf, textOf } from './json-value.ts';

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
