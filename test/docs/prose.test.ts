import { describe, expect, it } from 'vitest';
import { docExamples } from './doc-examples.ts';
import { withoutEffort } from './prose/effort.ts';
import { markdownPassages } from './prose/passage.ts';
import { problemsOf, problemsOfPage, sentencesOf } from './prose/rules.ts';
import { sourcePassages } from './prose/sources.ts';
import { specPassages } from './prose/spec.ts';
import { pages, snippetsOf, sourcesBelow, textOf } from './snippets.ts';

const problemsIn = (text: string): string[] => problemsOf({ file: 'a.md', line: 1, text }).map((one) => one.text);
const words = (count: number): string => `${Array.from({ length: count }, () => 'word').join(' ')}.`;

describe('the rules', () => {
  it.each([
    'Nobody reads it.',
    'The table says so.',
    'Things that stand for others.',
    'He leaves.',
    'The behaviour is odd.',
    'A value that was initialised.',
    'TODO: write this.',
    'Sent once the answer is whole.',
    'Must be a whole number.',
    'A call that was cancelled.',
  ])('refuse "%s"', (text) => {
    expect(problemsIn(text)).toHaveLength(1);
  });

  it.each(['What is sent is checked.', 'One fact. Whatever comes is kept.'])('refuse the opening of "%s"', (text) => {
    expect(problemsIn(text)).toEqual([expect.stringMatching(/^a sentence begins with/)]);
  });

  it.each([
    'A standard, an understanding, a recommendation, the shell.',
    'Noise, precise, otherwise, rise and advertised.',
    'What does it cost?',
    'The behavior is normalized.',
    'Cancellation ends the call.',
  ])('allow "%s"', (text) => {
    expect(problemsIn(text)).toEqual([]);
  });

  it.each(['A field beside it.', 'A list in place of a text.', 'It begins anew.'])('refuse "%s" in a comment too', (text) => {
    expect(problemsIn(text)).toHaveLength(1);
  });

  it('allow 25 words a sentence, and 30 with code or a list', () => {
    expect(problemsIn(words(25))).toEqual([]);
    expect(problemsIn(words(26))).toEqual(['a sentence of 26 words (at most 25): word word word word word word word word word word word word …']);
    expect(problemsIn(`\` ${words(29)}`)).toEqual([]);
    expect(problemsIn(`one, two, three, ${words(27)}`)).toEqual([]);
    expect(problemsIn(`\` ${words(30)}`)).toHaveLength(1);
  });

  it.each([
    'The chunk behind it.',
    'The limit is that of the client.',
    'A cut answer is no error.',
    'A key of yours.',
    'Empty lines are none.',
    'Once so much is spent.',
    'The model is asked again.',
    'A page that leaves ends the call.',
    'A list\nis no\ntext.',
  ])('refuse "%s" in pages, comments and titles', (text) => {
    expect([problemsOf({ file: 'a.md', line: 1, text, kind: 'page' }).length, problemsIn(text).length]).toEqual([1, 1]);
  });

  it.each([
    'Behind a company proxy, set it.',
    'The process that it leaves behind.',
    'It asks the model to answer.',
    'There is no limit, and there is none for reads.',
    'It is no longer sent.',
    'A client of your own.',
  ])('allow "%s" in a page', (text) => {
    expect(problemsOf({ file: 'a.md', line: 1, text, kind: 'page' })).toEqual([]);
  });

  it('allow 40 words a sentence of a page, 16 on average, and "has" now and then', () => {
    const page = (...texts: string[]) => texts.map((text) => ({ file: 'a.md', line: 1, text, kind: 'page' as const }));
    expect(page(words(40), words(41)).map((one) => problemsOf(one).length)).toEqual([0, 1]);
    expect(problemsOfPage(page(words(22), words(10)))).toEqual([]);
    expect(problemsOfPage(page(words(22), words(11)))).toEqual([{ file: 'a.md', line: 1, text: 'sentences of 16.5 words on average (at most 16)' }]);
    expect(problemsOfPage(page(...Array<string>(4).fill('A reply has a part and has arrived.')))).toEqual([
      expect.objectContaining({ text: expect.stringMatching(/^"has" 4 times/) }),
    ]);
  });

  it('divide a text into sentences, not at dots inside words or after abbreviations', () => {
    const parts = sentencesOf('A call (e.g. Node.js 20.19). It ends! "Done." Yes, i.e. No').map((one) => one.text);
    expect(parts).toEqual(['A call (e.g. Node.js 20.19).', 'It ends!', '"Done."', 'Yes, i.e. No']);
  });

  it('name the line of a problem', () => {
    expect(problemsOf({ file: 'a.md', line: 7, text: 'One line.\nAnd nobody here.' })).toEqual([
      { file: 'a.md', line: 8, text: '"nobody": state the condition' },
    ]);
  });
});

