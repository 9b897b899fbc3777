/** Maximum bytes of the headers of a reply to CONNECT. */
const maxHeaderBytes = 16 * 1024;

const start = 'HTTP/1.';

export type ConnectOutcome =
  /** The headers are complete. `rest` are the bytes after them, which belong to the tunnel. */
  { readonly status: number; readonly rest: Uint8Array } | { readonly problem: 'malformed' | 'oversized' };

/** Reads the headers of a reply to CONNECT from blocks of any size. */
export class ConnectReply {
  readonly #bytes: Buffer = Buffer.alloc(maxHeaderBytes);
  #length = 0;

  /** Adds the next block. Returns undefined until the headers are complete. */
  push(block: Uint8Array): ConnectOutcome | undefined {
    const before = this.#length;
    const taken = block.subarray(0, maxHeaderBytes - before);
    this.#bytes.set(taken, before);
    this.#length += taken.length;
    // Reject other protocols at their first byte instead of waiting for the end of the headers.
    const begin = this.#bytes.toString('latin1', 0, Math.min(this.#length, start.length));
    if (!start.startsWith(begin)) return { problem: 'malformed' };
    const end = this.#bytes.subarray(0, this.#length).indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) return this.#length === maxHeaderBytes ? { problem: 'oversized' } : undefined;
    const status = /^HTTP\/1\.[01] (\d{3})(?: [^\n]*)?\r\n/.exec(this.#bytes.toString('latin1', 0, end + 2))?.[1];
    if (status === undefined) return { problem: 'malformed' };
    return { status: Number(status), rest: block.subarray(end + 4 - before) };
  }
}
