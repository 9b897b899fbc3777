/** The lines of a text that comes in blocks of bytes, cut at line breaks only; blank ones are left out. */
export async function* textLines(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // Pieces of the line that is not whole yet: joining them at each block would copy a long line again and again.
  let pieces: string[] = [];
  for await (const block of blocks) {
    const parts = decoder.decode(block, { stream: true }).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        const line = pieces.join('');
        pieces = [];
        if (line.trim() !== '') yield line;
      }
      pieces.push(part);
    }
  }
  pieces.push(decoder.decode());
  const rest = pieces.join('');
  if (rest.trim() !== '') yield rest;
}