describe('passages', () => {
  it('of Markdown are headings, paragraphs, list items and cells, without code, links, comments and names of tests', () => {
    const page = `<!-- nobody -->
# A title

A line with \`code nobody\`
and a [link](nobody.md).
- item one
- item two

\`\`\`ts
nobody();
\`\`\`
| case | \`file.test.ts\`: "nobody waits" |
|---|---|`;
    expect(markdownPassages('a.md', page.split('\n')).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '2 A title',
      '4 A line with `\nand a link.',
      '6 item one',
      '7 item two',
      '12 case',
    ]);
  });

  it('of a source are doc comments, line comments and messages', () => {
    const source = `import a from 'not a message at all';
/**
 * First line
 * of {@link Thing}.
 *
 * @deprecated Use the other.
 * @example
 * nobody();
 */
export const x = 1; // trailing words
// one
// text
// biome-ignore lint: nobody
throw new Error(\`\${x} must be a number\`);
const key = 'content-type';
`;
    expect(sourcePassages('a.ts', source, true).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '3 First line\nof `.',
      '6 Use the other.',
      '10 trailing words',
      '11 one\ntext',
      '14 ` must be a number',
    ]);
    expect(sourcePassages('a.ts', source, false)).toHaveLength(4);
  });

  it('of a source of tests are comments and titles', () => {
    const source = `// A comment.
describe('the call', () => {
  it.each([['nobody', 1]])('ends with %s', (word) => expect(word).toBe('not a title'));
  test(\`ends at \${word}\`, nobody);
});`;
    expect(sourcePassages('a.test.ts', source, false).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '1 A comment.',
      '2 the call',
      '3 ends with %s',
      '4 ends at `',
    ]);
  });

  it('of the spec are summaries and descriptions, not examples and not properties of these names', () => {
    const spec = `summary: One line.
description: |
  Two lines,
  joined.
properties:
  description: { type: string, description: A property. }
example: { description: nobody }
`;
    expect(specPassages('a.yaml', spec).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '1 One line.',
      '3 Two lines,\njoined.',
      '6 A property.',
    ]);
  });
});

describe('a printed program', () => {
  const linesIn = (code: string): number[] => withoutEffort({ file: 'a.md', line: 1, code });

  it('asks a model with an effort', () => {
    const fences = pages().flatMap((file) => ['ts', 'js'].flatMap((language) => snippetsOf(file, language)));
    const examples = sourcesBelow('examples').map((file) => ({ file, line: 1, code: textOf(file) }));
    const printed = [...fences, ...docExamples, ...examples];
    expect(printed.flatMap((one) => withoutEffort(one).map((line) => `${one.file}:${line}`))).toEqual([]);
  });

  it.each([
    "c.chat().create({ model: 'glm-5.3', messages });",
    'c.chat().create(ctx, { model, messages, max_tokens: 5 });',
    "const request = { model: 'glm-5.3', input: 'hi' };",
    "c.chat().createSimple('glm-5.3', 'hi');",
    "c.chat().createSimple(ctx, 'glm-5.3', 'hi', { system: 'Be brief.' });",
    "openai.chat.completions.create({ model: 'glm-5.3', messages });",
  ])('is found without one: %s', (code) => {
    expect(linesIn(`\n${code}`)).toEqual([2]);
  });

  it.each([
    "c.chat().create({ model: 'glm-5.3', effort: 'low', messages });",
    'c.chat().create({ ...request, model, messages });',
    "c.chat().createSimple(ctx, 'glm-5.3', 'hi', { effort: 'low' });",
    "openai.chat.completions.create({ model: 'glm-5.3', reasoning_effort: 'low', messages });",
    "c.embeddings().create({ model: 'embedding-3', input: 'hi' });",
    "c.tools().tokenize({ model: 'glm-5.3', messages });",
    "const fake = await startFakeService(); c.chat().createSimple('glm-5.3', 'hi');",
  ])('is fine: %s', (code) => {
    expect(linesIn(code)).toEqual([]);
  });
});
