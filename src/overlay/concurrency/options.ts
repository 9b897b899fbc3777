import type { ConcurrencyOptions, Config } from '../config.ts';
import { isPlain } from '../context.ts';
import { isFields } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';

/** `Config.concurrency`, checked and with its defaults. */
export interface GateOptions {
  readonly max: number;
  /** Undefined: no limit until the first refusal for too many calls. */
  readonly start: number | undefined;
  readonly perModel: ReadonlyMap<string, number>;
  readonly maxQueue: number;
  /** 0 means no limit. Undefined: until no call was answered for a minute. */
  readonly queueTimeoutMs: number | undefined;
}

const autoStart = 2;
const defaultQueue = 10_000;

const noLimiter = 'is gone: BullMQ shares the limit of a key among processes, see docs/guides/job-queue.md of this package';

const known: KnownFields<ConcurrencyOptions> = { max: 1, start: 1, perModel: 1, maxQueue: 1, queueTimeout: 1 };

/** Check `Config.concurrency`. Undefined if no call waits. */
export function gateOptions(
  given: Config['concurrency'] = {},
  duration: (name: string, value: unknown) => number | undefined,
): GateOptions | undefined {
  if (given === false) return undefined;
  if (given === 'auto') return gateOptions({ start: autoStart }, duration);
  if (!isFields(given)) {
    const max = places('concurrency', given, ", or 'auto', or false, or an object of options");
    return gateOptions({ max, start: max }, duration);
  }
  if (given['limiter'] !== undefined) throw new Problem('concurrency.limiter', noLimiter);
  checkFields(given, known, 'concurrency');
  const { perModel = {} }: ConcurrencyOptions = given;
  const max = givenPlaces('concurrency.max', given.max) ?? Number.POSITIVE_INFINITY;
  const isLimited = given.max !== undefined || given.start !== undefined || given.perModel !== undefined;
  const start = givenPlaces('concurrency.start', given.start) ?? autoStart;
  if (!isPlain(perModel)) throw new Problem('concurrency.perModel', 'must be an object of model names and numbers');
  return {
    max,
    start: isLimited ? Math.min(start, max) : undefined,
    perModel: new Map(Object.entries(perModel).map(([model, value]) => [model, places(`concurrency.perModel.${model}`, value)])),
    maxQueue: givenPlaces('concurrency.maxQueue', given.maxQueue) ?? defaultQueue,
    queueTimeoutMs: duration('concurrency.queueTimeout', given.queueTimeout) ?? (isLimited ? 0 : undefined),
  };
}

function givenPlaces(name: string, value: unknown): number | undefined {
  return value === undefined ? undefined : places(name, value);
}

function places(name: string, value: unknown, others = ''): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw new Problem(name, `must be an integer of at least 1${others}`);
  return value as number;
}
