/** The first fenced code block of a text, without its fence. A block that is not closed ends with the text. */
export function firstCodeBlock(text: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^ {0,3}(?:```|~~~)/.test(line));
  if (start < 0) return undefined;
  const opening = (lines[start] ?? '').trimStart();
  const mark = opening[0] ?? '';
  let length = 3;
  while (opening[length] === mark) length++;
  const end = lines.findIndex((line, at) => at > start && line.trim().length >= length && line.trim().replaceAll(mark, '') === '');
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}
