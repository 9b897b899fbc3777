// Pure parts of the talking commands.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../src/cli/files/lines.ts';
import { withTexts } from '../../../src/cli/talk/attachments.ts';
import { continued, merged } from '../../../src/cli/talk/continuation.ts';
import { firstCodeBlock } from '../../../src/cli/talk/extract.ts';
import type { WireMessage } from '../../../src/cli/talk/question.ts';
import { commandWords } from '../../../src/cli/talk/words.ts';
import { cleaned, PieceCleaner } from '../../../src/cli/terminal/terminal.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** A text cut at some places. */
const pieces = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.tuple(text, fc.array(fc.nat(40), { maxLength: 8 })).map(([whole, sizes]) => {
    const list: string[] = [];
    let at = 0;
    for (const size of sizes) list.push(whole.slice(at, (at += size)));
    return [...list, whole.slice(at)];
  });

const sequence = fc.constantFrom(
  '\x1b[31m',
  '\x1b[2J',
  '\x1b]0;title\x07',
  '\x1b]8;;https://example.com\x1b\\',
  '\x1bPq\x1b\\',
  '\x1bc',
  '\x1b(B',
  '\x1b[?25l',
  '\x1b',
  '\x9b31m',
  '\x9d0;title\x9c',
  '\x90q\x9c',
);
const hostile = fc
  .array(fc.oneof(sequence, fc.constantFrom('a', '[', ']', '\\', '\n', '\t', '\r', '\x07', '\x00', '\u202e', '中文', '👍')), { maxLength: 12 })
  .map((all) => all.join(''));

describe('continued', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
  const next = { role: 'user', content: 'next' };
  const first = { role: 'user', content: 'first' };
  it.each([
    ['a conversation with an answer', [first, { role: 'assistant', content: 'a' }], [first, { role: 'assistant', content: 'a' }, next]],
    ['an empty answer', [first, { role: 'assistant', content: ' \n', reasoning_content: 'hm' }], [{ role: 'user', content: 'first\n\nnext' }]],
    ['an answer of thinking', [first, { role: 'assistant', content: [thinking] }], [{ role: 'user', content: 'first\n\nnext' }]],
    ['calls without results', [first, { role: 'assistant', content: '', tool_calls: [{}] }], [{ role: 'user', content: 'first\n\nnext' }]],
    [
      'calls without results behind a text',
      [first, { role: 'assistant', content: 'I look.', tool_calls: [{}] }],
      [first, { role: 'assistant', content: 'I look.' }, next],
    ],
    ['the same question', [next], [next]],
    ['the same question after another', [{ role: 'user', content: 'first\n\nnext' }], [{ role: 'user', content: 'first\n\nnext' }]],
    [
      'a question with an image',
      [{ role: 'user', content: [{ type: 'image_url' }] }],
      [{ role: 'user', content: [{ type: 'image_url' }, { type: 'text', text: 'next' }] }],
    ],
    [
      'results of tools',
      [{ role: 'user', content: [{ type: 'tool_result' }] }],
      [{ role: 'user', content: [{ type: 'tool_result' }, { type: 'text', text: 'next' }] }],
    ],
    ['none', [], [next]],
  ])('%s', (_, before, messages) => {
    expect(continued(before, next)).toEqual(messages);
  });
});

describe('PieceCleaner', () => {
  it('cuts no sequence in half: pieces give the text that the whole gives', () => {
    fc.assert(
      fc.property(pieces(hostile), (list) => {
        const cleaner = new PieceCleaner();
        const text = list.map((piece) => cleaner.push(piece)).join('') + cleaner.end();
        expect(text).toBe(cleaned(list.join('')));
      }),
      { numRuns: 1000 },
    );
  });

  it('passes no control character, however the text is cut; CJK text and emoji stay', () => {
    fc.assert(
      fc.property(pieces(fc.oneof(hostile, fc.string({ unit: anyCharacter }))), (list) => {
        const cleaner = new PieceCleaner();
        const text = list.map((piece) => cleaner.push(piece)).join('') + cleaner.end();
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be absent
        expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
      }),
    );
    expect(cleaned('a\x9b31mb\x9d0;title\x9cc\x9d0;title\x07d\x90q\x9ce')).toBe('abcde');
    expect(cleaned('日本語 中文 한국어 👍🏽\tx\n')).toBe('日本語 中文 한국어 👍🏽\tx\n');
  });
});

