// Random TOML documents as text, with the liberties of the format.
import fc from 'fast-check';
import { parse } from 'smol-toml';

const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.tuple(...parts).map((texts) => texts.join(''));

const blanks = oneOf('', '', '', ' ', '\t', '  ');
const comment = oneOf('', '', '', ' # note', '#', '# x = 1', '\t# [a] "');
const gap = fc.oneof({ weight: 3, arbitrary: blanks }, { weight: 1, arbitrary: oneOf('\n', '\n  ', " # it's\n  ", '\n\n\t', '# ]},\n') });
const key = oneOf(...`a a a b b env model models models name 1 a-b 'lit' "qu\\"ote" "\\u0061b" "ключ" "" 'a.b'`.split(' '), '"with space"');
const keys = fc.oneof(
  { weight: 4, arbitrary: key },
  { weight: 1, arbitrary: joined(key, oneOf('.', ' . ', '.\t'), key) },
  { weight: 1, arbitrary: joined(key, oneOf('.'), key, oneOf('.', ' .'), key) },
);
const equals = oneOf(' = ', ' = ', '=', '  =\t', '= ');
const numbers = '1 -0 +1_000 0xDEAD 9007199254740993 -9223372036854775808 1.5 -0.0 6.6e-34 inf nan true false';
const times = '1979-05-27T07:32:00Z 1979-05-27 07:32:00 1979-05-27T00:32:00-07:00';
const scalar = oneOf(
  ...`${numbers} ${times}`.split(' '),
  ...['1979-05-27 07:32:00.5', '"text"', '""', '"# no"', '"\\"]}\\\\"', '"\\u00e9 é 😀"', "'C:\\x'", "''", "'\"'", "'''it''s'''", '""""q" """'],
  ...['"""\\\n  \\"""\\"\n[a]\nb = 1\n# c\n"""', "'''\n[x]\\\n\n'''", "'''a''''"],
);

const { value } = fc.letrec<{ value: string; array: string; table: string; oneLine: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('table'), tie('array'), scalar),
  array: fc
    .tuple(fc.array(joined(gap, tie('value'), gap), { maxLength: 3 }), fc.boolean(), gap)
    .map(([items, hasComma, end]) => `[${items.join(',')}${hasComma && items.length > 0 ? ',' : ''}${end}]`),
  table: fc.oneof(
    tie('oneLine'),
    fc
      .tuple(fc.array(joined(gap, keys, equals, tie('value'), gap), { maxLength: 3 }), fc.boolean(), gap)
      .map(([items, hasComma, end]) => `{${items.join(',')}${hasComma && items.length > 0 ? ',' : ''}${end}}`),
  ),
  oneLine: fc.array(joined(keys, oneOf(' = '), scalar), { maxLength: 3 }).map((items) => (items.length > 0 ? `{ ${items.join(', ')} }` : '{}')),
}));

const line = fc.oneof(
  { weight: 6, arbitrary: joined(blanks, keys, equals, value, blanks, comment) },
  { weight: 3, arbitrary: joined(blanks, oneOf('['), blanks, keys, blanks, oneOf(']'), blanks, comment) },
  { weight: 2, arbitrary: joined(blanks, oneOf('[['), key, oneOf(']]', '.env]]', '.b ]]'), comment) },
  { weight: 1, arbitrary: fc.tuple(key, oneOf('one', 'two')).map(([list, name]) => `[[${list}]]\nname = "${name}"`) },
  { weight: 2, arbitrary: joined(blanks, comment) },
);

const ends = fc.oneof(
  { weight: 4, arbitrary: fc.constant('\n') },
  { weight: 1, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constant('') },
);

/** Lines that would make the document invalid are left out. */
export const tomlDocument: fc.Arbitrary<string> = fc
  .tuple(fc.array(line, { maxLength: 12 }), ends, fc.boolean(), blanks)
  .map(([lines, lineEnd, hasEnd, tail]) => {
    let text = '';
    for (const [at, next] of lines.entries()) {
      // No line end is chosen for the document: they are mixed.
      const end = lineEnd || (at % 2 === 0 ? '\n' : '\r\n');
      const longer = `${text}${next.replaceAll('\n', end)}${at === lines.length - 1 && !hasEnd ? '' : end}`;
      if (isValid(longer)) text = longer;
    }
    return isValid(text + tail) ? text + tail : text;
  });

function isValid(text: string): boolean {
  try {
    parse(text, { integersAsBigInt: 'asNeeded' });
    return true;
  } catch {
    return false;
  }
}
