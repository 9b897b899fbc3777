// Checks recorded answers of model services: each can be sent back in a conversation, and each stream collects to the answer of `create`.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type AnthropicMessage,
  type Client,
  collectChat,
  collectMessage,
  isValidationError,
  type Message,
  newClient,
} from '../../src/overlay/index.ts';

/** Result for one file. `path` is the first violation or difference. */
interface Finding {
  readonly file: string;
  readonly path: string;
}

/** Results for a folder of recorded answers. */
interface Replies {
  /** Answers with content: JSON bodies and streams. */
  readonly read: number;
  /** Files that are neither a chat response nor a message. */
  readonly others: readonly string[];
  /** Answers that the request rules refuse, or that are not sent as they came. */
  readonly refused: readonly Finding[];
  readonly streams: number;
  /** Answers that the client could not read. */
  readonly broken: readonly Finding[];
  /** JSON bodies and streams with the same file name. */
  readonly pairs: number;
  /** Pairs with equal values. */
  readonly equal: number;
  /** Pairs with the same fields, whose values differ: usually two generations. */
  readonly sameFields: readonly Finding[];
  readonly unequal: readonly Finding[];
}

type Json = Readonly<Record<string, unknown>>;
type Surface = 'chat' | 'messages';

interface Recording {
  readonly file: string;
  readonly surface: Surface;
  /** Body of the response: JSON or an event stream. */
  readonly body: string;
  readonly isStream: boolean;
}

/**
 * Reads a folder of recordings. `<name>.json` is a response body. `<name>.sse`, `<name>.txt` and `<name>.chunks.txt` are streams: events, or
 * one JSON payload per line. Files with the same name are a pair.
 */
export async function replies(folder: string): Promise<Replies> {
  const others: string[] = [];
  const refused: Finding[] = [];
  const broken: Finding[] = [];
  const sameFields: Finding[] = [];
  const unequal: Finding[] = [];
  const whole = new Map<string, unknown>();
  const collected = new Map<string, unknown>();
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    if (!/\.(json|sse|txt)$/.test(file)) continue;
    const recording = recognized(file, await readFile(join(folder, file), 'utf8'));
    if (!recording) {
      others.push(file);
      continue;
    }
    try {
      const answer = await answerOf(recording);
      (recording.isStream ? collected : whole).set(nameOf(file), answer);
      const path = await refusal(recording.surface, answer);
      if (path !== undefined) refused.push({ file, path });
    } catch (error) {
      broken.push({ file, path: (error as Error).message });
    }
  }
  const pairs = [...whole].filter(([name]) => collected.has(name));
  for (const [file, created] of pairs) {
    const streamed = collected.get(file);
    if (isDeepStrictEqual(plain(created), plain(streamed))) continue;
    const path = difference(created, streamed, '', false);
    if (path !== undefined) unequal.push({ file, path });
    else sameFields.push({ file, path: difference(created, streamed, '', true) ?? '' });
  }
  const equal = pairs.length - unequal.length - sameFields.length;
  const read = whole.size + collected.size;
  return { read, others, refused, streams: collected.size, broken, pairs: pairs.length, equal, sameFields, unequal };
}

/** The results as text. */
export function repliesReport(found: Replies): string {
  const lines = [
    `replies: ${found.read} answers read, ${found.others.length} other files`,
    `put back into a conversation: ${found.read - found.refused.length}, refused: ${found.refused.length}`,
    `streams collected: ${found.streams}, not readable: ${found.broken.length}`,
    `pairs: ${found.pairs}, equal to create: ${found.equal}, same fields with other values: ${found.sameFields.length}, unequal: ${found.unequal.length}`,
  ];
  const findings = { refused: found.refused, 'not readable': found.broken, 'other values': found.sameFields, unequal: found.unequal };
  for (const [what, list] of Object.entries(findings)) for (const { file, path } of list) lines.push(`  ${what}: ${file}: ${path}`);
  return lines.join('\n');
}

