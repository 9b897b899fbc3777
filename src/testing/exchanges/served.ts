// A recording on a port: it answers any client whose base URL is the server's.
import { fileURLToPath } from 'node:url';
import { Problem } from '../../overlay/json/problem.ts';
import { rootSplits } from '../requests/roots.ts';
import { matchRoute } from '../requests/routing.ts';
import type { WireReply } from '../sockets/wire-reply.ts';
import { bytesOfBody } from './bodies.ts';
import { Book } from './book.ts';
import type { ExchangeRequest, ExchangeResponse } from './form.ts';
import { frameBytes } from './frames.ts';
import { counted, ignoredByDefault } from './match.ts';
import { nearestText } from './nearest.ts';
import { Redactor } from './redact.ts';
import { readFile } from './store.ts';
import { exchangeOf } from './wire-request.ts';

const ignored = new Set(ignoredByDefault);

/** The answer of a recording, or the reason why it has none. */
export type Served = { readonly wire: WireReply } | { readonly missing: string };

export class ServedRecording {
  readonly #file: string;
  readonly #book: Book;
  readonly #redactor = new Redactor();

  /** Throws a Problem for a file that is missing, broken or empty. */
  constructor(file: string | URL) {
    this.#file = file instanceof URL ? fileURLToPath(file) : file;
    const content = readFile(this.#file);
    if (!content?.exchanges.length)
      throw new Problem(`${this.#file}:`, content ? 'has no exchanges' : 'does not exist', undefined, 'Record it with recordExchanges.');
    const exchanges = content.exchanges.map(({ request, response }) => ({ request: placed(request), response }));
    this.#book = new Book(exchanges, ignored, false);
  }

  /** Equal requests get their answers in the recorded order, and the last one again and again. */
  answer(method: string, target: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Served {
    const given = placed(exchangeOf({ method, host: '', path: target, headers }, bytes));
    const request = this.#redactor.request(given);
    const rules = this.#redactor.rulesFor(given);
    const found = this.#book.take(request, true, rules);
    if (found) return { wire: wireOf(found.response) };
    const recorded = this.#book.requests.map((one) => counted(rules.again(one), ignored));
    const [path] = request.path.split('?');
    return { missing: `${method} ${path} is not in ${this.#file}. ${nearestText(counted(request, ignored), recorded)}` };
  }
}

/** The request at the place of its operation, whatever its host and root: the client of a replay has another base URL. */
function placed(request: ExchangeRequest): ExchangeRequest {
  const [path = '', ...query] = request.path.split('?');
  const match = matchRoute(request.method, path);
  const root = typeof match === 'number' ? undefined : match.root;
  const below = rootSplits(path).find((split) => split.root === root)?.path ?? path;
  return { ...request, host: 'localhost', path: [below, ...query].join('?') };
}

/** The recorded response, frame by frame. A body that broke off, or that the client left, closes the connection where it ends. */
function wireOf(recorded: ExchangeResponse): WireReply {
  const { status, headers, frames, end = 'closed' } = recorded;
  const blocks = frames?.map(frameBytes) ?? [bytesOfBody(recorded)].filter(({ length }) => length > 0);
  const ending = end === 'closed' ? 'end' : end === 'reset' ? 'reset' : 'close';
  return { head: 'send', delayMs: 0, status, headers, blocks, paceMs: 0, ending };
}
