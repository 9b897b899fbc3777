// Values that a `catch` may get that throw when they are read. No function that takes the unknown throws for one.
import { describe, expect, test } from 'vitest';
import * as library from '../../src/overlay/index.ts';
import { pageCauseOf } from '../../src/overlay/streams/page-status.ts';
import { errorText } from '../../src/overlay/tools/typed-tool.ts';

function fails(): never {
  throw new Error('trap');
}

/** A Proxy whose every trap throws. */
const hostile = new Proxy({}, new Proxy({}, { get: () => fails }));
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const list = Proxy.revocable([], {});
list.revoke();

const values: Readonly<Record<string, unknown>> = {
  'a Proxy': hostile,
  'a revoked Proxy': revoked.proxy,
  'a revoked Proxy of a list': list.proxy,
  'a getter': Object.defineProperties(
    {},
    { message: { get: fails }, name: { get: fails }, kind: { get: fails }, choices: { get: fails }, cause: { get: fails } },
  ),
  'an error with a getter': Object.defineProperty(new Error('x'), 'message', { get: fails }),
  'a hostile cause': Object.assign(new Error('x'), { cause: hostile }),
  'no prototype': Object.create(null),
  'a symbol': Symbol('x'),
  'a function': fails,
  nothing: undefined,
};

const guards = Object.entries(library).filter(([name]) => /^is[A-Z]\w*Error$/.test(name)) as [string, (value: unknown) => boolean][];

describe.each(Object.entries(values))('%s', (_name, value) => {
  test.each(guards)('%s is false', (_guard, guard) => {
    expect(guard(value)).toBe(false);
  });

  test('is neither a reply nor a failed run', () => {
    expect([library.finishError(value), library.toolRun(value), library.responseInfo(value)]).toEqual([undefined, undefined, undefined]);
    expect(pageCauseOf(value)).toBe('your server');
    expect(typeof errorText(value)).toBe('string');
  });

  test('has a copy without secrets', () => {
    expect(() => library.withoutSecrets({ deep: [value], token: 'secret-word' })).not.toThrow();
  });
});

test('a field that cannot be read is left out of a copy, and no other', () => {
  const value = Object.defineProperty({ a: 1, b: [2] }, 'c', { get: fails, enumerable: true });
  expect(library.withoutSecrets({ value })).toEqual({ value: { a: 1, b: [2], c: undefined } });
});

test.each<[unknown, string]>([
  [new Error('rain'), 'rain'],
  [{ message: 'rain' }, 'rain'],
  [{ code: 7, reason: 'rain' }, '{"code":7,"reason":"rain"}'],
  [[{ code: 7 }], '[{"code":7}]'],
  [['a', 'b'], 'a,b'],
  [{}, 'unknown'],
  [{ toString: () => 'rain' }, 'rain'],
  [Object.create(null), 'unknown'],
  [undefined, 'undefined'],
  ['rain', 'rain'],
  [7n, '7'],
  [{ big: 7n }, 'unknown'],
])('a tool that throws %s gives the model %s', (thrown, text) => {
  expect(errorText(thrown)).toBe(text);
});
