import type { Envelope } from '../../errors/envelope.ts';
import { type Billed, type ModelsvcError, ReplyError, StreamError } from '../../errors/errors.ts';
import { apiFailure } from '../../errors/failure.ts';
import { brokenAdvice } from '../../errors/next-step.ts';
import { higherOf, withBilled } from '../../errors/refusal.ts';
import type { SeenUsage } from '../../hooks/hook.ts';
import type { AttemptHooks } from '../../hooks/operation-hooks.ts';
import { InBandFailure } from '../../surfaces/protocol.ts';
import { BodyReader } from '../../transport/body-reader.ts';
import type { Exchange, WireResponse } from '../../transport/transport.ts';
import { failureOf } from '../attempt/connection.ts';
import { errorOf, RefusedAttempt } from '../attempt/failure.ts';
import type { Cancellation } from '../cancellation.ts';
import type { Door } from '../door.ts';
import { forgetDropped, whenDropped } from '../operation.ts';
import type { Call } from '../request/call.ts';
import type { Settings } from '../settings/settings.ts';
import { ExchangeInfo, rememberInfo } from './response-info.ts';
import { replyTime, retryAfterOf } from './retry-after.ts';

/** The facts of an attempt that its reply needs. */
export interface AttemptFacts {
  readonly hooks: AttemptHooks | undefined;
  readonly door: Door;
  readonly attempts: number;
  /** The highest of the attempts before. */
  readonly billed: Billed;
  /** The exchange that is open. */
  exchange: Exchange | undefined;
}

/** One attempt whose response header has arrived. */
interface ReplyParts {
  readonly call: Call;
  readonly settings: Settings;
  readonly response: WireResponse;
  readonly exchange: Exchange;
  readonly cancellation: Cancellation;
  readonly facts: AttemptFacts;
}

const unseen: SeenUsage = { usage: undefined, usageIsFinal: false };

/** The reply of an attempt: the facts of its header, its body, and the only code that reports its end to hooks and signals. */
export class Reply {
  readonly call: Call;
  readonly settings: Settings;
  readonly info: ExchangeInfo;
  readonly body: BodyReader;
  /** Media type in lower case; empty if the reply has none. */
  readonly contentType: string;
  /** True once the caller reads the body, as a stream, as bytes or raw. From then on the call is not retried. */
  open = false;
  /** True once an item of a stream has arrived. */
  hasBegun = false;
  /** The counts and the answer so far of a stream that is read within the attempt, for its error. */
  seen: { readonly usage: SeenUsage; partial(): unknown } | undefined;
  /** The bill that an error of this call has now. */
  #billed: Billed;
  readonly #response: WireResponse;
  readonly #cancellation: Cancellation;
  readonly #hooks: AttemptHooks | undefined;
  readonly #door: Door;
  #settled = false;

  constructor({ call, settings, response, exchange, cancellation, facts }: ReplyParts) {
    const { hooks, door, attempts, billed } = facts;
    this.call = call;
    this.settings = settings;
    this.info = new ExchangeInfo(response, attempts, door.waitedMs, call, settings);
    this.contentType = (response.header('content-type') ?? '').toLowerCase();
    this.#response = response;
    this.#cancellation = cancellation;
    this.#hooks = hooks;
    this.#door = door;
    this.#billed = call.charges ? higherOf('maybe', billed) : 'no';
    this.body = new BodyReader(exchange, response, settings);
    door.replied(this);
  }

  header(name: string): string | undefined {
    return this.#response.header(name);
  }

  /** Let `owner` read the body after the call has settled. The body is dropped if `owner`, to which `seen` must not refer, is garbage collected. */
  handOver(owner: object, seen?: SeenUsage): void {
    this.open = true;
    // The socket of an unread body would stay open until the service closes it. A stream can be left before it is handed over.
    if (!this.#settled) whenDropped(owner, this, () => this.left(seen));
    this.#door.handOver(this.body, this.settings.maxReplyBytes);
    const over = (): void => {
      const { reason } = this.#cancellation;
      if (reason) this.#door.ended({ billed: this.#billed, failure: this.withFate(reason) });
      else this.#door.over();
      this.#cancellation.release();
      if (reason) this.#hooks?.fatal(reason, seen);
    };
    // A stream that has ended already lets its body linger.
    const { onOver } = this.body;
    if (this.body.over) over();
    else
      this.body.onOver = () => {
        onOver?.();
        over();
      };
  }

  chunk(item: unknown): void {
    this.hasBegun = true;
    this.#hooks?.chunk(item);
  }

  /** A frame of the stream began with the cut-off head of another answer. */
  headDropped(): void {
    this.#hooks?.headDropped();
  }

  /** The reader reached the end. `value` is the result of a buffered call. */
  complete(usage: unknown, value?: unknown): void {
    if (this.call.charges) this.#billed = 'yes';
    this.#hooks?.response(this.info.status, this.info.requestId, { usage, usageIsFinal: true }, true, value);
    this.#settle(usage, value);
  }

  /** The reader left before the end. */
  left(seen: SeenUsage = unseen): void {
    this.#hooks?.response(this.info.status, this.info.requestId, seen, false);
    this.#settle();
    this.body.cancel();
  }

  /** Reading failed: free the socket and return the public error. `seen` is the usage that has arrived. */
  failed(cause: unknown, seen?: SeenUsage): ModelsvcError {
    const { attempts } = this.info;
    const failure = failureOf(cause instanceof InBandFailure ? this.refused(cause.envelope) : cause, this.call, attempts, true);
    // The caller reads the body, so the answer has begun.
    this.#door.ended({ billed: this.#billed, failure });
    const error = this.withFate(errorOf(failure, { ...this.info, billed: this.#billed }, this.#door.advice(failure, attempts), this.call.secrets));
    this.#settle();
    this.#hooks?.fatal(error, seen);
    this.body.cancel();
    return error;
  }

  /** An error that is thrown for this call, with what is known of its bill. */
  withFate<E extends ModelsvcError>(error: E): E {
    return withBilled(error, this.#billed);
  }

  /** The facts of a reply that reports a failure. */
  refused(envelope: Envelope): RefusedAttempt {
    const { call, info } = this;
    const header = (name: string): string | undefined => this.header(name);
    const now = replyTime(header);
    const refused = new RefusedAttempt(
      apiFailure(envelope, {
        operation: call.operation,
        surface: call.route.surface,
        status: info.status,
        requestId: info.requestId,
        retryAfter: retryAfterOf(header, now),
        now,
        url: call.endpoint.root + call.route.path,
        root: call.route.path && call.endpoint.root,
        body: typeof call.body === 'string' ? call.body : undefined,
        secrets: call.secrets,
      }),
    );
    refused.inform = (error) => void rememberInfo(error, info);
    return refused;
  }

  /** Error for a complete reply that cannot be used. `step` is a clause in the imperative. */
  unusable(problem: ReplyError['problem'], summary: string, step?: string): ReplyError {
    const advice = brokenAdvice(problem, this.#billed, step);
    return this.withFate(new ReplyError(this.call.operation, problem, summary, this.info.requestId, advice));
  }

  /** Error for a stream, or bytes, that are incomplete, malformed or too large. */
  broken(problem: StreamError['problem'], summary: string, step?: string): StreamError {
    const advice = brokenAdvice(problem, this.#billed, step);
    return this.withFate(new StreamError(this.call.operation, problem, summary, this.info.requestId, advice));
  }

  #settle(usage?: unknown, value?: unknown): void {
    this.#settled = true;
    this.#door.ended({ billed: this.#billed, usage, value });
    if (this.open) forgetDropped(this);
  }
}
