// How long, and how often, a call is retried: the fields of Config, of `with` and of a context.
import type { Config } from '../../config.ts';
import { Problem } from '../../json/problem.ts';
import { durationField, retriesField } from './fields.ts';

/** The fields that one level sets. */
type RetryFields = Pick<Config, 'maxRetries' | 'retryFor'>;

/** The limits of the retries of a client or a call. */
export interface RetryLimits {
  readonly maxRetries: number;
  /** Milliseconds; 0 means no limit. */
  readonly retryForMs: number;
  /** True if `maxRetries` was set, above 0: it is then a second bound in addition to `retryFor`. */
  readonly isBound: boolean;
}

const defaults: RetryLimits = { maxRetries: 3, retryForMs: 0, isBound: false };

/** The limits after the fields of the next level. Throws a Problem for an invalid field, and for two that contradict each other. */
export function limitsOf({ maxRetries, retryFor }: RetryFields, outer: RetryLimits = defaults, level: '' | 'ctx.' = ''): RetryLimits {
  if (maxRetries === undefined && retryFor === undefined) return outer;
  const retries = retriesField(`${level}maxRetries`, maxRetries);
  const retryForMs = durationField(`${level}retryFor`, retryFor);
  if (retries === 0 && retryForMs) throw new Problem(`${level}retryFor`, 'and maxRetries: 0 exclude each other');
  return {
    maxRetries: retries ?? outer.maxRetries,
    retryForMs: retryForMs ?? (retries === 0 ? 0 : outer.retryForMs),
    isBound: retries === undefined ? outer.isBound : retries > 0,
  };
}

/** The limits of the client that `with` changes. A change to undefined resets a field to its default. */
export function outerLimits(outer: RetryLimits, changes: RetryFields): RetryLimits {
  const isReset = (name: keyof RetryFields): boolean => name in changes && changes[name] === undefined;
  const { maxRetries, isBound } = isReset('maxRetries') ? defaults : outer;
  return { maxRetries, isBound, retryForMs: isReset('retryFor') ? defaults.retryForMs : outer.retryForMs };
}
