/** The form of exchanges in files: bundles, cassettes and the recordings of the repository. */
import { Problem } from '../../overlay/json/problem.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A body that was sent or received: at most one of the fields. None for an empty body. */
export interface ExchangeBody {
  /** JSON. */
  readonly body?: Json | undefined;
  /** Text that is not JSON, or JSON with numbers that JavaScript would round. */
  readonly text?: string | undefined;
  /** Bytes that are not text. */
  readonly base64?: string | undefined;
}

/** One part of a multipart form. A file has a name, its length and its hash, never its bytes. */
export interface ExchangePart {
  readonly name: string;
  /** Text of a field. */
  readonly data?: string | undefined;
  readonly filename?: string | undefined;
  readonly type?: string | undefined;
  /** Bytes of the file. */
  readonly length?: number | undefined;
  readonly sha256?: string | undefined;
}

/** A request. */
export interface ExchangeRequest extends ExchangeBody {
  readonly method: string;
  /** Host, and port if it is not the default one. Every loopback address is `localhost`. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of a multipart form. */
  readonly parts?: readonly ExchangePart[] | undefined;
}

/** One frame of an event stream: `data` with an optional `event`, or `raw` for any other text, such as a comment. */
export interface ExchangeFrame {
  /** Milliseconds since the frame before, or since the header. */
  readonly after: number;
  readonly event?: string | undefined;
  readonly data?: string | undefined;
  /** The text as it came, line ends included. */
  readonly raw?: string | undefined;
  /** The bytes of a frame that is not UTF-8. */
  readonly base64?: string | undefined;
}

/** How a body ended: completely, before its end, by a reset, or left by the client. */
export type ExchangeEnd = 'closed' | 'cut' | 'reset' | 'left';

export const ends: readonly ExchangeEnd[] = ['closed', 'cut', 'reset', 'left'];

/** A response. */
export interface ExchangeResponse extends ExchangeBody {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Frames of an event stream. */
  readonly frames?: readonly ExchangeFrame[] | undefined;
  /** Number of frames. A file with another number of frames is refused: a frame is missing. */
  readonly count?: number | undefined;
  /** Default: `closed`. */
  readonly end?: ExchangeEnd | undefined;
}

/** One request and its response. */
export interface RecordedExchange {
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
}

/** The content of a file. */
export interface ExchangeFile {
  readonly exchanges: readonly RecordedExchange[];
  /** Only in files of `npm run confirm`: the facts of the run. */
  readonly confirm?: JsonObject | undefined;
}

export const formatName = 'modelsvc/exchanges';
export const formatVersion = 1;

/** Deepest nesting of a value. JSON functions of the platform overflow the stack far beyond it. */
export const maxDepth = 500;

export function tooDeep(path: string): Problem {
  return new Problem(path, `is nested deeper than ${maxDepth} levels`);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text of a JSON value with the names of each object in order, for comparisons. */
export function canonical(value: Json): string {
  return JSON.stringify(ordered(value));
}

function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, ordered(value[name] ?? null)]));
}
