/** One character of a pattern: a class in brackets, `\d`, or a plain character; with its repetition. */
const atom = /(\[[^\]\\]+\]|\\d|[\w :-])(\+|\*|\?|\{\d+(?:,\d*)?\})?/y;

/**
 * True for a pattern that takes linear time on every text: anchored, without groups, and each part that repeats without bound is followed by one
 * that it cannot match. A lookahead for plain text may come first. Other forms are refused: request text must not be able to stall a process.
 */
export function isLinear(pattern: string): boolean {
  const body = /^\^(?:\(\?![\w:]+\))?(.*?)\$?$/s.exec(pattern)?.[1];
  if (body === undefined) return false;
  const atoms: { matches: RegExp; isOptional: boolean; isOpen: boolean }[] = [];
  atom.lastIndex = 0;
  for (let at = 0; at < body.length; at = atom.lastIndex) {
    const [, one = '', repeat = ''] = atom.exec(body) ?? [];
    if (one === '') return false;
    const isOptional = /^[*?]|^\{0/.test(repeat);
    atoms.push({ matches: new RegExp(`^${one}$`, 'u'), isOptional, isOpen: /^[+*]|,\}$/.test(repeat) });
  }
  return atoms.every(({ matches, isOpen }, index) => {
    const next = atoms[index + 1];
    return !isOpen || next === undefined || (!next.isOptional && !characters.some((one) => matches.test(one) && next.matches.test(one)));
  });
}

const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
