/** What an item of a stream adds to the text and the thought of its answer. */
export interface Growth {
  readonly text: string;
  readonly thought: string;
}

export const noGrowth: Growth = { text: '', thought: '' };

/** The growth of an item or a block by a piece. */
export function grownBy(type: unknown, piece: string): Growth {
  if (piece === '') return noGrowth;
  if (type === 'text' || type === 'message') return { text: piece, thought: '' };
  return type === 'thinking' || type === 'reasoning' ? { text: '', thought: piece } : noGrowth;
}

/** What a text has more than its beginning, of which it may be another version. */
export function restOf(text: string, begun: string): string {
  return text.startsWith(begun) ? text.slice(begun.length) : '';
}
