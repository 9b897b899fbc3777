/** What goes over the wire in answer to one request, decided before anything is sent. */
export interface Plan {
  /** `reset` cuts the connection before the header, `silent` never sends one, `raw` sends `raw` and no header of its own. */
  readonly head: 'send' | 'reset' | 'silent' | 'raw';
  /** Bytes that go out on the socket as they are, in place of header and body. */
  readonly raw?: Uint8Array;
  /** Milliseconds before the header. */
  readonly delayMs: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Each goes out in a write of its own; of an event stream each is a frame. */
  readonly blocks: readonly Uint8Array[];
  /** Milliseconds between two blocks. */
  readonly paceMs: number;
  /** Goes out after the blocks, made while it is sent: for bodies too large to hold. */
  readonly source?: () => Iterable<Uint8Array>;
  /** Goes out again and again after the blocks, until the client leaves. 0 ms sends as fast as the client reads. */
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

/** The whole body of a plan. */
export function joined(blocks: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(blocks);
}

const base = { head: 'send', delayMs: 0, paceMs: 0, ending: 'end' } as const;

export function jsonPlan(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Plan {
  const block = bytesOf(JSON.stringify(body));
  return bytesPlan(block, { 'content-type': 'application/json; charset=UTF-8', ...headers }, status);
}

export function bytesPlan(block: Uint8Array, headers: Readonly<Record<string, string>>, status = 200): Plan {
  return { ...base, status, headers: { ...headers, 'content-length': String(block.length) }, blocks: [block] };
}

export function streamPlan(frames: readonly string[], headers: Readonly<Record<string, string>> = {}): Plan {
  return {
    ...base,
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    blocks: frames.map(bytesOf),
  };
}

/** The plan with other blocks, and a header that fits them. */
export function withBlocks(plan: Plan, blocks: readonly Uint8Array[]): Plan {
  const headers = { ...plan.headers };
  if (headers['content-length'] !== undefined) headers['content-length'] = String(joined(blocks).length);
  return { ...plan, headers, blocks };
}

/** The plan sent in chunks, so that its body may end anywhere. */
export function chunked(plan: Plan): Plan {
  const { 'content-length': _, ...headers } = plan.headers;
  return { ...plan, headers };
}

/** The frames of an event stream's text, each with its blank line. */
export function framesOf(text: string): string[] {
  return text.split(/(?<=\n\n)/).filter((frame) => frame !== '');
}
