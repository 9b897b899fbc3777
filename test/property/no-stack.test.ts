// Patterns over foreign text need no stack. V8 keeps a place to return to for each turn of a group that repeats, and of a run with a least count.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { firstCodeBlock } from '../../src/cli/talk/extract.ts';
import { contentsOf } from '../../src/node/contents.ts';
import { withoutSecrets } from '../../src/overlay/errors/without-secrets.ts';
import { cleanText } from '../../src/overlay/secrets/clean.ts';
import { bodyOf } from '../../src/testing/exchanges/bodies.ts';
import { framesOfBlocks } from '../../src/testing/exchanges/frames.ts';
import { keyIn } from '../../src/testing/exchanges/secrets.ts';
import { redactExchange } from '../../src/testing/index.ts';

/** A run of so many characters overflowed the stack of each of these patterns. */
const long = 10_000_000;
const run = (text: string): string => text.repeat(long / text.length);
const hex = '0a'.repeat(16);

const keys: Readonly<Record<string, string>> = {
  'beginnings of tokens': run('a-eyJhbGci'),
  'a token with many parts': `eyJhbGciOiJ${run('.z')}`,
  'a long token': `eyJ${run('z')}`,
  'a key of the service': `${hex}.${run('z')}`,
  'a secret key': `sk-${run('z')}`,
  'a bearer': `bearer ${run('z')}`,
  'a basic credential': `basic ${run('z1')}`,
  'tokens of hosts': `ghp_${run('z')} glpat-${run('z')} xoxb-${run('z')}`,
  'a PEM block without an end': `-----BEGIN A-----${run('z')}`,
  'a link': `https://a.example/?b=${run('z')}`,
  'a header of a gateway': run('own-value '),
};

/** V8 compiles a pattern that is used often, and the compiled form needs other memory. */
function warmed(work: (text: string) => unknown, text: string): void {
  for (let count = 0; count < 300; count++) work(text.slice(0, 200));
}

describe('a text of 20 MB', () => {
  test.each(Object.keys(keys))('%s', (name) => {
    const text = keys[name] ?? '';
    const request = { method: 'POST', host: 'a', path: '/', headers: {}, body: { text } };
    warmed((short) => {
      keyIn(short);
      withoutSecrets(short, ['own-value']);
      cleanText(short, ['own-value']);
      redactExchange({ request: { ...request, body: { text: short } }, response: { status: 200, headers: {} } });
    }, text);
    keyIn(text);
    expect(withoutSecrets(text, ['own-value']).length).toBeLessThanOrEqual(text.length);
    expect(JSON.stringify(redactExchange({ request, response: { status: 200, headers: {} } })).length).toBeLessThan(text.length + 200);
    expect(cleanText(text, ['own-value']).length).toBeLessThanOrEqual(500);
  });

  test('one text in JSON, and one with escapes', () => {
    for (const text of [run('z'), run('\\"')]) expect(bodyOf(Buffer.from(`["${text}",1]`), 'application/json')).toHaveProperty('body');
  });

  test('lines of one frame', () => {
    expect(framesOfBlocks([{ bytes: Buffer.from(`${run('data: a\n')}\n`), at: 0 }], 0)).toHaveLength(1);
  });

  test('parameters of a data URL', () => {
    const [content] = contentsOf({ video_result: [{ url: `data:video/mp4${run(';a=b')};base64,AAAA` }] } as never);
    expect(content).toMatchObject({ type: 'video/mp4' });
  });

  test('the fence of an answer', () => {
    warmed(firstCodeBlock, '```\na');
    expect(firstCodeBlock(`${run('`')}\na`)).toBe('a');
  });
});

/** Files whose patterns see a short or a local text: words and files of the user, and the first characters of a line. */
const local = /^cli\/(?:coding|input|terminal)\/|^cli\/talk\/words|^fetch\/target/;

test('no pattern over foreign text repeats a group, or has a run with a least count', () => {
  const root = new URL('../../src/', import.meta.url).pathname;
  const found: string[] = [];
  for (const entry of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || entry.startsWith('generated/') || local.test(entry)) continue;
    const source = ts.createSourceFile(entry, readFileSync(join(root, entry), 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && /\)[*+]|\{\d+,\}/.test(node.text)) found.push(`${entry}: ${node.text}`);
      node.forEachChild(visit);
    };
    visit(source);
  }
  expect(found).toEqual([]);
});
