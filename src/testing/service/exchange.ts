import type { IncomingMessage, ServerResponse } from 'node:http';
import { filesContent, type Route } from '../../generated/routes.ts';
import { missingBody, missingHeaders, missingStatus } from '../exchanges/missing.ts';
import type { ServedRecording } from '../exchanges/served.ts';
import type { Fault } from '../faults.ts';
import type { BatchBook } from '../memory/batches.ts';
import type { CapacityBook } from '../memory/capacity.ts';
import type { KnownIds } from '../memory/known-ids.ts';
import { droppedThoughts, type PromptCache } from '../memory/prompts.ts';
import type { ResponseBook } from '../memory/stored-responses.ts';
import type { TaskBook } from '../memory/tasks.ts';
import { codexModels } from '../replies/codex-models.ts';
import { exampleWire, preferredWire, replyWire, type Scene, turnOperations } from '../replies/reply.ts';
import { retrievalReply } from '../replies/retrieval.ts';
import { unscriptedExample } from '../replies/unscripted-example.ts';
import { unscriptedTurn } from '../replies/unscripted-turn.ts';
import { partsOf } from '../requests/form-parts.ts';
import type { KnownModels } from '../requests/known-models.ts';
import { openCall } from '../requests/open-calls.ts';
import { type Refusal, refusalOf, refusalWire } from '../requests/refusal.ts';
import { type FakeRequest, headersOf, newRequestId, parseBody, readBytes } from '../requests/request.ts';
import { codexModelList, matchRoute, servedInstead } from '../requests/routing.ts';
import { warningsOf } from '../requests/warnings.ts';
import { perform } from '../sockets/sending.ts';
import { bytesOf, bytesWire, jsonWire, type WireReply } from '../sockets/wire-reply.ts';
import { type Answer, answerWire, earlyFault } from './answer.ts';
import type { Script } from './script.ts';

/** Settings that all exchanges of a fake share. */
export interface ExchangeSettings {
  readonly keys: readonly string[] | 'any';
  readonly validate: boolean;
  readonly models: KnownModels;
  readonly toolResults: 'any' | 'required';
  /** Answers every request, instead of the rules of the fake. */
  readonly recording: ServedRecording | undefined;
  /** Unscripted turns repeat the question. */
  readonly echo: boolean;
  readonly script: Script;
  readonly tasks: TaskBook;
  readonly batches: BatchBook;
  readonly responses: ResponseBook;
  readonly ids: KnownIds;
  readonly capacity: CapacityBook;
  readonly prompts: PromptCache;
  record(request: FakeRequest): void;
  refused(request: FakeRequest): void;
  /** Called with each request whose answer has ended. */
  ended(request: FakeRequest): void;
}

/** One request and its answer. */
export class FakeExchange {
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #settings: ExchangeSettings;
  readonly #left = new AbortController();
  readonly #requestId = newRequestId();
  readonly #at = Date.now();
  #wire: WireReply | undefined;
  #free: (() => void) | undefined;
  #isStalled = false;
  #record: { -readonly [Field in keyof FakeRequest]: FakeRequest[Field] } | undefined;

