import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Characters as in the unit `binary` of fc.string, whose table of all 1.1 million characters takes a second to build. */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count),
  (character) => {
    const [one, ...others] = character as string;
    const code = one?.codePointAt(0);
    if (code === undefined || others.length > 0) throw new Error('not one character');
    return code < surrogates.first ? code : code - surrogates.count;
  },
);
