/** The text and the thought that an item of a stream adds to its answer. */
export interface Gain {
  readonly text: string;
  readonly thought: string;
}

export const noGain: Gain = { text: '', thought: '' };

/** The growth of an item or a block by a piece. */
export function gainOf(type: unknown, piece: string): Gain {
  if (piece === '') return noGain;
  if (type === 'text' || type === 'message') return { text: piece, thought: '' };
  return type === 'thinking' || type === 'reasoning' ? { text: '', thought: piece } : noGain;
}

/** The rest of a text after its beginning; empty if it begins in another way. */
export function restOf(text: string, begun: string): string {
  return text.startsWith(begun) ? text.slice(begun.length) : '';
}