describe('linesOf', () => {
  it('gives the same lines however the bytes are cut, and joins to the input', async () => {
    const text = fc.array(fc.constantFrom('a', '中', '\n', '\u2028', '\r'), { maxLength: 30 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 }), async (whole, sizes) => {
        const bytes = Buffer.from(whole);
        async function* blocks(): AsyncGenerator<Uint8Array> {
          let at = 0;
          for (const size of sizes) yield bytes.subarray(at, (at += size));
          yield bytes.subarray(at);
        }
        const lines = [];
        for await (const line of linesOf(blocks(), { place: 'test', strict: true })) lines.push(line);
        expect(lines.map(({ text: line, isWhole }) => (isWhole ? `${line}\n` : line)).join('')).toBe(whole);
        expect(lines.every(({ text: line }) => !line.includes('\n'))).toBe(true);
      }),
    );
  });
});

it('commandWords splits as a shell does', () => {
  expect(commandWords('--mcp', `npx -y "a b" 'c "d"' e\\ f`)).toEqual(['npx', '-y', 'a b', 'c "d"', 'e f']);
});

it('firstCodeBlock takes fences of any length, and a block that is not closed', () => {
  expect(firstCodeBlock('x\n````md\n```\na\n```\n````\ny')).toBe('```\na\n```');
  expect(firstCodeBlock('~~~\na\n~~~')).toBe('a');
  expect(firstCodeBlock('```py\na\nb')).toBe('a\nb');
  expect(firstCodeBlock('a `b` c')).toBeUndefined();
});

it('a text file is fenced so that its own fences stay inside', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('`', '```', 'a', '\n'), { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      const [, fence = ''] = /\n(`{3,})txt\n/.exec(withTexts('p', [{ kind: 'text', name: 'a.txt', text }])) ?? [];
      expect(fence.length).toBeGreaterThanOrEqual(3);
      expect(text).not.toContain(fence);
    }),
  );
});

describe('a conversation that another process has continued', () => {
  const user = (content: string) => ({ role: 'user', content });
  const answer = (content: string) => ({ role: 'assistant', content });
  const of = (id: string | undefined, ...messages: WireMessage[]) => ({ id, messages });

  it.each([
    ['keeps both', [user('1'), answer('a')], [user('2'), answer('b')], [user('3'), answer('c')]],
    ['that began empty keeps both', [], [user('2'), answer('b')], [user('3'), answer('c')]],
    ['whose exchange is stopped joins the questions', [user('1'), answer('a')], [user('2')], [user('3'), answer('c')]],
  ])('%s', (_, shared, theirs, ours) => {
    const before = of('1', ...shared);
    const { messages } = merged(of('1', ...shared, ...ours), before, of('1', ...shared, ...theirs));
    const joined = theirs.length === 1 ? [...shared, user('2\n\n3'), answer('c')] : [...shared, ...theirs, ...ours];
    expect(messages).toEqual(joined);
  });

  it('is not taken for another one, and not for the one that it was', () => {
    const before = of('1', user('1'), answer('a'));
    const ours = of('1', ...before.messages, user('2'), answer('b'));
    expect(merged(ours, before, before)).toBe(ours);
    expect(merged(ours, before, of('2', user('1'), answer('a'), user('x'), answer('y')))).toBe(ours);
    const old = of(undefined, ...before.messages);
    expect(merged(ours, old, of(undefined, user('x'), answer('y')))).toBe(ours);
  });

  it("of which this one has dropped the last exchange keeps the other's exchange", () => {
    const before = of('1', user('1'), answer('a'), user('2'), answer('b'));
    const present = of('1', ...before.messages, user('3'), answer('c'));
    const ours = of('1', user('1'), answer('a'), user('4'), answer('d'));
    expect(merged(ours, before, present).messages).toEqual([...present.messages, user('4'), answer('d')]);
  });
});
