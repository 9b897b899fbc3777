// Random YAML documents, written as text with the liberties of the format.
import fc from 'fast-check';

type Doc =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'lines'; readonly head: string; readonly lines: readonly string[] }
  | { readonly kind: 'flow'; readonly write: (indent: string, eol: string) => string }
  | { readonly kind: 'map'; readonly indent: number; readonly entries: readonly Entry[] }
  | { readonly kind: 'list'; readonly indent: number; readonly entries: readonly Entry[] };

interface Entry {
  readonly key: string;
  /** White space after the dash of a list. */
  readonly gap: number;
  readonly above: string;
  readonly comment: string;
  readonly value: Doc;
}

const keys = `a b env model models name GOOSE_MODEL zai-coding-plan ключ "quoted" 'it''s' 1 true a.b "x\\ty" 12345678901234567890 -x null`
  .split(' ')
  .concat('with space', '"a: b"');
const numbers = '1 -1 0x1F 1.50 123456789012345678901234567890 2001-01-01 .inf true yes';
const scalars = `word C:\\x "" 'it''s' https://example.com/v1#x ${numbers}`.split(' ').concat('two words', '"a # b"', '"ключ \\u263a"');
const line = fc.constantFrom(...scalars).map((text): Doc => ({ kind: 'line', text }));
const empty = fc.constantFrom('', '', '~', 'null').map((text): Doc => ({ kind: 'line', text }));
const blockScalar = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '| # note'),
    fc.array(fc.constantFrom('text', '', '# no comment', 'a: b', '- x', '   more', 'end  ', '    '), { minLength: 1, maxLength: 4 }),
  )
  .map(([head, lines]): Doc => ({ kind: 'lines', head, lines: ['first', ...lines] }));
const folded = fc.constantFrom(
  { kind: 'lines' as const, head: '"two', lines: ['lines"'] },
  { kind: 'lines' as const, head: "'two", lines: ['', "lines'"] },
  { kind: 'lines' as const, head: 'plain', lines: ['on two lines'] },
);

/** White space between the tokens of a flow collection. */
const flowGap = fc.constantFrom('', '', '', ' ', ' ', '  ', '\n', '\n  ', ' # comment\n', '\n# comment, with comma\n ');
const flowScalar = fc.constantFrom(...scalars.filter((text) => !text.includes('#')), '"a # b"', '{}', '[]', '{ }', '[ ]', '{\n}', '{ # c\n}');
const flow: fc.Arbitrary<string> = fc.letrec<{ readonly flow: string; readonly map: string; readonly list: string }>((tie) => {
  const key = fc.constantFrom(...keys.filter((one) => one !== '-x'));
  const member = fc.tuple(key, fc.option(tie('flow'), { freq: 6, nil: '' }), flowGap, flowGap);
  return {
    flow: fc.oneof({ maxDepth: 1 }, flowScalar, tie('map'), tie('list')),
    map: fc
      .tuple(fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 4 }), fc.boolean(), flowGap, fc.boolean())
      .map(([members, hasTrailing, gap, hasColon]) => {
        const texts = members.map(([name, value, before, after]) => before + (value || hasColon ? `${name}: ${value}` : name) + after);
        return collection('{', texts, '}', hasTrailing, gap);
      }),
    list: fc
      .tuple(
        fc.array(
          fc.tuple(flowGap, tie('flow'), flowGap).map((texts) => texts.join('')),
          { maxLength: 3 },
        ),
        fc.boolean(),
        flowGap,
      )
      .map(([texts, hasTrailing, gap]) => collection('[', texts, ']', hasTrailing, gap)),
  };
}).flow;

function collection(open: string, members: readonly string[], close: string, hasTrailing: boolean, gap: string): string {
  return open + members.join(',') + (hasTrailing && members.length > 0 ? ',' : '') + gap + close;
}

const flowDoc = flow.map((text): Doc => ({ kind: 'flow', write: (indent, eol) => text.replaceAll('\n', `${eol}${indent} `) }));
const above = fc.constantFrom('', '', '', '', '\n', '# comment: here\n', '   # far\n', '\n# one\n\n# two\n', '  \n');
const comment = fc.constantFrom('', '', '', ' # comment', '   #c', ' ', '  ', '\t# tab');

