// The requests of the mock as lines: on stderr for people, and as JSON in a file. Neither has a header, a query, a body, or a text in a path.
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { withoutSecrets } from 'modelsvc';
import { type FakeRequest, redactExchange } from 'modelsvc/testing';
import { fileProblem } from '../../../store/error.ts';
import { usageError } from '../../errors/exit.ts';
import type { Screen } from '../../terminal/screen.ts';

/** A pipe without a reader is refused: waiting for one would stop the whole process, its signals too. */
const appending = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK);

export class RequestLog implements Disposable {
  readonly #screen: Screen;
  readonly #path: string | undefined;
  #file: number | undefined;
  readonly #faults = new WeakMap<FakeRequest, string>();

  /** Throws a usage error if the file cannot be written. */
  constructor(screen: Screen, path: string | undefined) {
    this.#screen = screen;
    this.#path = path;
    try {
      if (path !== undefined) this.#file = openSync(path, appending);
    } catch (error) {
      throw usageError(`--log: ${fileProblem(path ?? '', error as NodeJS.ErrnoException)}`);
    }
  }

  /** A request is answered with a fault of the command line. */
  breaks(request: FakeRequest, fault: string): void {
    this.#faults.set(request, fault);
  }

  /** Adds a request that has ended. */
  add(request: FakeRequest): void {
    const { at, method, operation, status, outcome } = request;
    const path = shownPath(request);
    const [reason, warnings] = withoutSecrets([this.#reasonOf(request), request.warnings] as const, keysOf(request));
    const [ended, state] = [new Date(), outcome === 'answered' ? status : [status, outcome].filter((one) => one !== undefined).join(' ')];
    const words = [ended.toTimeString().slice(0, 8), method, path, state, operation].filter((word) => word !== undefined).join(' ');
    this.#screen.note([`${words}${reason === undefined ? '' : `: ${reason}`}`, ...warnings.map((one) => `warning: ${one}`)].join('; '));
    if (this.#file === undefined) return;
    const entry = { time: ended.toISOString(), ms: ended.getTime() - at, method, path, operation, status, outcome, reason, warnings };
    try {
      // The line is in the file before the next request ends, also if the process is killed then.
      writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    } catch (error) {
      this.#screen.warn(`--log ends: ${fileProblem(this.#path ?? '', error as NodeJS.ErrnoException)}`);
      this[Symbol.dispose]();
    }
  }

  #reasonOf(request: FakeRequest): string | undefined {
    if (request.refusal) return `refused: ${request.refusal.reason}`;
    const fault = this.#faults.get(request);
    if (fault !== undefined) return `fault ${fault}`;
    return request.status === 429 ? 'more calls at once than --at-once' : undefined;
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** A path with the words of the spec, and `<id>` for every other segment, which may be a key. */
function shownPath({ method, path, headers }: FakeRequest): string {
  return redactExchange({ request: { method, host: '', path, headers }, response: { status: 200, headers: {} } }, { profile: 'bundle' }).request.path;
}

/** The key of a request, which a name in its body may repeat. */
function keysOf({ headers }: FakeRequest): string[] {
  return ['authorization', 'x-api-key'].flatMap((name) => headers[name]?.split(' ').at(-1) ?? []);
}
