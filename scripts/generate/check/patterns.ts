/** One part of a pattern: a class in brackets, `\d`, or a plain character, with its repetition. */
const atom = /(\[[^\]\\]+\]|\\d|[\w :-])(\+|\*|\?|\{\d+(?:,\d*)?\})?/y;

/**
 * True for a pattern that takes linear time on every text: anchored, without groups, and each unbounded part is followed by a part
 * that it cannot match. It may begin with a lookahead for plain text. Other forms are refused, because request text must not stall a process.
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
