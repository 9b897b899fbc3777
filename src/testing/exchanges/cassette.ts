import { fileURLToPath } from 'node:url';
import { validated } from '../../overlay/errors/problem.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { type AnswerPlace, Book, type Rules } from './book.ts';
import { type Captured, capture } from './capture.ts';
import type { ExchangeRequest } from './form.ts';
import { counted, ignoredByDefault } from './match.ts';
import { missingBody, missingHeaders, missingStatus } from './missing.ts';
import { nearestText } from './nearest.ts';
import {
  type CassetteMode,
  type CassetteTransport,
  checkOptions,
  checkReplayOptions,
  inContinuousIntegration,
  type RecordOptions,
  type ReplayOptions,
} from './options.ts';
import { played } from './play.ts';
import { Redactor } from './redact.ts';
import { setUpFailure } from './set-up-failure.ts';
import { prepareFolder, readFile, updateFile } from './store.ts';
import { type ReadRequest, readRequest } from './wire-request.ts';

/** A fetch that records or replays. */
export interface CassetteFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Messages of the requests that had no answer in the file, and of replies that could not be recorded. */
  readonly problems: readonly string[];
  /** Recordings of the file that no request has used so far, as method, host and path. In mode `record`: those that no new one replaced. */
  readonly unused: readonly string[];
  /**
   * Resolves when every reply has ended; each is in the file from its end on. Rejects with the first of `problems`, or if a reply has not
   * ended after 10 seconds.
   */
  save(): Promise<void>;
}

const defaultMaxBytes = 4 * 1024 * 1024;
const maxSaveMs = 10_000;

/**
 * A fetch for any client that records its exchanges in a file, and answers from the file what is recorded: `httpClient` of this package,
 * `fetch` of `openai` and `@anthropic-ai/sdk`. Credentials, ids and account data never enter the file; prompts and answers do.
 *
 * A request without an answer in the file, in a mode that does not record, gets status 417 with the differences from the nearest one.
 * Throws a ValidationError for invalid options, a broken file, or a folder that cannot be written.
 *
 * @example
 * const cassette = recordExchanges({ file: 'test/recordings/weather.json' });
 * const client = newClient({ apiKey: process.env.SVC_API_KEY ?? 'none', httpClient: cassette });
 */
export function recordExchanges(options: RecordOptions): CassetteFetch {
  return validated('recordExchanges', () => {
    return fetchOf(new Cassette(options));
  });
}

/**
 * A fetch that answers from a file of `recordExchanges` and never sends. See there.
 *
 * @example
 * const client = newClient({ apiKey: 'none', httpClient: replayExchanges('test/recordings/weather.json') });
 */
export function replayExchanges(file: string | URL, options: ReplayOptions = {}): CassetteFetch {
  return validated('replayExchanges', () => {
    checkReplayOptions(options);
    return fetchOf(new Cassette({ ...options, file, mode: 'replay' }));
  });
}

function fetchOf(cassette: Cassette): CassetteFetch {
  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> => cassette.fetch(input, init);
  const fields = { problems: cassette.problems, save: () => cassette.save() };
  // `Object.assign` would copy the value of the getter.
  return Object.defineProperty(Object.assign(send, fields), 'unused', { get: () => cassette.unused, enumerable: true }) as unknown as CassetteFetch;
}

/** A reply that has not ended. */
interface OpenReply {
  readonly request: ExchangeRequest;
  leave: () => void;
}

/** Cassettes with replies that have not ended. A process that ends writes what it has of them. */
const unfinished = new Set<Cassette>();

function writeUnfinished(): void {
  for (const cassette of unfinished) cassette.leave();
}

class Cassette {
  readonly problems: string[] = [];
  readonly #file: string;
  readonly #records: boolean;
  readonly #book: Book;
  readonly #ignored: ReadonlySet<string>;
  readonly #redactor: Redactor;
  readonly #send: CassetteTransport;
  readonly #options: RecordOptions;
  readonly #open = new Map<AnswerPlace, OpenReply>();
  readonly #waiting = new Set<() => void>();
  #isPrepared = false;
  /** Set when the file cannot be written: then no more is sent. */
  #broken: string | undefined;

