// The beginning of a line of markdown: its quotes, bullets and headings.
import type { Paint, Style } from '../terminal.ts';
import { widthOf } from '../width.ts';

export interface LineStart {
  /** Printed before the text, and before each line that it breaks into. */
  readonly prefix: string;
  readonly indent: string;
  readonly kind: 'text' | 'fence' | 'table' | 'rule' | 'blank';
  readonly styles: readonly Style[];
  readonly text: string;
}

const headings: readonly (readonly Style[])[] = [['bold', 'underline'], ['bold']];
const deepestIndent = 20;

/**
 * Reads a line as far as it has arrived. Undefined until its kind is certain: then more text does not change it. Fences, tables and rules are certain
 * when the line `isWhole`.
 */
export function lineStart(line: string, isWhole: boolean, paint: Paint): LineStart | undefined {
  let [prefix, indent, rest] = ['', '', line];
  const found = (kind: LineStart['kind'], text: string, styles: readonly Style[] = []): LineStart => ({ prefix, indent, kind, styles, text });
  const atEnd = (kind: LineStart['kind'], text: string): LineStart | undefined => (isWhole ? found(kind, text) : undefined);
  for (;;) {
    const space = /^[ \t]*/.exec(rest)?.[0] ?? '';
    const margin = space.replaceAll('\t', '    ').slice(0, deepestIndent);
    const text = rest.slice(space.length);
    if (text === '') return atEnd('blank', '');
    if (text.startsWith('>')) {
      prefix += margin + paint('dim', '│ ');
      indent += margin + paint('dim', '│ ');
      rest = text.slice(text.startsWith('> ') ? 2 : 1);
      if (rest === '' && !isWhole) return undefined;
      continue;
    }
    prefix += margin;
    indent += margin;
    if (/^(?:```|~~~)/.test(text)) return atEnd('fence', text);
    if (/^(?:`{1,2}|~{1,2})$/.test(text)) return atEnd('text', text);
    if (text.startsWith('|')) return atEnd('table', text);
    const marks = text.replace(/[ \t]+/g, '');
    if (/^[-*_]/.test(text) && /^(?:-+|\*+|_+)$/.test(marks)) return atEnd(marks.length >= 3 ? 'rule' : 'text', text);
    const [item, bullet = '', number] = /^(?:([-*+])|(\d{1,9}[.)]))(?:[ \t]+|$)/.exec(text) ?? [];
    if (item === undefined) {
      if (/^(?:\d{1,9}|#{1,6}[ \t]*)$/.test(text) && !isWhole) return undefined;
      const [marks] = /^#{1,6}[ \t]+/.exec(text) ?? [];
      return marks === undefined ? found('text', text) : found('text', text.slice(marks.length), headings[marks.trim().length - 1] ?? ['bold']);
    }
    // A bullet without text may become a rule or a word.
    if (item === text) return atEnd('text', text);
    const mark = `${bullet === '' ? number : '•'} `;
    prefix += mark;
    indent += ' '.repeat(widthOf(mark));
    rest = text.slice(item.length);
  }
}
