import fc from 'fast-check';
import { expect, test } from 'vitest';
import { businessCodes } from '../../src/generated/codes.ts';
import { failureOf } from '../../src/overlay/call/attempt/connection.ts';
import { Disconnected, type Failure, RefusedAttempt } from '../../src/overlay/call/attempt/failure.ts';
import { fateOf } from '../../src/overlay/call/attempt/fate.ts';
import { RetryDecider, type RetryDecision } from '../../src/overlay/call/attempt/retry.ts';
import { retryAfterOf } from '../../src/overlay/call/reply/retry-after.ts';
import type { RetryPolicy } from '../../src/overlay/call/request/call.ts';
import { AbortError, StreamError, ValidationError } from '../../src/overlay/errors/errors.ts';

function refused(fields: { status: number; code?: string; retryAfter?: number }): RefusedAttempt {
  return new RefusedAttempt({
    operation: 'chat.create',
    surface: 'chat',
    status: fields.status,
    code: fields.code,
    category: 'server',
    serviceMessage: '',
    advice: '',
    retryable: false,
    requestId: undefined,
    retryAfter: fields.retryAfter,
  });
}

function retryDelay(failure: Failure, attempt: number, policy: RetryPolicy, random?: number): number | undefined {
  return decide(policy, failure, attempt, false, random).delayMs;
}

function decide(policy: RetryPolicy, failure: Failure, attempt = 0, isSpent = false, random?: number): RetryDecision {
  const { billed } = fateOf(failure, { charges: policy.bills }, true);
  return new RetryDecider(policy).decide(failure, billed, attempt, isSpent, undefined, random);
}

const policy: RetryPolicy = { maxRetries: 3, retryForMs: 0, isBound: false, baseDelayMs: 200, bills: true, performs: undefined };
const failure = { operation: 'chat.create', phase: 'connect' as const };

test('a computed delay grows from the base, stays within a quarter of jitter and never passes 30 s', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 40 }),
      fc.integer({ min: 0, max: 60_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, baseDelayMs, random) => {
        const delay = retryDelay(refused({ status: 503 }), attempt, { ...policy, maxRetries: 50, baseDelayMs }, random) ?? Number.NaN;
        const bare = Math.min(baseDelayMs * 2 ** attempt, 30_000);
        expect(delay).toBeGreaterThanOrEqual(bare);
        expect(delay).toBeLessThanOrEqual(Math.min(bare * 1.25, 30_000));
      },
    ),
  );
});

test('no retry beyond maxRetries, whatever the error', () => {
  fc.assert(
    fc.property(fc.nat({ max: 10 }), fc.nat({ max: 10 }), (attempt, maxRetries) => {
      const delay = retryDelay(refused({ status: 500 }), attempt, { ...policy, maxRetries });
      expect(delay !== undefined).toBe(attempt < maxRetries);
    }),
  );
});

test.each([
  ['429 without a code', refused({ status: 429 }), true],
  ['429 with an unknown code', refused({ status: 429, code: '4711' }), true],
  ['500 with an unknown code', refused({ status: 500, code: '4711' }), true],
  ['500 with a code that every object has', refused({ status: 500, code: 'constructor' }), true],
  ['429 with a code that every object has', refused({ status: 429, code: 'toString' }), true],
  ['529', refused({ status: 529 }), true],
  ['599', refused({ status: 599 }), true],
  ['400', refused({ status: 400, code: '1305' }), false],
  ['a failure inside a 200', refused({ status: 200, code: '1305' }), false],
  ['Retry-After of 60 s', refused({ status: 429, retryAfter: 60_000 }), true],
  ['Retry-After beyond 60 s', refused({ status: 429, retryAfter: 60_001 }), false],
  ['refused', new Disconnected('', failure), true],
  ['broken in the body of a call that bills', new Disconnected('', { ...failure, phase: 'body', replied: true }), false],
  ['dial timeout', new Disconnected('', failure, 1), true],
  ['header timeout of a call that bills', new Disconnected('', { ...failure, phase: 'headers' }, 1), false],
  ['aborted', new AbortError('chat.create', undefined), false],
  ['cut stream', new StreamError('chat.stream', 'truncated', ''), false],
  ['bad request', new ValidationError('chat.create', 'model', 'is required'), false],
])('%s: retried is %s', (_name, error, retried) => {
  expect(retryDelay(error, 0, policy) !== undefined).toBe(retried);
});

test('a header timeout and a broken body of a read are retried', () => {
  expect(retryDelay(new Disconnected('', { ...failure, phase: 'headers' }, 1), 0, { ...policy, bills: false })).toBeDefined();
  expect(retryDelay(new Disconnected('', { ...failure, phase: 'body' }), 0, { ...policy, bills: false })).toBeDefined();
});

test.each(Object.entries(businessCodes))('business code %s is retried only if a wait can help, at any status', (code, { retry }) => {
  for (const status of [429, 500, 502, 503, 529]) expect(retryDelay(refused({ status, code }), 0, policy) !== undefined).toBe(retry === 'yes');
  expect(retryDelay(refused({ status: 200, code }), 0, { ...policy, performs: 'answer' }) !== undefined).toBe(retry === 'yes');
  expect(retryDelay(refused({ status: 200, code }), 0, policy)).toBeUndefined();
});

