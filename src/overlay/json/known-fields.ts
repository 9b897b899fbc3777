import { bounded } from './cut.ts';
import { fieldsOf, isFields, isThenable, listOf } from './json-value.ts';
import { Problem } from './problem.ts';

/** The fields of an options type. The compiler rejects a list that lacks a field or has another. */
export type KnownFields<Options> = { readonly [Name in keyof Options]-?: 1 };

/** A type without some of its fields. The compiler rejects a name that the type lacks. */
export type Without<Whole, Names extends keyof Whole> = Omit<Whole, Names>;

/**
 * Refuse an own field that is not in `known`, because a misspelled option would be ignored. Undefined fields count as absent. `place` is the
 * path of the options in errors, `rule` the problem of a value that is not such an object. `elsewhere` has the names of other libraries.
 */
export function checkFields<Options>(
  options: unknown,
  known: { readonly [Name in keyof Options]-?: unknown },
  place = '',
  rule = 'must be an object of options',
  elsewhere: { readonly [name: string]: keyof Options & string } = {},
): void {
  if (!isFields(options) || isOpaque(options)) throw new Problem(place, rule);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const near = Object.hasOwn(elsewhere, name)
      ? elsewhere[name]
      : (nearestName(name, names) ?? names.find((one) => name.length > 3 && one.toLowerCase().startsWith(name.toLowerCase())));
    throw unknownName(place === '' ? '' : `${place}.`, name, near, names);
  }
}

/** A longer list does not help to find the name that is meant. */
const maxListed = 8;

/** The problem of a name that is unknown. `place` is the beginning of its path, `near` the name that was probably meant, otherwise `names` are listed, if they are few. */
export function unknownName(place: string, name: string, near: string | undefined, names: readonly string[] = []): Problem {
  const advice =
    near !== undefined ? `did you mean ${near}?` : names.length > maxListed ? 'remove it, or check its name' : `use one of ${names.join(', ')}`;
  return new Problem(place + bounded(name, 64), `is unknown; ${advice}`);
}

/** Refuse a request that is not an object of fields. */
export function checkRequest(request: unknown): asserts request is object {
  if (isThenable(request)) throw new Problem('', 'is a Promise: await it');
  if (!isFields(request)) throw new Problem('', 'must be an object: pass ctx first, then the request');
}

/** A copy of a request as a body to send. `stream` of the request must fit the method; `service` names the accessor whose `stream` streams. */
export function bodyOf<Request extends object, Stream extends boolean>(
  request: Request & { readonly stream?: false | null | undefined },
  service: string,
  stream: Stream,
): Omit<Request, 'stream'> & { stream?: Stream | false | null | undefined } {
  checkRequest(request);
  if (!stream) refuseStream(request, `${service}().stream`);
  return stream ? { ...request, stream } : { ...request };
}

/** Refuse `stream: true` in a method that does not stream. */
export function refuseStream(request: object, instead: string): void {
  if (fieldsOf(request)['stream'] === true) throw new Problem('stream', `must not be true here: use ${instead}`);
}

const roles: readonly string[] = ['user', 'assistant', 'system', 'tool', 'developer'];

/** Refuse a misspelled role. A role that resembles no known one is sent, because roles are open. */
export function checkRoles(messages: unknown): void {
  for (const [index, message] of listOf(messages).entries()) {
    checkRole(fieldsOf(message)['role'], `messages[${index}].role`);
  }
}

export function checkRole(role: unknown, path: string): void {
  checkWord(role, roles, path);
}

/** Refuse a misspelled word of an open list. A word that resembles none of them is sent. */
export function checkWord(word: unknown, known: readonly string[], path: string): void {
  const near = typeof word === 'string' && !known.includes(word) ? nearestName(word, known) : undefined;
  if (near !== undefined) throw new Problem(path, `is unknown; did you mean ${near}?`);
}

/** True for an object such as a URL, a Map, a Date or a client, which has no own fields: its content would be ignored. */
function isOpaque(options: object): boolean {
  if (Object.keys(options).length > 0) return false;
  return Object.prototype.toString.call(options) !== '[object Object]' || typeof (options as { chat?: unknown }).chat === 'function';
}

/** The most similar name, at most `most` letters away; undefined if none is similar. Ignores case. */
export function nearestName(name: string, names: readonly string[], most: number = Math.max(2, Math.ceil(name.length / 3))): string | undefined {
  // The distance is at least the difference in length, so a long name is not compared.
  const given = name.toLowerCase();
  let least = most + 1;
  let nearest: string | undefined;
  for (const one of names) {
    if (Math.abs(one.length - given.length) >= least) continue;
    const steps = distance(given, one.toLowerCase());
    if (steps < least) [least, nearest] = [steps, one];
  }
  return nearest;
}

/** Levenshtein's distance: insertions, deletions and replacements that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()];
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