function nameOf(file: string): string {
  return file.replace(/(\.chunks)?\.(json|sse|txt)$/, '');
}

function recognized(file: string, text: string): Recording | undefined {
  if (file.endsWith('.json')) {
    const body = jsonIn(text);
    const surface = Array.isArray(body?.['choices'])
      ? 'chat'
      : Array.isArray(body?.['content']) && body['role'] === 'assistant'
        ? 'messages'
        : undefined;
    return surface && { file, surface, body: text, isStream: false };
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const isEvents = lines.some((line) => line.startsWith('data:'));
  const payloads = lines.map((line) => jsonIn(line.replace(/^data:/, ''))).filter((payload) => payload !== undefined);
  const surface: Surface = payloads.some((payload) => payload['type'] === 'message_start') ? 'messages' : 'chat';
  if (surface === 'chat' && !payloads.some((payload) => Array.isArray(payload['choices']))) return undefined;
  const frames = payloads.map((payload) => `${surface === 'messages' ? `event: ${payload['type']}\n` : ''}data: ${JSON.stringify(payload)}\n\n`);
  return { file, surface, body: isEvents ? `${text}\n\n` : `${frames.join('')}${surface === 'chat' ? 'data: [DONE]\n\n' : ''}`, isStream: true };
}

function jsonIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

const model = 'recorded';
const question = { role: 'user', content: 'hi' } as const;

/** A client whose service is a recording. `sent` receives the body of each request. */
function clientOf(body: string, isStream: boolean, sent: (body: Json) => void = () => {}): Client {
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
  const httpClient = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    sent(jsonIn(String(init?.body)) ?? {});
    return new Response(body, { headers });
  };
  return newClient({ apiKey: 'recorded-data', baseURL: 'http://localhost', endpoints: { messages: 'http://localhost' }, maxRetries: 0, httpClient });
}

function answerOf({ surface, body, isStream }: Recording): Promise<unknown> {
  const client = clientOf(body, isStream);
  const chat = { model, messages: [question] };
  const message = { ...chat, max_tokens: 64 };
  if (surface === 'chat') return isStream ? collectChat(client.chat().stream(undefined, chat)) : client.chat().create(undefined, chat);
  return isStream ? collectMessage(client.anthropic().stream(undefined, message)) : client.anthropic().create(undefined, message);
}

/** Sends an answer back in the next request. Returns the path of the first violation, or of the first message that was changed. */
async function refusal(surface: Surface, answer: unknown): Promise<string | undefined> {
  const given =
    surface === 'chat' ? (answer as { choices: { message: Message }[] }).choices.map((choice) => choice.message) : [answer as AnthropicMessage];
  let sent: unknown;
  const client = clientOf(surface === 'chat' ? '{"choices":[{}]}' : '{"content":[{}]}', false, (body) => {
    sent = (body['messages'] as unknown[]).slice(1, -1);
  });
  try {
    if (surface === 'chat') await client.chat().create(undefined, { model, messages: [question, ...(given as Message[]), question] });
    else await client.anthropic().create(undefined, { model, max_tokens: 64, messages: [question, ...(given as AnthropicMessage[]), question] });
  } catch (error) {
    if (!isValidationError(error)) throw error;
    return error.message;
  }
  return difference(plain(given), sent, 'messages', true);
}

/** A value as JSON has it: without accessors and undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Path of the first difference between two values; undefined if there is none. Without `values`, only missing fields count. */
function difference(one: unknown, other: unknown, path: string, values: boolean): string | undefined {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (values && one.length !== other.length) return `${path}.length`;
    const count = Math.min(one.length, other.length);
    for (let index = 0; index < count; index++) {
      const found = difference(one[index], other[index], `${path}[${index}]`, values);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(one) && isObject(other)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const at = path === '' ? name : `${path}.${name}`;
      if (!(name in one) || !(name in other)) return at;
      const found = difference(one[name], other[name], at, values);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return values && !isDeepStrictEqual(one, other) ? path : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
