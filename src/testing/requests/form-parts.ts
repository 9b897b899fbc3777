/** One part of a multipart body, byte for byte. */
export interface FakePart {
  /** Name of the form field, as it was sent. */
  readonly name: string;
  /** Headers of the part by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

const lineEnd = '\r\n';

/** The parts of a form in order. None if the body is not a form that follows RFC 7578 exactly. */
export function partsOf(bytes: Uint8Array, contentType: string): readonly FakePart[] {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";\s]+)"?$/i.exec(contentType)?.[1];
  if (boundary === undefined) return [];
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = `--${boundary}`;
  const parts: FakePart[] = [];
  let at = delimiter.length;
  if (form.toString('latin1', 0, at) !== delimiter) return [];
  while (form.toString('latin1', at, at + lineEnd.length) === lineEnd) {
    const headEnd = form.indexOf(lineEnd + lineEnd, at);
    const end = form.indexOf(lineEnd + delimiter, headEnd);
    if (headEnd < 0 || end < 0) return [];
    parts.push(partOf(form.toString('utf8', at + lineEnd.length, headEnd), form.subarray(headEnd + 2 * lineEnd.length, end)));
    at = end + lineEnd.length + delimiter.length;
  }
  return form.toString('latin1', at) === `--${lineEnd}` ? parts : [];
}

function partOf(head: string, bytes: Uint8Array): FakePart {
  const headers: Record<string, string> = {};
  for (const line of head.split(lineEnd)) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { name: / name="([^"]*)"/.exec(headers['content-disposition'] ?? '')?.[1] ?? '', headers, bytes };
}
