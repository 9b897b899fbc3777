/** What an item of a stream adds to the text and the thought of its answer. */
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

/** What a text has more than its beginning, of which it may be another version. */
export function restOf(text: string, begun: string): string {
  return text.startsWith(begun) ? text.slice(begun.length) : '';
}
