/** A piece of prose: a paragraph, a list item, a table cell, a comment or a message. */
export interface Passage {
  /** File below the root of the project. */
  readonly file: string;
  /** Line of its first character. */
  readonly line: number;
  /** Line ends are the file's, so that a place in the text leads back to its line. Code is a lone backtick. */
  readonly text: string;
  /** Pages that are written by hand have rules of their own. */
  readonly kind?: 'page' | 'table';
}

/** Text without code, links and marks. Each piece of code becomes one backtick, which counts as a word. */
export function plain(text: string): string {
  return text
    .replace(/`+[^`]+`+/g, (code) => `\`${'\n'.repeat(code.split('\n').length - 1)}`)
    .replace(/\{@link(?:code|plain)? ([^}]+)\}/g, '`')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/[^\s)>]+/g, '`')
    .replace(/\*\*/g, '');
}

/** Lines of Markdown, or of a doc comment, as passages; `line` is the number of the first. */
export function markdownPassages(file: string, lines: readonly string[], line = 1, isPage = false): Passage[] {
  const passages: Passage[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let isHandwritten = isPage;
  const close = (): void => {
    if (open) passages.push({ file, line: open.line, text: plain(open.lines.join('\n')), ...(isHandwritten && { kind: 'page' }) });
    open = undefined;
  };
  const isCode = codeLines();
  for (const [index, raw] of lines.entries()) {
    const at = line + index;
    const text = raw.trim();
    if (/^<!-- \/?generated/.test(text)) isHandwritten = isPage && !text.startsWith('<!-- generated');
    if (isCode(text) || text === '' || (!open && /^ {4}/.test(raw))) {
      close();
      continue;
    }
    if (text.startsWith('|')) {
      close();
      passages.push(...cellPassages(file, at, text).map((one) => (isHandwritten ? { ...one, kind: 'table' as const } : one)));
      continue;
    }
    const [mark] = /^(#+|[-*]|\d+\.|>)\s+|^@\w+\s*/.exec(text) ?? [];
    if (mark !== undefined) close();
    open ??= { line: at, lines: [] };
    open.lines.push(mark === undefined ? text : text.slice(mark.length));
    if (mark?.startsWith('#')) close();
  }
  close();
  return passages.filter((one) => one.text.trim() !== '');
}

/** A judge of lines, in order: true for fences, HTML comments, and the examples of doc comments. */
function codeLines(): (text: string) => boolean {
  let fence = false;
  let comment = false;
  let example = false;
  return (text) => {
    const mark = text.startsWith('```');
    if (mark) fence = !fence;
    if (text.startsWith('<!--')) comment = true;
    if (text.startsWith('@')) example = text.startsWith('@example');
    const code = mark || fence || comment || example;
    if (text.endsWith('-->')) comment = false;
    return code;
  };
}

/** The cells of a table row. A quotation in a cell is the name of a test, which is judged where the test is. */
function cellPassages(file: string, line: number, row: string): Passage[] {
  return plain(row)
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => ({ file, line, text: cell.trim().replace(/"[^"]*"|“[^”]*”/g, '`') }))
    .filter(({ text }) => /\p{L}/u.test(text));
}
