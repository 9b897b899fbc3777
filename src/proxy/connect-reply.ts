/** Bytes of the header of an answer to CONNECT. */
const maxHeaderBytes = 16 * 1024;

const start = 'HTTP/1.';

export type ConnectOutcome =
  /** The header is whole; `rest` came behind it and belongs to the tunnel. */
  { readonly status: number; readonly rest: Uint8Array } | { readonly problem: 'malformed' | 'oversized' };

/** Reads the header of an answer to CONNECT from blocks cut anywhere. */
export class ConnectReply {
  readonly #bytes: Buffer = Buffer.alloc(maxHeaderBytes);
  #length = 0;

  /** Takes the next block; undefined while the header is not whole. */
  push(block: Uint8Array): ConnectOutcome | undefined {
    const before = this.#length;
    const taken = block.subarray(0, maxHeaderBytes - before);
    this.#bytes.set(taken, before);
    this.#length += taken.length;
    // Garbage is refused at its first byte instead of being waited on.
    const begin = this.#bytes.toString('latin1', 0, Math.min(this.#length, start.length));
    if (!start.startsWith(begin)) return { problem: 'malformed' };
    const end = this.#bytes.subarray(0, this.#length).indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) return this.#length === maxHeaderBytes ? { problem: 'oversized' } : undefined;
    const status = /^HTTP\/1\.[01] (\d{3})(?: [^\n]*)?\r\n/.exec(this.#bytes.toString('latin1', 0, end + 2))?.[1];
    if (status === undefined) return { problem: 'malformed' };
    return { status: Number(status), rest: block.subarray(end + 4 - before) };
  }
}
