/** Prose inside the spec: summaries and descriptions, which become doc comments, and the texts for people of the other tables. */
import { isScalar, LineCounter, type Pair, parseDocument, visit } from 'yaml';
import { markdownPassages, type Passage } from './passage.ts';

const proseKeys: readonly string[] = ['summary', 'description', 'title', 'x-doc', 'message', 'note', 'text'];
/** Keys whose values are data of the wire. */
const dataKeys: readonly string[] = ['example', 'examples', 'default', 'enum', 'const', 'x-extensible-enum'];

export function specPassages(file: string, text: string): Passage[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const passages: Passage[] = [];
  visit(document, {
    Pair(_, pair: Pair) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      if (dataKeys.includes(key)) return visit.SKIP;
      const value = pair.value;
      if (!proseKeys.includes(key) || !isScalar(value) || typeof value.value !== 'string') return undefined;
      const isBlock = value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED';
      const line = lines.linePos(value.range?.[0] ?? 0).line + (isBlock ? 1 : 0);
      passages.push(...markdownPassages(file, value.value.split('\n'), line));
      return undefined;
    },
  });
  return passages;
}
