import { validated } from '../../overlay/errors/problem.ts';
import { checkFields, nearestName } from '../../overlay/json/known-fields.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { cleanText } from '../../overlay/secrets/clean.ts';
import { envelopeShapes } from '../requests/envelopes.ts';

/** The rule that a value breaks, worded to follow its name. Undefined if it breaks none. */
type ArgumentRule = (value: unknown) => string | undefined;

/** Timers of Node take no longer delay. */
const longestMs = 2 ** 31 - 1;
/** A string of more characters cannot be made. */
const longestText = 2 ** 29 - 24;

function number(least: number, most: number, kind = 'a number'): ArgumentRule {
  const isWhole = kind !== 'a number';
  return (value) =>
    typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value))
      ? undefined
      : `must be ${kind} from ${least} to ${most}`;
}

function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): ArgumentRule {
  return number(least, most, 'an integer');
}

function oneOf(words: readonly string[]): ArgumentRule {
  return (value) => {
    if (words.includes(value as string)) return undefined;
    const near = typeof value === 'string' ? nearestName(value, words) : undefined;
    return `must be one of ${words.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
  };
}

const text: ArgumentRule = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const code: ArgumentRule = (value) => (integer(0)(value) === undefined ? undefined : text(value) && 'must be a string or an integer');
const header: ArgumentRule = (value) =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'must be a string that a header can have';
const bytes: ArgumentRule = (value) => (value instanceof Uint8Array ? undefined : text(value) && 'must be a string or bytes');

const headers: ArgumentRule = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object of headers';
  const wrong = Object.entries(value).find(([name, one]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || header(one) !== undefined);
  return wrong && 'must have names and strings that headers can have';
};

const waits = { seconds: number(-longestMs, longestMs), dateInMs: number(-1e12, 1e12), ms: number(-longestMs, longestMs), text: header };

const retryAfter: ArgumentRule = (value) => {
  const rule = `must be an object with one of ${Object.keys(waits).join(', ')}`;
  checkFields<typeof waits>(value, waits, 'retryAfter', rule);
  const given = Object.entries(waits).filter(([name]) => name in (value as object));
  if (given.length !== 1) return rule;
  for (const [name, check] of given) {
    const problem = check((value as Record<string, unknown>)[name]);
    if (problem !== undefined) throw new Problem(`retryAfter.${name}`, problem);
  }
  return undefined;
};

const isFault: ArgumentRule = (value) =>
  Array.isArray((value as { readonly effects?: unknown } | null | undefined)?.effects) ? undefined : 'must be a fault of the menu';

const status = integer(200, 599);
const count = integer(0);
const ms = number(0, longestMs);
const message = text;

/** The arguments of each fault in order, with their rules. A name with `?` may be undefined. Other faults have no arguments. */
export const faultArguments: { readonly [fault: string]: { readonly [argument: string]: ArgumentRule } } = {
  resetMidBody: { 'afterBytes?': count },
  silentAfterHeaders: { 'blocks?': count },
  slowHeaders: { ms },
  slowDrip: { 'bytesPerTick?': integer(1), 'ms?': ms },
  rejectUpload: { 'status?': status, 'code?': code, 'message?': message },
  truncatedStream: { 'at?': oneOf(['frame', 'midFrame']), 'ending?': oneOf(['end', 'close']) },
  afterDone: { 'text?': text },
  gluedFrames: { 'how?': oneOf(['undelimited', 'cut', 'packed', 'foreignHead']), 'index?': count },
  malformedFrame: { 'index?': count, 'data?': text },
  inBandError: { 'code?': code, 'message?': message, 'after?': count },
  eventError: { 'code?': code, 'message?': message, 'after?': count },
  keepAliveOnly: { 'everyMs?': ms, 'after?': count },
  wrongContentType: { 'type?': header },
  htmlErrorPage: { 'status?': status },
  error: { status, code, 'message?': message, 'headers?': headers },
  unprocessable: { 'field?': text, 'message?': message },
  rateLimit: { 'retryAfter?': retryAfter, 'code?': code },
  serverErrors: { count: integer(0, 100_000), 'status?': status },
  embeddedFailure: { 'shape?': oneOf(envelopeShapes), 'code?': code, 'message?': message },
  emptyBody: { 'status?': status },
  redirect: { location: header, 'status?': status },
  hugeHeader: { 'bytes?': integer(0, longestText) },
  raw: { 'bytes?': bytes, 'ending?': oneOf(['close', 'open']) },
  keepAliveHint: { seconds: count },
  lyingLength: { 'bytes?': integer(0, 1e20) },
  gzipBomb: { 'bytes?': count },
  // Half of the longest, since the text is between others.
  hugeEvent: { bytes: integer(0, longestText / 2) },
  endlessFrames: { 'bytes?': integer(0, longestText / 2) },
  drippedError: { 'status?': status, 'everyMs?': ms },
};

type FaultMaker = (...values: never[]) => unknown;

/** The functions of the menu, with their arguments checked where they are called. A wrong argument is a ValidationError with its name. */
export function checkMenu(menu: { readonly [fault: string]: FaultMaker }): void {
  for (const [name, make] of Object.entries(menu)) {
    const checked = (...values: unknown[]): unknown => {
      validated(`faults.${name}`, () => (name === 'all' ? checkList(values) : checkArguments(name, values)));
      return make(...(values as never[]));
    };
    Object.assign(menu, { [name]: checked });
  }
}

function checkArguments(name: string, values: readonly unknown[]): void {
  const rules = Object.entries(faultArguments[name] ?? {});
  if (values.length > rules.length) {
    const names = rules.map(([argument]) => argument).join(', ');
    throw new Problem(`argument ${rules.length + 1}`, `is one too many; ${name}(${names}) takes ${rules.length}`);
  }
  for (const [index, [argument, rule]] of rules.entries()) {
    const value = values[index];
    const problem = value === undefined && argument.endsWith('?') ? undefined : rule(value);
    if (problem !== undefined) throw new Problem(argument.replace('?', ''), problem + given(value));
  }
}

function checkList(list: readonly unknown[]): void {
  for (const [index, value] of list.entries()) {
    const problem = isFault(value);
    if (problem !== undefined) throw new Problem(`list[${index}]`, problem);
  }
}

function given(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? `, not ${cleanText(JSON.stringify(value) ?? '', [], 64)}` : '';
}
