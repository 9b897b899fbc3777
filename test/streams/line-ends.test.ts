import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseReader } from '../../src/overlay/streams/sse.ts';

const encoder = new TextEncoder();

/** The events, and JSON outside of them, of blocks fed one after the other; `ended` also ends the body for the reader. */
function read(blocks: readonly Uint8Array[], ended = true): string[] {
  const events: string[] = [];
  const reader = new SseReader(
    (name, data) => events.push(name === undefined ? data : `${name}=${data}`),
    (text) => events.push(`outside: ${text}`),
  );
  for (const block of blocks) reader.feed(block);
  if (ended) reader.end();
  return events;
}

function bytewise(text: string): Uint8Array[] {
  return Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte));
}

describe.each([
  ['whole', (text: string) => [encoder.encode(text)]],
  ['byte by byte', bytewise],
])('%s', (_name, cut) => {
  test.each(['\n\n', '\r\r', '\r\n\r\n', '\r\n\r', '\r\n\n', '\r\r\n', '\n\r\n', '\n\r'])('%j ends exactly one event, at once', (boundary) => {
    expect(read(cut(`data: a${boundary}`), false)).toEqual(['a']);
    expect(read(cut(`data: a${boundary}`))).toEqual(['a']);
    expect(read(cut(`data: a${boundary}data: b${boundary}`))).toEqual(['a', 'b']);
  });

  test.each(['', '\n', '\r', '\r\n'])('after %j at the end of the body the event is handed on all the same', (rest) => {
    expect(read(cut(`data: a${rest}`))).toEqual(['a']);
    expect(read(cut(`data: a${rest}`), false)).toEqual([]);
  });

  test('escaped line ends stay inside their line', () => {
    expect(read(cut('data: {"a":"\\n\\n\\r\\n"}\n\n'))).toEqual(['{"a":"\\n\\n\\r\\n"}']);
  });

  test('NEL, LINE SEPARATOR and PARAGRAPH SEPARATOR end no line', () => {
    expect(read(cut('data: a\u0085b\u2028c\u2029d\u000be\u000cf\n\n'))).toEqual(['a\u0085b\u2028c\u2029d\u000be\u000cf']);
  });

  test.each([
    ['on one line', 'data: a\n\n{"b":1}\n', ['a', 'outside: {"b":1}']],
    ['on several lines', '{\n "b": 1\n}\n', ['outside: {\n "b": 1\n}']],
    ['after a line of data, which it completes', 'data: {\n"b": 1\n}\n\n', ['{\n"b": 1\n}']],
    ['after other words, which hide it', 'dat: a\ndatas\n{"b":1}\ndata: c\n\n', ['c']],
    ['in a field or a comment, where it does not count', ': {"b":1}\nid: {}\nretry: {}\ndata\n\n', ['']],
  ])('JSON outside of an event is found: %s', (_where, body, expected) => {
    expect(read(cut(body), false)).toEqual(expected);
  });

  test('an empty body, and one of line ends only', () => {
    expect(read(cut(''))).toEqual([]);
    expect(read(cut('\r\n\r\n\n'))).toEqual([]);
  });
});

test('any lines with any ends give the same events in any cut', () => {
  const line = fc.constantFrom('', 'data: x', 'data:y', ': z', 'event: e', 'data', 'data: {', '{"a":1}', '{', '}', 'datum');
  const end = fc.constantFrom('\n', '\r', '\r\n');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end), { maxLength: 12 }), fc.array(fc.nat({ max: 80 }), { maxLength: 8 }), (lines, places) => {
      const body = lines.map(([text, ending]) => text + ending).join('');
      // CR and LF of two neighbors are one line end; LF alone has no such meeting.
      const plain = body.replace(/\r\n?/g, '\n');
      const bytes = encoder.encode(body);
      const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const cut = edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge));
      const expected = read([encoder.encode(plain)], false);
      expect(read(cut, false)).toEqual(expected);
      expect(read([bytes], false)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
