import { isFields } from '../../overlay/json/json-value.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { anything, type Checks, callback, checkValues, is, list, oneOf, text, truth } from '../checks.ts';
import type { RedactionRules } from './profiles.ts';

/** `once` answers from the file and records what is missing, `replay` only answers, `record` records everything again. */
export type CassetteMode = 'once' | 'replay' | 'record';

/** Options of `replayExchanges`. All have defaults. */
export interface ReplayOptions {
  /** Wait between the frames of a stream as long as at the recording. Default: false. */
  readonly gaps?: boolean | undefined;
  /** Repeat the last answer to equal requests when all are used. No effect in a mode that records. Default: false, the next such request fails. */
  readonly repeat?: boolean | undefined;
  /** Other names for hosts: `{ 'gateway.example:8443': 'api.z.ai' }`. Default: every loopback address is `localhost`. */
  readonly hosts?: Readonly<Record<string, string>> | undefined;
  /** More fields at the top of a JSON body, and parameters of a query, that do not count when requests are compared. */
  readonly ignore?: readonly string[] | undefined;
  /** Rules for credentials and account data. Replay with the rules of the recording. */
  readonly redact?: RedactionRules | undefined;
}

/** Options of `recordExchanges`. */
export interface RecordOptions extends ReplayOptions {
  /** The file. Its folder is made if needed. */
  readonly file: string | URL;
  /** Default: `once`. */
  readonly mode?: CassetteMode | undefined;
  /** With true, `once` never records. Default: true if the environment variable `CI` is set, and not to `false` or `0`. */
  readonly ci?: boolean | undefined;
  /** Sends the requests that are recorded. Default: the global `fetch`. */
  readonly fetch?: CassetteTransport | undefined;
  /** Largest body of a reply that is recorded, in bytes. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

/** A function with the contract of `fetch`. */
export type CassetteTransport = (input: string, init: RequestInit) => Promise<Response>;

const names = list(text, 'must be a list of names');
const replayChecks: Checks<ReplayOptions> = {
  gaps: truth,
  repeat: truth,
  hosts: is((value) => isFields(value) && Object.values(value).every((name) => typeof name === 'string'), 'must be an object of names'),
  ignore: names,
  redact: anything,
};
const recordChecks: Checks<RecordOptions> = {
  ...replayChecks,
  file: is((value) => value instanceof URL || (typeof value === 'string' && value !== ''), 'must be the path of a file'),
  mode: oneOf(['once', 'replay', 'record'] satisfies readonly CassetteMode[]),
  ci: truth,
  fetch: callback,
  maxBodyBytes: is((value) => typeof value === 'number' && value > 0, 'must be a number of bytes'),
};

/** Refuse options that `replayExchanges` does not have. */
export function checkReplayOptions(options: ReplayOptions): void {
  checkValues(options, replayChecks);
}

/** Refuse options that `recordExchanges` does not have. */
export function checkOptions(options: RecordOptions): void {
  checkValues(options, recordChecks);
  if (options.file === undefined) throw new Problem('options.file', 'must be the path of a file');
}

/** Services for continuous integration set the variable `CI`. */
export function inContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env['CI'] ?? '');
}
