import { examples } from '../../generated/examples.ts';
import { chatCreate, type Route } from '../../generated/routes.ts';
import { jsonOrUndefined } from '../../overlay/json/json-value.ts';
import type { Scene } from '../replies/reply.ts';
import type { FakeFile, FakeRequest } from '../requests/request.ts';
import { bytesOf, bytesWire, joined, jsonWire, textOf, type WireReply } from '../sockets/wire-reply.ts';
import type { TaskBook } from './tasks.ts';

/** Makes the wire reply to a request, scripted or by default. */
export type WireMaker = (scene: Scene) => Promise<WireReply>;

/** A request of a batch, as a line of the uploaded file. */
interface BatchLine {
  readonly custom_id?: unknown;
  readonly url?: unknown;
  readonly body?: unknown;
}

/** Uploaded files, and the result file of each batch. The requests of a batch are answered like calls of `chat.create`. */
export class BatchBook {
  readonly #tasks: TaskBook;
  readonly #files = new Map<string, Uint8Array>();
  readonly #created: object[] = [];
  #uploads = 0;

  constructor(tasks: TaskBook) {
    this.#tasks = tasks;
  }

  clear(): void {
    this.#files.clear();
    this.#created.length = 0;
    this.#uploads = 0;
  }

  /** The reply to an upload, a new batch, a list of batches or a download. Undefined for other requests, and for files that the fake does not have. */
  async wire(route: Route, request: FakeRequest, planner: WireMaker): Promise<WireReply | undefined> {
    const fields = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    if (route.id === 'files.upload') return this.#upload(fields);
    if (route.id === 'batch.create') return this.#create(route, request, fields, planner);
    if (route.id === 'batch.list' && this.#created.length > 0) return jsonWire({ object: 'list', data: this.#created, has_more: false });
    if (route.id === 'files.delete') this.#files.delete(request.parameters['file_id'] ?? '');
    const file = route.id === 'files.content' ? this.#files.get(request.parameters['file_id'] ?? '') : undefined;
    return file && bytesWire(file, { 'content-type': 'application/octet-stream' });
  }

  #upload({ file, purpose }: Readonly<Record<string, unknown>>): WireReply | undefined {
    const { bytes, name } = (file ?? {}) as Partial<FakeFile>;
    if (bytes === undefined) return undefined;
    const known = Object.values(examples['files.upload']?.replies['200 application/json'] ?? {}) as {
      readonly id: string;
      readonly purpose: string;
    }[];
    const { id: form = '', ...example } = known.find((one) => one.purpose === purpose) ?? known[0] ?? {};
    // The form of the service, and the same ids for each run of a test.
    const id = form.replace(/[0-9a-f]+$/, (digits) => String(++this.#uploads).padStart(digits.length, '0'));
    this.#files.set(id, bytes);
    return jsonWire({ id, ...example, bytes: bytes.length, purpose, ['fileName' in example ? 'fileName' : 'filename']: name });
  }

  async #create(route: Route, request: FakeRequest, fields: Readonly<Record<string, unknown>>, planner: WireMaker): Promise<WireReply | undefined> {
    const input = String(fields['input_file_id']);
    const requests = this.#files.get(input);
    const batch = requests && this.#tasks.reply(route, request, '');
    if (!requests || !batch) return undefined;
    const results: string[] = [];
    for (const line of linesOf(textOf(requests))) results.push(await resultOf(line, request, planner));
    const output = `file-batch-output-${request.requestId}`;
    this.#files.set(output, bytesOf(results.map((one) => `${one}\n`).join('')));
    const facts = { input_file_id: input, endpoint: fields['endpoint'], metadata: fields['metadata'] ?? null };
    const counts = { total: results.length, completed: results.length, failed: 0 };
    this.#tasks.complete((batch as { readonly id: string }).id, { ...facts, output_file_id: output, error_file_id: '', request_counts: counts });
    this.#created.unshift({ ...batch, ...facts });
    return jsonWire({ ...batch, ...facts });
  }
}

function linesOf(text: string): BatchLine[] {
  return text.split('\n').flatMap((line) => (jsonOrUndefined(line) as BatchLine | undefined) ?? []);
}

/** The line of the result file for a request: its response, or an error if the answer is not a complete response. */
async function resultOf({ custom_id, url, body }: BatchLine, batch: FakeRequest, planner: WireMaker): Promise<string> {
  const requestId = `${batch.requestId}-${String(custom_id)}`;
  const request: FakeRequest = {
    ...batch,
    operation: chatCreate.id,
    method: chatCreate.method,
    path: String(url),
    target: String(url),
    parameters: {},
    body,
    bytes: bytesOf(JSON.stringify(body) ?? ''),
    parts: [],
    requestId,
  };
  const wire = await planner({ route: chatCreate, request, stream: false });
  const line = { id: `line-${requestId}`, custom_id };
  const isComplete = wire.head === 'send' && wire.ending === 'end' && !wire.source && !wire.repeat;
  const reply = isComplete ? jsonOrUndefined(textOf(joined(wire.blocks))) : undefined;
  if (reply === undefined) return JSON.stringify({ ...line, response: null, error: { code: '500', message: 'The request failed.' } });
  return JSON.stringify({ ...line, response: { status_code: wire.status, request_id: requestId, body: reply }, error: null });
}
