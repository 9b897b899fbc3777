import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConnectReply } from '../../src/proxy/connect-reply.ts';

function read(bytes: Buffer, cuts: readonly number[]): unknown {
  const reply = new ConnectReply();
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  for (const [index, start] of places.entries()) {
    const next = places[index + 1];
    const outcome = next === undefined ? undefined : reply.push(bytes.subarray(start, next));
    if (!outcome) continue;
    if ('problem' in outcome) return outcome.problem;
    return [outcome.status, Buffer.concat([outcome.rest, bytes.subarray(next)]).toString('latin1')];
  }
  return 'unfinished';
}

const cuts = fc.array(fc.nat(), { maxLength: 40 });
const line = fc.string({ unit: 'binary-ascii', maxLength: 30 }).filter((text) => !/[\r\n]/.test(text));

test('a header cut anywhere gives its status and, byte for byte, the bytes after it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 999 }),
      line,
      fc.array(line.map((text) => `x${text}`)),
      fc.string(),
      cuts,
      (status, reason, lines, rest, places) => {
        const header = [`HTTP/1.${status % 2} ${status} ${reason}`, ...lines, '', ''].join('\r\n');
        expect(read(Buffer.from(header + rest, 'latin1'), places)).toEqual([status, Buffer.from(rest, 'latin1').toString('latin1')]);
      },
    ),
  );
});

test('other bytes never become a status, and never wait for more than 16 KB', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 20_000, maxLength: 20_000 }),
      fc.constantFrom('', 'HTTP/1.1 ', 'HTTP/1.1 200'),
      cuts,
      (bytes, start, places) => {
        const garbage = Buffer.concat([Buffer.from(start), bytes.map((byte) => (byte === 10 ? 11 : byte))]);
        expect(read(garbage, places)).toMatch(start === '' ? /malformed/ : /oversized/);
      },
    ),
    { numRuns: 30 },
  );
});

test('one byte at a time is linear work: a header of the full size is read', () => {
  const header = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(16 * 1024 - 25)}\r\n\r\n`;
  const all = [...header].map((_, index) => index);
  expect([header.length, read(Buffer.from(header), all)]).toEqual([16 * 1024 - 1, [200, '']]);
  expect(read(Buffer.from(header.replace('x:', 'xxx:')), all)).toBe('oversized');
});
