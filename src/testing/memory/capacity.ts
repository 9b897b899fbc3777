import type { Route } from '../../generated/routes.ts';
import { serviceOf } from '../../overlay/call/request/call.ts';
import { type Checks, callback, checkValue, checkValues, count, either, ms, number, truth } from '../checks.ts';
import { type Fault, faults } from '../faults.ts';
import type { FakeRequest } from '../requests/request.ts';

/** Limits of the fake, for the calls of each key and model. Reads (GET) are not counted. Default: no limits. */
export interface Capacity {
  /** Calls at once; more are refused with code 1302. A function gets the model, or the service of a call without one. */
  readonly atOnce?: (number | ((model: string) => number)) | undefined;
  /** Report refusals inside a reply of status 200. */
  readonly inside200?: boolean | undefined;
  /** Calls per `perMs` milliseconds; more are refused with code 1303. */
  readonly starts?: { readonly count: number; readonly perMs: number } | undefined;
  /** True while every call is refused with code 1305. */
  readonly overloaded?: boolean | undefined;
}

const atOnce = either('must be a number of calls from 0, or a function', number(0, Number.POSITIVE_INFINITY), callback);

export const capacityChecks: Checks<Capacity> = {
  atOnce,
  inside200: truth,
  starts: (value) => {
    checkValues(value, { count, perMs: ms }, 'starts');
    return ['count', 'perMs'].every((name) => name in Object(value)) ? undefined : 'must have count and perMs';
  },
  overloaded: truth,
};

/** Calls in flight and recent starts, by key and model. */
export class CapacityBook {
  #capacity: Capacity = {};
  readonly #inFlight = new Map<string, number>();
  readonly #starts = new Map<string, number[]>();
  #most = 0;

  /** Highest number of calls of one key and model that were accepted at once. */
  get most(): number {
    return this.#most;
  }

  set(capacity: Capacity): void {
    this.#capacity = capacity;
    this.#most = 0;
  }

  /** Admit a call, and return the function that frees its place; or the fault that refuses it. */
  admit(route: Route, request: FakeRequest): (() => void) | Fault {
    const { atOnce: limit = Number.POSITIVE_INFINITY, inside200 = false, starts, overloaded = false } = this.#capacity;
    if (route.method === 'GET') return () => undefined;
    const { model } = (request.body ?? {}) as { readonly model?: unknown };
    const name = typeof model === 'string' ? model : serviceOf(route);
    const key = `${request.headers['authorization'] ?? ''} ${name}`;
    const refused = (code: string): Fault => (inside200 ? faults.embeddedFailure(undefined, code) : faults.rateLimit(undefined, code));
    if (overloaded) return refused('1305');
    if (starts && !this.#mayStart(key, starts)) return refused('1303');
    const inFlight = this.#inFlight.get(key) ?? 0;
    const most = typeof limit === 'function' ? limit(name) : limit;
    checkValue('the result of atOnce', most, number(0, Number.POSITIVE_INFINITY));
    if (inFlight >= most) return refused('1302');
    this.#inFlight.set(key, inFlight + 1);
    this.#most = Math.max(this.#most, inFlight + 1);
    return () => this.#inFlight.set(key, (this.#inFlight.get(key) ?? 1) - 1);
  }

  #mayStart(key: string, { count, perMs }: { readonly count: number; readonly perMs: number }): boolean {
    const now = performance.now();
    const recent = (this.#starts.get(key) ?? []).filter((start) => start > now - perMs);
    const may = recent.length < count;
    this.#starts.set(key, may ? [...recent, now] : recent);
    return may;
  }
}
