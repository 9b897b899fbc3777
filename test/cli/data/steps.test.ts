import { describe, expect, it } from 'vitest';
import { countOf, stepsOf } from '../../../src/cli/commands/usage/steps.ts';

describe('the steps of a series', () => {
  it('have the labels of the service, and a value where it sent one', () => {
    const labels = ['2026-07-11 00:00', '2026-07-11', 7];
    const steps = [
      { label: '2026-07-11 00:00', value: 4 },
      { label: '2026-07-11', value: undefined },
      { label: '', value: undefined },
    ];
    expect(stepsOf({ x_time: labels }, [4, null])).toEqual(steps);
    expect(stepsOf({ xTime: labels }, ['4'])).toEqual(steps);
  });

  it.each([[undefined], [null], [{}], [{ x_time: null }], [{ xTime: 'none' }]])('are empty for %j', (data) => {
    expect(stepsOf(data, [4])).toEqual([]);
    expect(stepsOf({ x_time: ['a'] }, data)).toEqual([{ label: 'a', value: undefined }]);
  });
});

describe('a figure that no use can be is undefined, and no "Infinity %"', () => {
  it.each([-1, '-1', 1e308, '1e999', Number.NaN, Number.POSITIVE_INFINITY, '', null])('%s', (value) => {
    expect(countOf(value)).toBeUndefined();
  });
});
