import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { peakHours } from '../../src/monitor/index.ts';
import { formatServerTime, parseServerTime, untilTimeIn } from '../../src/overlay/errors/server-time.ts';
import { newClient, ValidationError } from '../../src/overlay/index.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

// Minutes that `getTimezoneOffset` gives in July: proof that the zone of this process has really changed.
const zones: [zone: string, july: number][] = [
  ['UTC', 0],
  ['America/New_York', 240],
  ['Asia/Shanghai', -480],
  ['Asia/Kathmandu', -345],
  ['Pacific/Kiritimati', -840],
];

const seconds = fc.date({ min: new Date('0000-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });

afterEach(() => vi.unstubAllEnvs());

describe.each(zones)('in the zone %s', (zone, july) => {
  const inZone = (name: string, test: () => unknown): void =>
    it(name, async () => {
      vi.stubEnv('TZ', zone);
      expect(new Date('2026-07-11T00:00:00Z').getTimezoneOffset()).toBe(july);
      await test();
    });

  inZone('writes moments on the service’s clock', () => {
    expect(formatServerTime(new Date('2026-07-10T16:30:05.999Z'))).toBe('2026-07-11 00:30:05');
    // The hour that New York skips, and the one it has twice.
    expect(formatServerTime(new Date('2026-03-08T07:00:00Z'))).toBe('2026-03-08 15:00:00');
    expect(formatServerTime(new Date('2026-11-01T06:30:00Z'))).toBe('2026-11-01 14:30:00');
  });

  inZone('reads them back, to the second', () => {
    fc.assert(
      fc.property(seconds, (moment) => {
        const text = formatServerTime(moment);
        expect(text).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
        expect(parseServerTime(text)?.getTime()).toBe(Math.floor(moment.getTime() / 1000) * 1000);
      }),
    );
  });

  inZone('keeps the order of moments', () => {
    fc.assert(
      fc.property(seconds, seconds, (one, other) => {
        if (one.getTime() <= other.getTime()) expect(formatServerTime(one) <= formatServerTime(other)).toBe(true);
      }),
    );
  });

  inZone('reads the wait until a reset out of the service’s words', () => {
    const now = Date.parse('2026-11-22T00:00:00Z');
    const hours = 3_600_000;
    const english = 'Usage limit reached for 5 hour. Your limit will reset at';
    expect(untilTimeIn(`${english} 2026-11-22 12:58:28`, now)).toBe(4 * hours + 58 * 60_000 + 28_000);
    expect(untilTimeIn('已达到 5 小时的使用上限。您的限额将在 2026-11-22 09:41:44 重置。', now)).toBe(hours + 41 * 60_000 + 44_000);
    expect(untilTimeIn(`${english} 2026-11-22 09:30.`, now)).toBe(1.5 * hours);
    expect(untilTimeIn('Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-11-25', now)).toBe(64 * hours);
    expect(untilTimeIn(`Reached on 2026-02-30. ${english} 2026-11-22 09:00:00`, now)).toBe(hours);
    // The reset has passed by the clock of this machine.
    expect(untilTimeIn(`${english} 2026-11-22 07:59:59`, now)).toBe(0);
  });

  inZone('knows the peak hours', () => {
    expect(peakHours(new Date('2026-07-10T06:00:00Z')).peak).toBe(true);
    expect(peakHours(new Date('2026-07-10T10:00:00Z')).peak).toBe(false);
  });

  inZone('sends the window in the service’s time', async () => {
    await newClient(fake.configFor())
      .quota()
      .getToolUsage(undefined, { start: new Date('2026-07-09T17:00:00Z'), end: new Date('2026-07-10T15:59:59Z') });
    const [sent] = fake.requests;
    // A blank on the wire once broke an HTTP/2 stream.
    expect(sent?.target).not.toContain(' ');
    expect(sent?.parameters).toEqual({ startTime: '2026-07-10 01:00:00', endTime: '2026-07-10 23:59:59' });
  });
});

it.each([
  ['2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z'],
  ['2026-11-22T12:00:00.250Z.', '2026-11-22T12:00:00.250Z'],
  ['2026-11-22 12:00:00Z', '2026-11-22T12:00:00Z'],
  ['2026-11-22T12:00+08:00', '2026-11-22T04:00:00Z'],
  ['2026-11-22T12:00:00-0330', '2026-11-22T15:30:00Z'],
  ['2026-11-22T12:00:00+01', '2026-11-22T11:00:00Z'],
  ['2026-11-22 12:00:00 UTC', '2026-11-22T12:00:00Z'],
  ['2026-11-22 12:00:00 (UTC+8)', '2026-11-22T04:00:00Z'],
  ['2026-11-22 12:00:00 (GMT)', '2026-11-22T12:00:00Z'],
  ['2026-11-22 12:00:00 +0800', '2026-11-22T04:00:00Z'],
  ['2026-11-22 12:00:00', '2026-11-22T04:00:00Z'],
  ['2026-11-22T11:00:00 or 2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z'],
])('a reset at %j has the zone that it names', (text, moment) => {
  expect(untilTimeIn(`It will reset at ${text}`, 0)).toBe(Date.parse(moment));
});

describe('texts that are not a time', () => {
  it.each([
    '',
    '2026-07',
    '2026-02-30',
    '2026-13-01',
    '2026-07-11 24:00',
    '2026-07-11 09:60',
    '2026-07-11T09:00',
    '2026-07-11 9:00',
    ' 2026-07-11',
    '2026-07-11 09:00:00Z',
  ])('%j has no moment', (text) => {
    expect(parseServerTime(text)).toBeUndefined();
  });

  it.each([
    '',
    'wait for the reset',
    'reset at 2026-02-30',
    'reset at 2026-11-22T12:00:00',
    'reset at 2026-11-22 12:00:00+20:26',
    'reset at 2026-11-22T12:00:00Zulu',
    'reset at 2026-02-30T12:00:00Z',
    'reset at 2026-11-22 9:00',
    'reset at 12026-11-22',
    'request 20261122-11-22',
  ])('%j gives no wait', (text) => expect(untilTimeIn(text, 0)).toBeUndefined());

  it('refuses to write what four digits cannot', () => {
    for (const moment of [new Date(Number.NaN), new Date('+010000-01-01T00:00:00Z'), new Date(-1e14)])
      expect(() => formatServerTime(moment)).toThrow(ValidationError);
  });
});