  constructor(options: RecordOptions) {
    checkOptions(options);
    const { file, mode = 'once', ci = inContinuousIntegration(), redact } = options;
    this.#options = options;
    this.#file = file instanceof URL ? fileURLToPath(file) : file;
    this.#records = mode === 'record' || (mode === 'once' && !ci);
    this.#redactor = new Redactor(redact);
    this.#ignored = new Set([...ignoredByDefault, ...(options.ignore ?? [])]);
    this.#send = options.fetch ?? ((input, init) => fetch(input, init));
    const present = readFile(this.#file);
    if (!present && !this.#records) throw new Problem('file', `does not exist: ${this.#file}`, undefined, missingAdvice(mode));
    // A complete file may be on a disk that can only be read.
    if (this.#records && (!present || mode === 'record')) this.#prepare();
    this.#book = new Book(present?.exchanges ?? [], this.#ignored, mode === 'record');
  }

  async fetch(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    // The clients of openai and Anthropic fetch `data:,` before an upload, to examine the FormData of the platform, and leave its body.
    if (/^(?:data|blob):/i.test(input instanceof Request ? input.url : String(input))) return fetch(input, init);
    const { hosts = {}, gaps = false, repeat = false } = this.#options;
    const read = await readRequest(input, init, hosts);
    try {
      const request = this.#redactor.request(read.exchange);
      const rules = this.#redactor.rulesFor(read.exchange);
      const found = this.#book.take(request, repeat && !this.#records, rules);
      if (found) return played(found.response, read, gaps);
      if (!this.#records) return refusal(this.#noted(this.#missing(request, rules)));
      if (this.#broken !== undefined) return refusal(this.#broken);
      if (!this.#isPrepared) this.#prepare();
      return await this.#record(read, request, this.#book.open(request, rules));
    } catch (error) {
      if (error instanceof Problem) return refusal(this.#noted(wordsOf(error)));
      throw error;
    }
  }

  get unused(): readonly string[] {
    return this.#book.unused.map(placeOf);
  }

  /** Writes what has arrived of the replies that have not ended. */
  leave(): void {
    for (const { leave } of this.#open.values()) leave();
  }

  async save(): Promise<void> {
    if (this.#open.size > 0) await this.#ended();
    const [problem] = this.problems;
    if (problem !== undefined) throw new Error(problem);
  }

  #prepare(): void {
    // Listening again does not add a second listener.
    process.off('exit', writeUnfinished).on('exit', writeUnfinished);
    prepareFolder(this.#file);
    this.#isPrepared = true;
  }

  async #record(read: ReadRequest, request: ExchangeRequest, slot: AnswerPlace): Promise<Response> {
    const open: OpenReply = { request, leave: () => undefined };
    this.#open.set(slot, open);
    unfinished.add(this);
    const { maxBodyBytes = defaultMaxBytes } = this.#options;
    try {
      const response = await this.#send(read.url, read.init);
      const capturing = capture(response, read.signal, maxBodyBytes, (one) => this.#keep(slot, request, one));
      open.leave = capturing.leave;
      return capturing.response;
    } catch (error) {
      this.#book.drop(slot);
      this.#close(slot);
      throw error;
    }
  }

  /** Writes an exchange that ended. The reply goes to the client in any case: it is paid for. */
  #keep(slot: AnswerPlace, request: ExchangeRequest, one: Captured): void {
    try {
      const failure = 'response' in one && (this.#options.mode ?? 'once') === 'once' ? setUpFailure(one.response) : undefined;
      if (failure !== undefined) {
        const place = `${placeOf(request)} failed with ${failure}, and was not recorded in ${this.#file}`;
        this.#book.drop(slot);
        throw new Problem('', `${place}. Correct key or account and run it again. To test this failure, record it with mode: 'record'.`);
      }
      if ('tooLarge' in one) throw new Problem('maxBodyBytes', `is less than the reply to ${placeOf(request)} has; it was not recorded`);
      slot.exchange = { request, response: this.#redactor.response(one.response, request, slot.order) };
    } catch (error) {
      this.#noted(wordsOf(error));
    }
    try {
      if (slot.exchange) updateFile(this.#file, (present) => this.#book.merged(present));
    } catch (error) {
      this.#broken ??= this.#noted(wordsOf(error));
    }
    this.#close(slot);
  }

  #close(slot: AnswerPlace): void {
    this.#open.delete(slot);
    if (this.#open.size === 0) unfinished.delete(this);
    for (const wake of this.#waiting) wake();
  }

  /** Keeps a problem for `problems`. A client may swallow the reply that has it, so it goes to stderr too. */
  #noted(problem: string): string {
    this.problems.push(problem);
    process.emitWarning(problem, 'CassetteWarning');
    return problem;
  }

  #missing(request: ExchangeRequest, rules: Rules): string {
    const count = this.#book.count(request, rules);
    const place = `${placeOf(request)} is not in ${this.#file}`;
    if (count > 0) return `${place} once more: its ${count === 1 ? 'answer is' : `${count} answers are`} used. Set repeat, or record it again.`;
    const sent = counted(request, this.#ignored);
    return `${place}. ${nearestText(
      sent,
      this.#book.requests.map((one) => counted(rules.again(one), this.#ignored)),
    )} ${missingAdvice(this.#options.mode ?? 'once')}`;
  }

  #ended(): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        if (this.#open.size > 0) return;
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        const places = [...this.#open.values()].map(({ request }) => placeOf(request));
        reject(
          new Error(`save: ${places.length} replies have not ended after ${maxSaveMs} ms: ${places.slice(0, 3).join(', ')}. Read or leave them.`),
        );
      }, maxSaveMs);
      this.#waiting.add(wake);
    });
  }
}

function missingAdvice(mode: CassetteMode): string {
  return mode === 'once' ? 'Record it where CI is not set, or pass ci: false.' : 'Record it with recordExchanges.';
}

function placeOf({ method, host, path }: ExchangeRequest): string {
  return `${method} ${host}${path.split('?')[0]}`;
}

function wordsOf(error: unknown): string {
  return error instanceof Problem ? `${error.path} ${error.text}`.trim() : `the exchange was not recorded: ${String(error)}`;
}

function refusal(message: string): Response {
  return Response.json(missingBody(message), { status: missingStatus, headers: missingHeaders });
}
