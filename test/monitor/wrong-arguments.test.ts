import { describe, expect, it } from 'vitest';
import * as monitor from '../../src/monitor/index.ts';
import { isModelsvcError } from '../../src/overlay/index.ts';
import * as testing from '../../src/testing/index.ts';

const odd = [undefined, null, 1, 'x', {}, [], Symbol('x')];
const functions = [monitor, testing].flatMap((entry) =>
  Object.entries(entry).filter(
    (one): one is [string, (...values: unknown[]) => unknown] => typeof one[1] === 'function' && !/^class\b/.test(String(one[1])),
  ),
);
/** They start a server, or return a function that fails later. */
const apart = ['startFakeService', 'refusedUrl', 'recordExchanges', 'replayExchanges'];

describe('an argument of another type is never an error of the engine', () => {
  it.each(functions.filter(([name]) => !apart.includes(name)))('%s', async (_name, call) => {
    for (const value of odd) {
      try {
        await call(value, value);
      } catch (error) {
        if (!isModelsvcError(error)) expect(String(error)).not.toMatch(/Cannot|is not a function|not iterable|undefined|null|Invalid|convert/);
      }
    }
  });
});

describe('a figure that no use can be is undefined, and no "Infinity %"', () => {
  it.each([-1, '-1', 1e308, '1e999', Number.NaN, Number.POSITIVE_INFINITY, '', null])('%s', (value) => {
    expect(monitor.creditNumber(value)).toBeUndefined();
  });
});
