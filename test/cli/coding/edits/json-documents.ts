// Random JSON and JSONC documents as text, with all liberties of the formats.
import fc from 'fast-check';
import { anyCharacter } from '../../../support/any-character.ts';

/** Draws of a document: white space, comments and style come from a list of random numbers, used one after the other. */
export interface Drawn {
  readonly value: Value;
  readonly dice: readonly number[];
}
type Value = { readonly raw: string } | { readonly list: readonly Value[] } | { readonly members: readonly (readonly [string, Value])[] };

const keys = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'env', 'model', 'models', 'name', 'ANTHROPIC_BASE_URL', 'with space', 'ключ', '"quoted"') },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom('// no', '/* no */', '{', ',', 'constructor', 'toString', '\u2028') },
);
const raws = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('true', 'false', 'null', '0', '-0', '1.50', '1e3', '-1E-2', '12345678901234567890', '-9007199254740993', '"\\u00e9\\/"', '"// no"'),
  fc.constantFrom('"{"', '"],"', '"/* a"', '"\\\\"', '"\\""', '""'),
  fc.integer().map(String),
);
const { value: values } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { weight: 3, arbitrary: raws.map((raw) => ({ raw })) },
    { weight: 3, arbitrary: fc.array(fc.tuple(keys, tie('value')), { maxLength: 4, depthIdentifier: 'value' }).map((members) => ({ members })) },
    { weight: 1, arbitrary: fc.array(fc.tuple(keys, tie('value')), { maxLength: 3, depthIdentifier: 'value' }).map(named) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'value' }).map((list) => ({ list })) },
  ),
}));
const objects = fc.array(fc.tuple(keys, values), { maxLength: 5 }).map((members) => ({ members }));
const dice = fc.array(fc.nat(999), { minLength: 40, maxLength: 40 });

/** A list of objects that have a name. */
function named(items: readonly (readonly [string, Value])[]): Value {
  return {
    list: items.map(([name, value]) => ({
      members: [
        ['name', { raw: JSON.stringify(name) }],
        ['a', value],
      ] as const,
    })),
  };
}

export const drawn: fc.Arbitrary<Drawn> = fc.record({ value: objects, dice });

/** Styles of a writer. A document may change its style anywhere. */
const lineEnds = ['\n', '\r\n', '\n', '\n', '\r'];
const units = ['  ', '    ', '\t', ' ', ''];
const comments = ['// c', '/* c */', '/* , } ] */', '//', '/**/', '/* a\n b */', '// "a": 1,'];

/** Writes a document. With comments and trailing commas if it is JSONC; without a value now and then. */
export function write({ value, dice: numbers }: Drawn, isJsonc: boolean): string {
  let at = 0;
  const roll = (sides: number): number => Math.floor((numbers[at++ % numbers.length] ?? 0) * 7 + at * 13) % sides;
  const lineEnd = lineEnds[roll(lineEnds.length)] ?? '\n';
  const unit = units[roll(units.length)] ?? '';
  const mood = roll(4);

  const comment = (): string => {
    const text = comments[roll(comments.length)] ?? '';
    return text.startsWith('//') ? `${text}${lineEnd}` : text;
  };
  /** White space where it does not matter. */
  const odd = (): string => {
    if (mood < 2 || roll(8) > 0) return '';
    return isJsonc && roll(2) === 0 ? comment() : ([' ', '\t', lineEnd, '   ', `${lineEnd}${lineEnd}`][roll(5)] ?? '');
  };
  const note = (): string => (isJsonc && roll(6) === 0 ? `${' '.repeat(roll(3))}${comment()}` : '');
  const list = (open: string, items: readonly ((depth: number) => string)[], close: string, depth: number): string => {
    const isTall = mood !== 0 && roll(4) > 0;
    const line = (level: number): string => (isTall ? `${lineEnd}${unit.repeat(level)}` : roll(3) === 0 ? ' ' : '');
    if (items.length === 0) return `${open}${note()}${roll(3) === 0 ? line(depth) : ''}${close}`;
    const texts = items.map((item, index) => {
      const isLast = index === items.length - 1;
      const comma = isLast ? (isJsonc && roll(4) === 0 ? ',' : '') : ',';
      return `${line(depth + 1)}${odd()}${item(depth + 1)}${odd()}${comma}${note()}${roll(9) === 0 ? '  ' : ''}`;
    });
    return `${open}${note()}${texts.join('')}${line(depth)}${odd()}${close}`;
  };
  const colon = ([': ', ':', ' : ', ': '] as const)[roll(4)] ?? ': ';
  const print = (node: Value, depth: number): string => {
    if ('raw' in node) return node.raw;
    if ('list' in node)
      return list(
        '[',
        node.list.map((item) => (level: number) => print(item, level)),
        ']',
        depth,
      );
    const members = node.members.map(
      ([key, item]) =>
        (level: number) =>
          `${JSON.stringify(key)}${odd()}${colon}${odd()}${print(item, level)}`,
    );
    return list('{', members, '}', depth);
  };

  if (roll(25) === 0) return ['', ' ', lineEnd, isJsonc ? comment() : '\t', isJsonc ? '// end' : ''][roll(5)] ?? '';
  return `${odd()}${note()}${print(value, 0)}${note()}${['', lineEnd, lineEnd][roll(3)] ?? ''}${odd()}`;
}
