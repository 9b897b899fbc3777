import { validated } from '../../overlay/errors/problem.ts';
import { fieldsOf } from '../../overlay/json/json-value.ts';
import { Problem } from '../../overlay/json/problem.ts';
import {
  checkValue,
  checkValues,
  count,
  header,
  headers,
  integer,
  is,
  longestMs,
  ms,
  number,
  oneOf,
  status,
  text,
  type ValueCheck,
} from '../checks.ts';
import { envelopeShapes } from '../requests/envelopes.ts';

/** A string of more characters cannot be made. */
const longestText = 2 ** 29 - 24;

const code: ValueCheck = (value) => (integer(0)(value) === undefined ? undefined : text(value) && 'must be a string or an integer');
const bytes: ValueCheck = (value) => (value instanceof Uint8Array ? undefined : text(value) && 'must be a string or bytes');

const waits = { seconds: number(-longestMs, longestMs), dateInMs: number(-1e12, 1e12), ms: number(-longestMs, longestMs), text: header };

const retryAfter: ValueCheck = (value) => {
  const rule = `must be an object with one of ${Object.keys(waits).join(', ')}`;
  checkValues(value, waits, 'retryAfter', rule);
  return Object.keys(value as object).length === 1 ? undefined : rule;
};

const isFault: ValueCheck = is((value) => Array.isArray(fieldsOf(value)['effects']), 'must be a fault of the menu');
const message = text;

/** The arguments of each fault in order, with their rules. A name with `?` may be undefined. Other faults have no arguments. */
export const faultArguments: { readonly [fault: string]: { readonly [argument: string]: ValueCheck } } = {
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
    if (value !== undefined || !argument.endsWith('?')) checkValue(argument.replace('?', ''), value, rule);
  }
}

function checkList(list: readonly unknown[]): void {
  for (const [index, value] of list.entries()) checkValue(`list[${index}]`, value, isFault);
}
