/**
 * Splits blocks of bytes into lines of text at line feeds, and skips blank lines. Throws the error from `tooLong` for a line of more than
 * `maxLength` characters; 0 means no limit.
 */
export async function* textLines(
  blocks: AsyncIterable<Uint8Array>,
  maxLength: number = 0,
  tooLong: () => Error = () => new RangeError('a line is too long'),
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // Pieces of an unfinished line. Joining them at each block would copy a long line many times.
  let pieces: string[] = [];
  let length = 0;
  for await (const block of blocks) {
    const parts = decoder.decode(block, { stream: true }).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        const line = pieces.join('');
        pieces = [];
        length = 0;
        if (line.trim() !== '') yield line;
      }
      pieces.push(part);
      length += part.length;
      if (maxLength > 0 && length > maxLength) throw tooLong();
    }
  }
  pieces.push(decoder.decode());
  const rest = pieces.join('');
  if (rest.trim() !== '') yield rest;
}