test('a Retry-After of a second or more is kept, and up to a quarter of it, 5 s at most, is added', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 60_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (retryAfter, random) => {
      const delay = retryDelay(refused({ status: 429, retryAfter }), 0, policy, random) ?? Number.NaN;
      expect(delay).toBeGreaterThanOrEqual(retryAfter);
      expect(delay).toBeLessThanOrEqual(retryAfter + Math.min(retryAfter / 4, 5000));
    }),
  );
  expect(retryDelay(refused({ status: 429, retryAfter: 1000 }), 0, policy, 0)).toBe(1000);
  expect(retryDelay(refused({ status: 429, retryAfter: 1000 }), 0, policy, 1)).toBe(1250);
  expect(retryDelay(refused({ status: 429, retryAfter: 60_000 }), 0, policy, 1)).toBe(65_000);
});

test('a Retry-After below a second, or a date that has passed, waits at least the backoff', () => {
  const codes = [undefined, '1302', '1305'];
  fc.assert(
    fc.property(
      fc.constantFrom(0, 0.001, 1, 50, 300, 999),
      fc.nat({ max: 8 }),
      fc.constantFrom(...codes),
      fc.constantFrom(0, 60_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (retryAfter, attempt, code, retryForMs, random) => {
        const of = (asked: object): number => {
          const error = refused({ status: 429, ...(code && { code }), ...asked });
          return retryDelay(error, attempt, { ...policy, maxRetries: 9, retryForMs }, random) ?? Number.NaN;
        };
        expect(of({ retryAfter })).toBeGreaterThanOrEqual(of({}));
        expect(of({ retryAfter })).toBeGreaterThanOrEqual(retryAfter);
      },
    ),
  );
});

test.each([
  ['1305', refused({ status: 429, code: '1305' })],
  ['1312', refused({ status: 429, code: '1312' })],
  ['529', refused({ status: 529 })],
  ['overloaded_error', refused({ status: 500, code: 'overloaded_error' })],
])('an overload (%s) is waited for four times as long as 1302', (_name, overloaded) => {
  for (const attempt of [0, 1, 2]) {
    const own = retryDelay(refused({ status: 429, code: '1302' }), attempt, policy, 0.5) ?? Number.NaN;
    expect(retryDelay(overloaded, attempt, policy, 0.5)).toBe(4 * own);
  }
});

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': 'Fri, 10 Jul 2026 22:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 10 Jul 2020 22:00:30 GMT' }, 0],
  [{ 'retry-after': '9', 'retry-after-ms': '0' }, 0],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after': '9'.repeat(400) }, Number.MAX_SAFE_INTEGER],
  [{ 'retry-after-ms': '9'.repeat(400) }, Number.MAX_SAFE_INTEGER],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'NaN' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks for %s ms', (headers: Record<string, string>, expected) => {
  expect(retryAfterOf((name) => headers[name], Date.parse('2026-07-10T22:00:00Z'))).toBe(expected);
});

test.each<[string, Failure, Partial<RetryPolicy>, number, boolean, string]>([
  ['a 503', refused({ status: 503 }), {}, 0, false, 'retried'],
  ['a 503 with retries off', refused({ status: 503 }), { maxRetries: 0 }, 0, false, 'off'],
  ['a 503 after the last retry', refused({ status: 503 }), {}, 3, false, 'exhausted'],
  ['a 503 of a body that was read', refused({ status: 503 }), {}, 0, true, 'body-spent'],
  ['a 400', refused({ status: 400 }), {}, 0, false, 'final'],
  ['an empty balance', refused({ status: 429, code: '1113' }), {}, 0, false, 'final'],
  ['an invalid request', new ValidationError('chat.create', 'model', 'is required'), {}, 0, false, 'final'],
  ['a wait of over 60 s', refused({ status: 429, retryAfter: 60_001 }), {}, 0, false, 'retry-after'],
  ['a header timeout of a billed call', new Disconnected('', { ...failure, phase: 'headers' }, 1), {}, 0, false, 'billed'],
  ['a header timeout of a read', new Disconnected('', { ...failure, phase: 'headers' }, 1), { bills: false }, 0, false, 'retried'],
])('%s: the decision has its reason', (_name, error, changed, attempt, isSpent, why) => {
  const decision = decide({ ...policy, ...changed }, error, attempt, isSpent);
  expect(decision).toMatchObject({ why, delayMs: why === 'retried' ? expect.any(Number) : undefined });
});

test('an error of an unknown kind ends a billed call if the response had begun, and is retried if not', () => {
  const endpoint = { root: 'http://127.0.0.1/v4', origin: 'http://127.0.0.1', key: 'key', isVendor: false };
  const call = { operation: 'chat.create', secrets: [], endpoint };
  const after = failureOf(new TypeError('x'), call, 1, true);
  expect(after).toMatchObject({ summary: 'the response could not be read', facts: { phase: 'body', replied: true, seeCause: true } });
  expect(decide(policy, after).why).toBe('billed');
  const before = failureOf(new TypeError('x'), call, 1, false);
  expect(before).toMatchObject({
    summary: 'the request failed before a response arrived',
    facts: { phase: 'connect', replied: false, seeCause: true },
  });
  expect(decide(policy, before).why).toBe('retried');
});
