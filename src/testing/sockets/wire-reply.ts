/** The reply to one request: its bytes, pauses and ending. All of it is decided before the first byte is sent. */
export interface WireReply {
  /** `reset` resets the connection before the headers, `silent` never sends headers, `raw` sends only `raw`. */
  readonly head: 'send' | 'reset' | 'silent' | 'raw';
  /** Bytes written to the socket instead of headers and body. */
  readonly raw?: Uint8Array;
  /** Milliseconds before the headers. */
  readonly delayMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Each block is a separate write. In an event stream, each is a frame. */
  readonly blocks: readonly Uint8Array[];
  /** Milliseconds between two blocks. */
  readonly paceMs: number;
  /** Sent after the blocks and generated on the fly: the next block once the client has taken the last. */
  readonly source?: () => Iterable<Uint8Array> | AsyncIterable<string | Uint8Array>;
  /** Repeated after the blocks until the client leaves. 0 ms sends as fast as the client reads. */
  readonly repeat?: { readonly block: Uint8Array; readonly everyMs: number };
  /** `end` ends the body, `open` leaves it open, `reset` resets the connection, `close` closes it without the end of the body. */
  readonly ending: 'end' | 'open' | 'reset' | 'close';
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The complete body of a wire reply. */
export function joined(blocks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(blocks);
}

const base = { head: 'send', delayMs: 0, paceMs: 0, ending: 'end' } as const;

export function jsonWire(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WireReply {
  const block = bytesOf(JSON.stringify(body));
  return bytesWire(block, { 'content-type': 'application/json; charset=UTF-8', ...headers }, status);
}

export function bytesWire(block: Uint8Array, headers: Readonly<Record<string, string>>, status = 200): WireReply {
  return { ...base, status, headers: { ...headers, 'content-length': String(block.length) }, blocks: [block] };
}

/** A body of unknown length that is made while it is sent. */
export function sourceWire(source: AsyncIterable<string | Uint8Array>, headers: Readonly<Record<string, string>>, status = 200): WireReply {
  return { ...base, status, headers, blocks: [], source: () => source };
}

export function streamWire(frames: readonly string[], headers: Readonly<Record<string, string>> = {}): WireReply {
  return {
    ...base,
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    blocks: frames.map(bytesOf),
  };
}

/** The wire reply with other blocks and a matching `content-length`. */
export function withBlocks(wire: WireReply, blocks: readonly Uint8Array[]): WireReply {
  const headers = { ...wire.headers };
  if (headers['content-length'] !== undefined) headers['content-length'] = String(joined(blocks).length);
  return { ...wire, headers, blocks };
}

/** The wire reply without `content-length`, so that its chunked body may end at any byte. */
export function chunked(wire: WireReply): WireReply {
  const { 'content-length': _, ...headers } = wire.headers;
  return { ...wire, headers };
}

/** Splits an event stream into frames, each with its blank line. */
export function framesOf(text: string): string[] {
  return text.split(/(?<=\n\n)/).filter((frame) => frame !== '');
}
