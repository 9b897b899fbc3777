import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../../src/cli/terminal/markdown/markdown.ts';
import { cleaned, type Paint, painted } from '../../../src/cli/terminal/terminal.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';
import { expectLinear, sizesUpTo } from '../../property/linear-time/growth.ts';

/** Styles as words, for tests of single lines. */
const named: Paint = (style, text) => `<${style}>${text}</${style}>`;

function shown(pieces: readonly string[], width = 80, paint: Paint = painted): string {
  const markdown = new Markdown(paint, () => width);
  return pieces.map((piece) => markdown.push(piece)).join('') + markdown.end();
}

const look = (text: string, width?: number): string => shown([text], width, named).trimEnd();
const bare = (text: string, width?: number): string => stripVTControlCharacters(shown([text], width)).trimEnd();

describe('markdown on a terminal', () => {
  it.each([
    ['**bold** and *italic*, ~~gone~~', '<bold>bold</bold> and <italic>italic</italic>, <strikethrough>gone</strikethrough>'],
    ['run `npm ci` now', 'run <cyan>npm</cyan><cyan> </cyan><cyan>ci</cyan> now'],
    ['**重点：**内容', '<bold>重</bold><bold>点：</bold>内容'],
    ['[docs](https://a.b/c_d_(e))', 'docs (<underline>https://a.b/c_d_(e)</underline>)'],
    ['![a cat](cat.png)', 'a cat (<underline>cat.png</underline>)'],
    ['<https://a.b>', '<underline>https://a.b</underline>'],
    ['## Title', '<bold>Title</bold>'],
    ['- item', '• item'],
    ['> quoted', '<dim>│ </dim>quoted'],
  ])('%s has its look', (text, expected) => {
    expect(look(text)).toBe(expected);
  });

  it.each([
    '2*3*4 and snake_case_name',
    '*.ts and *.js',
    'a * b * c',
    '**unclosed and `open',
    'f(*args, **kwargs)',
    'https://x.org/_next_/a*b*c',
    'arr[0] and [1], ~5 or ~6',
    String.raw`\(x^2\) and \[y\]`,
    'a < b and <div> &amp;',
    '1.5 is no item, #5 no heading',
    'one | two',
    '| no table',
  ])('%s stays as it is', (text) => {
    expect(look(text)).toBe(text);
  });

  it('code keeps its characters, with colors of its language, also inside a list and across lines', () => {
    const code = '```ts\nconst a = 1; /* *two*\n  lines */ return `x`;\n```\n1. ```sh\n   echo "**a**"\n   ```\n~~~\n*plain*\n~~~';
    expect(bare(code)).toBe(code);
    expect(look(code)).toContain('<magenta>const</magenta>');
    expect(look(code)).toContain('<dim>  lines */</dim>');
    expect(look(code)).toContain('\n*plain*\n');
  });

  it('lines break between words and at Chinese characters, and items hang', () => {
    expect(bare('- one two three four five six seven', 20)).toBe('• one two three four\n  five six seven');
    expect(bare('> one two three four five six seven', 20)).toBe('│ one two three four\n│ five six seven');
    expect(bare('光线穿过大气层时，会发生散射。', 20)).toBe('光线穿过大气层时，会\n发生散射。');
    expect(bare('word 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧 word', 12)).toBe('word 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧\nword');
  });

  const table = '| Name | Count | 说明 |\n|:--|--:|---|\n| a\\|b | 12 | 很长的说明文字 |\n| `c` | 3 | **x** |';
  it('a table has columns, and its cells break where the terminal is narrow', () => {
    expect(bare(table)).toBe(
      ['Name │ Count │ 说明', '─────┼───────┼───────────────', 'a|b  │    12 │ 很长的说明文字', 'c    │     3 │ x'].join('\n'),
    );
    expect(bare(table, 24)).toBe(
      ['Name │ Count │ 说明', '─────┼───────┼──────────', 'a|b  │    12 │ 很长的说', '     │       │ 明文字', 'c    │     3 │ x'].join('\n'),
    );
    expect(bare(table, 12)).toContain('| Name |');
  });

  const fragments = [
    ...['**', '*', '_', '`', '```', '\n```ts\n', '~~', '[', '](', ')', '!', '<', '>', '\\', '|', '\n', '\n\n', '\n- ', '\n1. ', '\n> ', '\n# ', '  '],
    ...[
      '\n| a | b |\n|---|---|\n| c | d |\n',
      '| e | f | g |\n',
      '(b "title")',
      '\n---\n',
      'word',
      ' ',
      'https://a.b/',
      '重点',
      '，',
      '👩‍👩‍👧',
      '\x1b[31m',
      '\x1b]0;t\x07',
      '\u009b2J',
      '    ',
    ],
  ];
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 8, unit: 'grapheme' })), { maxLength: 40 })
    .map((list) => list.join(''));
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

  it('any cut into pieces gives the same bytes, at any width', () => {
    fc.assert(
      fc.property(texts, cuts, fc.integer({ min: 1, max: 200 }), (foreign, at, width) => {
        const text = cleaned(foreign);
        const places = [0, ...at.filter((one) => one < text.length).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(shown(pieces, width)).toBe(shown([text], width));
        expect(shown([...text], width)).toBe(shown([text], width));
      }),
      { numRuns: 100 },
    );
  });

  it('has the words of the text in order, and no escape sequence of its own', () => {
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 200 }), (foreign, width) => {
        const text = cleaned(foreign);
        const screen = shown([text], width);
        expect(cleaned(screen)).toBe(stripVTControlCharacters(screen));
        expect(letters(cleaned(screen))).toBe(letters(text));
      }),
      { numRuns: 100 },
    );
  });

  it.each(['a', '[', '*a ', '`a ', '*a *b**c* ', '[a](b ', '-', '> ', '<a', '```js\n"a', '| a | b |\n', '重'])(
    '%j takes time in proportion to the text',
    async (unit) => {
      await expectLinear((size) => {
        const text = unit.repeat(size / unit.length);
        const pieces = Array.from({ length: Math.ceil(text.length / 4) }, (_, at) => text.slice(4 * at, 4 * at + 4));
        return () => shown(pieces);
      }, sizesUpTo(16_000));
    },
  );

  it('no line of prose is wider than the terminal, unless a word is', () => {
    const words = fc.array(fc.constantFrom('one', 'three', '**bold**', '`code`', '很长的', '说明', '文字。', 'a-long-word'), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 14, max: 200 }), (list, width) => {
        for (const line of bare(`- ${list.join(' ')}`, width).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 50 },
    );
  });
});
