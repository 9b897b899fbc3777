// The document is taken by tools of other languages, whose readers know YAML 1.1, or less.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCollection, LineCounter, parse, parseDocument, visit } from 'yaml';

const text = readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8');

test('YAML 1.1 reads the same values', () => {
  expect(parse(text, { maxAliasCount: -1, version: '1.1' })).toEqual(parse(text, { maxAliasCount: -1 }));
});

test('no plain text between brackets has a question mark, which ends it for PyYAML', () => {
  const lines = new LineCounter();
  const found: string[] = [];
  visit(parseDocument(text, { lineCounter: lines }), {
    Scalar: (_key, { type, range }, path) => {
      if (type !== 'PLAIN' || !range || !path.some((node) => isCollection(node) && node.flow)) return;
      if (text.slice(range[0], range[1]).includes('?')) found.push(`line ${lines.linePos(range[0]).line}: ${text.slice(range[0], range[1])}`);
    },
  });
  expect(found).toEqual([]);
});
