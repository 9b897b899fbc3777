import { isFields } from '../../overlay/json/json-value.ts';
import { checkFields, type KnownFields } from '../../overlay/json/known-fields.ts';
import { Problem } from '../../overlay/json/problem.ts';
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

const replayFields: KnownFields<ReplayOptions> = { gaps: 1, repeat: 1, hosts: 1, ignore: 1, redact: 1 };
const recordFields: KnownFields<RecordOptions> = { ...replayFields, file: 1, mode: 1, ci: 1, fetch: 1, maxBodyBytes: 1 };
const modes: readonly unknown[] = ['once', 'replay', 'record'] satisfies readonly CassetteMode[];

/** Refuse options that are not those of `replayExchanges`. */
export function checkReplayOptions(options: ReplayOptions): void {
  checkFields<ReplayOptions>(options, replayFields, 'options');
}

/** Refuse options that are not those of `recordExchanges`. */
export function checkOptions(options: RecordOptions): void {
  checkFields<RecordOptions>(options, recordFields, 'options');
  const { file, mode, hosts, ignore, maxBodyBytes, fetch } = options;
  if (!(file instanceof URL) && (typeof file !== 'string' || file === '')) throw new Problem('file', 'must be the path of a file');
  if (mode !== undefined && !modes.includes(mode)) throw new Problem('mode', `must be one of ${modes.join(', ')}`);
  if (hosts !== undefined && !(isFields(hosts) && Object.values(hosts).every((name) => typeof name === 'string')))
    throw new Problem('hosts', 'must be an object of names');
  if (ignore !== undefined && !(Array.isArray(ignore) && ignore.every((name) => typeof name === 'string')))
    throw new Problem('ignore', 'must be a list of names');
  if (fetch !== undefined && typeof fetch !== 'function') throw new Problem('fetch', 'must be a function');
  if (maxBodyBytes !== undefined && !(maxBodyBytes > 0)) throw new Problem('maxBodyBytes', 'must be a number of bytes');
}

/** Services for continuous integration set the variable `CI`. */
export function inContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env['CI'] ?? '');
}