const block = fc.letrec<{ readonly value: Doc; readonly map: Doc; readonly list: Doc }>((tie) => {
  const entry = (value: fc.Arbitrary<Doc>) =>
    fc.record({ key: fc.constantFrom(...keys), gap: fc.integer({ min: 1, max: 3 }), above, comment, value });
  const indent = fc.constantFrom(0, 1, 2, 2, 2, 4);
  return {
    value: fc.oneof(
      { maxDepth: 2 },
      { arbitrary: line, weight: 4 },
      { arbitrary: empty, weight: 1 },
      { arbitrary: blockScalar, weight: 1 },
      { arbitrary: folded, weight: 1 },
      { arbitrary: flowDoc, weight: 2 },
      { arbitrary: tie('map'), weight: 5 },
      { arbitrary: tie('list'), weight: 2 },
    ),
    map: fc.record({
      kind: fc.constant('map' as const),
      indent,
      entries: fc.uniqueArray(entry(tie('value')), { selector: ({ key }) => key, minLength: 1, maxLength: 3 }),
    }),
    list: fc.record({ kind: fc.constant('list' as const), indent, entries: fc.array(entry(tie('value')), { minLength: 1, maxLength: 2 }) }),
  };
});

/** The text of an entry, from the end of its key or dash to its last line end. */
function write(value: Doc, column: number, isItem: boolean, tail: string, gap: number, eol: string): string {
  const indent = ' '.repeat(column);
  const space = ' '.repeat(isItem ? gap : 1);
  if (value.kind === 'line') return (value.text && space + value.text) + (value.text || !tail.trim() ? tail : ` ${tail.trimStart()}`) + eol;
  if (value.kind === 'flow') return space + value.write(indent, eol) + tail + eol;
  if (value.kind === 'lines') return [space + value.head, ...value.lines.map((text) => text && `${indent}  ${text}`)].join(eol) + eol;
  if (isItem && (value.kind === 'list' || value.entries[0]?.above === '')) {
    const inner = writeAll(value, column + 1 + gap, eol, true);
    return space + inner.slice(column + 1 + gap);
  }
  const shift = value.kind === 'list' && !isItem ? value.indent : Math.max(1, value.indent);
  return tail + eol + writeAll(value, column + shift, eol, false);
}

function writeAll(container: Extract<Doc, { readonly entries: unknown }>, column: number, eol: string, isOnLine: boolean): string {
  const indent = ' '.repeat(column);
  return container.entries
    .map(({ key, gap, above: lines, comment: tail, value }, at) => {
      const before = at === 0 && isOnLine ? '' : lines.replaceAll('\n', eol);
      if (container.kind === 'list') return `${before}${indent}-${write(value, column, true, tail, gap, eol)}`;
      return `${before}${indent}${key}:${write(value, column, false, tail, gap, eol)}`;
    })
    .join('');
}

const blank = fc.constantFrom('', '\n', '# only\n# comments', '# only\n\n', '---\n', '--- # c\n# d\n', '  \n', '# c\n---');
const top = fc.record({
  body: fc.oneof(
    {
      arbitrary: fc.tuple(block.map, fc.constantFrom(0, 0, 0, 2)).map(
        ([doc, column]) =>
          (eol: string) =>
            writeAll(doc as never, column, eol, false),
      ),
      weight: 12,
    },
    { arbitrary: flow.map((text) => (eol: string) => `${text.replaceAll('\n', `${eol} `)}${eol}`), weight: 2 },
    { arbitrary: blank.map((text) => (eol: string) => text.replaceAll('\n', eol)), weight: 1 },
  ),
  head: fc.constantFrom('', '', '', '# head\n', '---\n', '# head\n---\n', '%YAML 1.2\n---\n'),
  tail: fc.constantFrom('', '', '', '# end\n', '\n', '\n\n# end\n', '...\n'),
  eol: fc.constantFrom('\n', '\n', '\r\n'),
  hasLastEnd: fc.boolean(),
});

/** Texts of documents; most of them are valid. */
export const yamlText: fc.Arbitrary<string> = top.map(({ body, head, tail, eol, hasLastEnd }) => {
  const text = head.replaceAll('\n', eol) + body(eol) + tail.replaceAll('\n', eol);
  return hasLastEnd || !text.endsWith(eol) ? text : text.slice(0, -eol.length);
});
