/** The reply with its vectors in base64. The client openai asks for this form by default, and decodes a list of numbers to a wrong vector. */
export function withBase64(reply: object): object {
  const { data } = reply as { readonly data?: unknown };
  return Array.isArray(data) ? { ...reply, data: data.map(encoded) } : reply;
}

function encoded(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('embedding' in item) || !Array.isArray(item.embedding)) return item;
  return { ...item, embedding: base64(item.embedding) };
}

/** Little-endian 32-bit floats. */
function base64(numbers: readonly unknown[]): string {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [index, number] of numbers.entries()) view.setFloat32(4 * index, Number(number), true);
  let text = '';
  for (const byte of new Uint8Array(view.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}
