// The input file of a batch: custom ids, limits, and one validated chat request per line.
import { chatCreate, roots } from '../../generated/routes.ts';
import type { BatchInputLine } from '../../generated/types.ts';
import { jsonText } from '../call/request/build-call.ts';
import { type EffortSettings, withEffort } from '../call/request/thinking.ts';
import type { Settings } from '../call/settings/settings.ts';
import { isFields } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { type ChatRequest, chatBody } from '../surfaces/chat/request.ts';
import { checkBody } from '../validation/validation.ts';

/** One chat request of a batch. */
export interface BatchRequest {
  /** Unique id, returned with the result. Default: `request-0`, `request-1` …, by position. */
  readonly custom_id?: string | undefined;
  /** The request, as `chat().create` takes it. */
  readonly body: ChatRequest;
}

/** Operation of every line of a batch. The service supports only this one. */
export const batchEndpoint = '/v4/chat/completions';
/** Limits of one input file, from an older FAQ of the vendor. */
export const maxLines = 50_000;
const maxBytes = 100 * 1024 * 1024;

const encoder = new TextEncoder();

/** The custom ids of the requests, in order. Throws for duplicates. */
export function customIds(requests: readonly BatchRequest[]): string[] {
  if (!Array.isArray(requests)) throw new Problem('requests', 'must be an array');
  if (requests.length > maxLines) throw new Problem('requests', `must have at most ${maxLines} entries`);
  const seen = new Set<string>();
  return requests.map((request: BatchRequest, index) => {
    const id = within(`requests[${index}]`, () => customId(request, `request-${index}`));
    if (seen.has(id)) throw new Problem(`requests[${index}].custom_id`, 'is already the custom id of an earlier request');
    seen.add(id);
    return id;
  });
}

function customId(request: BatchRequest, byDefault?: string): string {
  if (!isFields(request)) throw new Problem('', 'must be an object');
  if (!isFields(request.body)) throw new Problem('body', 'must be an object');
  const id = request.custom_id ?? byDefault;
  if (typeof id !== 'string' || id.trim() === '') throw new Problem('custom_id', 'must be a non-blank string');
  return id;
}

/** The settings that the lines of a batch depend on. */
type LineSettings = EffortSettings & Pick<Settings, 'disableToolSchemaCompat'>;

/** The input file of a batch. Each line is validated like a request of `chat().create`. */
export function inputFile(requests: readonly BatchRequest[], ids: readonly string[], settings: LineSettings, name = 'requests.jsonl'): File {
  if (requests.length === 0) throw new Problem('requests', 'must not be empty');
  if (typeof name !== 'string' || name.trim() === '') throw new Problem('options.filename', 'must be a non-blank string');
  const lines: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const [index, request] of requests.entries()) {
    const line = encoder.encode(within(`requests[${index}]`, () => lineOf(request.body, ids[index] ?? '', settings)));
    size += line.length;
    if (size > maxBytes) throw new Problem('requests', `must be at most ${maxBytes} bytes as a file; requests[${index}] exceeds the limit`);
    lines.push(line);
  }
  return new File(lines, name, { type: 'application/jsonl' });
}

/** The line of a request that has a custom id. */
export function inputLine(request: BatchRequest, settings: LineSettings): string {
  return within('request', () => {
    const id = customId(request);
    return lineOf(request.body, id, settings);
  });
}

function lineOf(request: ChatRequest, id: string, settings: LineSettings): string {
  return within('body', () => {
    // The platform root runs the lines, also for a client of the coding root.
    const { body } = withEffort(chatBody(request, !settings.disableToolSchemaCompat, false), 'chat', settings, roots.chat.global);
    checkBody(chatCreate, body, settings.endpoints.chat.isVendor, false);
    const line: BatchInputLine = { custom_id: id, method: 'POST', url: batchEndpoint, body };
    return `${jsonText(line)}\n`;
  });
}

function within<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? error.within(place) : error;
  }
}