  /** `onClose` is called once, when the answer has ended or the client has left. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, settings: ExchangeSettings, onClose: (exchange: FakeExchange) => void) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#settings = settings;
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    const { socket } = incoming;
    const close = (): void => {
      socket.off('close', close);
      if (this.#left.signal.aborted) return;
      this.#left.abort();
      this.#free?.();
      if (this.#record) {
        this.#record.outcome = this.#outcome();
        this.#record.status = outgoing.headersSent ? outgoing.statusCode : undefined;
        settings.ended(this.#record);
      }
      onClose(this);
    };
    outgoing.on('close', close);
    // A pipelined answer has no socket yet, so `outgoing` does not emit `close` for it.
    socket.on('close', close);
  }

  /** Answer the request. Does not reject for a script that throws: the fake answers 500 with its message. */
  async run(): Promise<void> {
    try {
      const url = urlOf(this.#incoming.url ?? '/');
      const hosted = this.#settings.script.hosted(url.pathname);
      const match = hosted === undefined ? matchRoute(this.#incoming.method ?? 'GET', url.pathname) : 404;
      const found = typeof match === 'number' ? undefined : match;
      const { recording } = this.#settings;
      const early = found && !recording && earlyFault(this.#settings.script.peek(found.route.id));
      if (early) this.#settings.script.take(found.route.id);
      const bytes = early ? new Uint8Array() : await readBytes(this.#incoming);
      const headers = headersOf(this.#incoming);
      const body = await parseBody(bytes, headers['content-type'] ?? '');
      const request = {
        operation: found?.route.id,
        root: found?.root,
        method: this.#incoming.method ?? 'GET',
        path: url.pathname,
        target: this.#incoming.url ?? '/',
        parameters: { ...Object.fromEntries(url.searchParams), ...found?.parameters },
        headers,
        body,
        bytes,
        droppedBytes: 0,
        parts: partsOf(bytes, headers['content-type'] ?? ''),
        at: this.#at,
        requestId: this.#requestId,
        outcome: 'open' as const,
        status: undefined,
        droppedThoughts: droppedThoughts(found?.route, { root: found?.root, body }),
        warnings: warningsOf(found?.route, body, this.#settings.models),
        refusal: undefined,
      };
      this.#record = request;
      this.#settings.record(request);
      if (early) return await this.#answerEarly(early, { route: found.route, request, stream: false });
      if (recording) return await this.#perform(this.#replayed(recording, request));
      if (hosted !== undefined) return await this.#perform(await this.#hosted(hosted, request));
      const wire = typeof match === 'number' ? this.#refuse(undefined, noRoute(match, request)) : await this.#decide(match.route, request);
      await this.#perform(wire);
    } catch (error) {
      if (this.#left.signal.aborted) return;
      const text = `the fake's script failed: ${error instanceof Error ? error.message : 'it threw a value that is not an Error'}`;
      await this.#perform(bytesWire(bytesOf(text), { 'content-type': 'text/plain; charset=utf-8' }, 500));
    }
  }

  async #decide(route: Route, request: FakeRequest): Promise<WireReply> {
    const { keys, validate, models, toolResults, responses, ids } = this.#settings;
    const refusal =
      refusalOf(route, request, { keys, validate, models }) ??
      (validate ? responses.refusedHistory(route, request) : undefined) ??
      (toolResults === 'required' ? openCall(route, request.body, responses.historyOf(request)) : undefined);
    if (refusal) return this.#refuse(route, refusal);
    const prompt = turnOperations.includes(route.id)
      ? this.#settings.prompts.read(route, request, this.#settings.responses.historyOf(request))
      : undefined;
    const scene: Scene = { route, request, stream: asksToStream(route, request), prompt };
    const admitted = this.#settings.capacity.admit(route, request);
    if (typeof admitted !== 'function') return answerWire(admitted, scene, (spoilt) => this.#byDefault(spoilt, true));
    // The client may have left while the body was read.
    if (this.#left.signal.aborted) admitted();
    else this.#free = admitted;
    const wire = await this.#answer(scene);
    responses.keep(route, request, wire);
    ids.learn(route, request, wire);
    return wire;
  }

  #refuse(route: Route | undefined, refusal: Refusal): WireReply {
    const { status, code, message, reason = message } = refusal;
    if (this.#record) {
      this.#record.refusal = { status, code, reason };
      this.#settings.refused(this.#record);
    }
    return refusalWire(route, refusal, this.#requestId);
  }

  #replayed(recording: ServedRecording, { method, target, headers, bytes }: FakeRequest): WireReply {
    const served = recording.answer(method, target, headers, bytes);
    if ('wire' in served) return served.wire;
    if (this.#record) this.#record.refusal = { status: missingStatus, code: 'not_recorded', reason: served.missing };
    return jsonWire(missingBody(served.missing), missingStatus, missingHeaders);
  }

  /** The wire reply to an accepted request: as scripted, or by default. */
  async #answer(scene: Scene): Promise<WireReply> {
    const { route, request } = scene;
    const scripted = this.#settings.script.take(route.id);
    const answer = typeof scripted === 'function' ? await scripted(request) : scripted;
    if (answer !== undefined) return answerWire(answer, scene, (spoilt) => this.#byDefault(spoilt, true));
    const isPreferred = request.headers['prefer'] !== undefined;
    const stored = isPreferred ? undefined : await this.#settings.batches.wire(route, request, (line) => this.#answer(line));
    return stored ?? this.#byDefault(scene);
  }

  async #hosted(answer: Answer, request: FakeRequest): Promise<WireReply> {
    const chosen = (typeof answer === 'function' ? await answer(request) : answer) ?? { body: new Uint8Array() };
    return answerWire(chosen, { route: filesContent, request, stream: false }, (scene) => exampleWire(scene.route, false));
  }

  /** `isKnown` for a scripted fault: it breaks the reply to any id. */
  #byDefault(scene: Scene, isKnown = false): WireReply {
    const { route, request, stream } = scene;
    const preferred = preferredWire(route, stream, request.headers['prefer']);
    if (preferred) return preferred;
    if (turnOperations.includes(route.id))
      return replyWire(
        { turn: { ...(!scene.prompt && { usage: { cached: 0 } }), ...unscriptedTurn(route, request.body, this.#settings.echo) } },
        scene,
      );
    const { tasks, responses, ids, validate } = this.#settings;
    const isOther = tasks.isOther(route, request);
    const unknown = isOther
      ? { status: 400, code: '1233', message: 'The task was not found.' }
      : isKnown || !validate
        ? undefined
        : (ids.refusal(route, request) ?? responses.unknown(route, request));
    if (unknown) return this.#refuse(route, unknown);
    const origin = `${'encrypted' in this.#incoming.socket ? 'https' : 'http'}://${request.headers['host']}`;
    const known = tasks.reply(route, request, origin) ?? responses.reply(route, request) ?? retrievalReply(route, request);
    if (known) return jsonWire(known);
    if (route === codexModelList) return jsonWire(codexModels());
    return unscriptedExample(scene, origin);
  }

  #perform(wire: WireReply): Promise<void> {
    const headers = Object.entries({ 'x-log-id': this.#requestId, ...wire.headers }).filter(([, value]) => value !== '');
    this.#wire = { ...wire, headers: Object.fromEntries(headers) };
    return perform(this.#wire, this.#outgoing, this.#left.signal);
  }

  /** Read a request body that was left unread, to notice that the client has gone. */
  readOn(): void {
    if (this.#isStalled) this.#incoming.resume();
  }

  async #answerEarly(fault: Fault, scene: Scene): Promise<void> {
    if (fault.effects[0]?.early === 'send') return await this.#perform(answerWire(fault, scene, (spoilt) => this.#byDefault(spoilt, true)));
    this.#wire = { head: 'silent', delayMs: 0, status: 0, headers: {}, blocks: [], paceMs: 0, ending: 'open' };
    this.#isStalled = true;
  }

  #outcome(): FakeRequest['outcome'] {
    if (this.#outgoing.writableFinished) return 'answered';
    return this.#wire?.head === 'reset' ||
      (this.#wire?.head === 'raw' && this.#wire.ending !== 'open') ||
      this.#wire?.ending === 'reset' ||
      this.#wire?.ending === 'close'
      ? 'cut'
      : 'left';
  }
}

function asksToStream(route: Route, request: FakeRequest): boolean {
  if (!route.streams) return false;
  const { stream } = (request.body ?? {}) as { readonly stream?: unknown };
  return stream === true || stream === 'true' || (request.headers['accept'] ?? '').startsWith('text/event-stream');
}

/** A target that begins with two slashes is a path, not a host. One that is not a URL has the path `/`. */
function urlOf(target: string): URL {
  const text = target.startsWith('/') ? `http://fake${target}` : target;
  return new URL(URL.canParse(text) ? text : 'http://fake/');
}

function noRoute(status: 404 | 405, { method, path }: FakeRequest): Refusal {
  const problem = status === 404 ? 'The requested path does not exist.' : 'The method is not allowed here.';
  const instead = servedInstead(method, path);
  return { status, code: String(status), message: instead === undefined ? problem : `${problem} The fake serves ${instead}.` };
}
