import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One part of a form, as a server sees it. */
export interface ReceivedPart {
  /** The part's header lines, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export interface ReceivedForm {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly parts: readonly ReceivedPart[];
}

/** Answers one request; `body` reads it whole, and may be left alone. */
export type Handler = (incoming: IncomingMessage, outgoing: ServerResponse, body: () => Promise<Buffer>) => unknown;

export interface UploadServer {
  readonly url: string;
  readonly forms: readonly ReceivedForm[];
  /** Connections open now. */
  readonly open: number;
  readonly requests: number;
  /** Exchanges whose socket closed before the answer was whole. */
  readonly cut: number;
}

/** A real server; each request goes to the next handler, the last one serving for ever. Without a handler a form is taken and answered with a file object. */
export async function uploadServer(...handlers: Handler[]): Promise<UploadServer> {
  const forms: ReceivedForm[] = [];
  const sockets = new Set<object>();
  let requests = 0;
  let cut = 0;
  const server = createServer(async (incoming, outgoing) => {
    const handler = handlers[Math.min(requests++, handlers.length - 1)] ?? accept;
    const body = async (): Promise<Buffer> => {
      const blocks: Buffer[] = [];
      for await (const block of incoming) blocks.push(block as Buffer);
      const raw = Buffer.concat(blocks);
      forms.push({ headers: incoming.headers, raw, parts: partsOf(raw, incoming.headers['content-type'] ?? '') });
      return raw;
    };
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) cut++;
    });
    try {
      await handler(incoming, outgoing, body);
    } catch {
      // The client went away.
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forms,
    get open() {
      return sockets.size;
    },
    get cut() {
      return cut;
    },
    get requests() {
      return requests;
    },
  };
}

/** Take the form and answer with a file object. */
export const accept: Handler = async (_incoming, outgoing, body) => {
  await body();
  json(outgoing, 200, { id: 'file-1', object: 'file' });
};

/** Takes the beginning of a form and then no more for a while: long enough for buffers to fill. */
export const stall: Handler = (incoming) => {
  incoming.pause();
  // A socket that is not read does not tell that it was closed.
  setTimeout(() => incoming.resume(), 500);
};

export function json(outgoing: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(value));
}

/** The parts of a form by the letter of RFC 7578; throws when the body is not one. */
export function partsOf(raw: Buffer, contentType: string): ReceivedPart[] {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType)?.[1];
  if (boundary === undefined) return [];
  const parts: ReceivedPart[] = [];
  const delimiter = Buffer.from(`--${boundary}`);
  if (!raw.subarray(0, delimiter.length).equals(delimiter)) throw new Error('the body does not begin with its boundary');
  let at = delimiter.length;
  while (raw.subarray(at, at + 2).toString() === '\r\n') {
    const headEnd = raw.indexOf('\r\n\r\n', at);
    const end = raw.indexOf(Buffer.concat([Buffer.from('\r\n'), delimiter]), headEnd);
    if (headEnd < 0 || end < 0) throw new Error('a part does not end');
    const lines = raw
      .subarray(at + 2, headEnd)
      .toString('utf8')
      .split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    parts.push({ headers, bytes: raw.subarray(headEnd + 4, end) });
    at = end + 2 + delimiter.length;
  }
  if (raw.subarray(at).toString() !== '--\r\n') throw new Error('the body does not end with its boundary');
  return parts;
}

/** Name and text of the fields of a form. */
export function fieldsOf(form: ReceivedForm | undefined): [name: string, text: string][] {
  return (form?.parts ?? []).map((part) => [
    / name="([^"]*)"/.exec(part.headers['content-disposition'] ?? '')?.[1] ?? '',
    part.bytes.toString('latin1'),
  ]);
}

/** The file of a form. */
export function fileOf(form: ReceivedForm | undefined): ReceivedPart | undefined {
  return form?.parts.find((part) => part.headers['content-disposition']?.includes('filename='));
}
