// Checks recorded answers of model services: each can be sent back in a conversation, and each stream collects to the answer of `create`.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnthropicMessage, type Client, collect, isModelsvcError, type Message, newClient } from '../../../src/overlay/index.ts';
import { type Fields, isFields, isObject, jsonOrUndefined } from '../../../src/overlay/json/json-value.ts';

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
    const [one, other] = [plain(created), plain(collected.get(file))];
    const [field, value] = [difference(one, other, false), difference(one, other, true)];
    if (field !== undefined) unequal.push({ file, path: field });
    else if (value !== undefined) sameFields.push({ file, path: value });
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

function jsonIn(text: string): Fields | undefined {
  const value = jsonOrUndefined(text);
  return isFields(value) ? value : undefined;
}

const model = 'recorded';
const question = { role: 'user', content: 'hi' } as const;

/** A client whose service is a recording. `sent` receives the body of each request. */
function clientOf(body: string, isStream: boolean, sent: (body: Fields) => void = () => {}): Client {
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
  if (surface === 'chat') return isStream ? collect(client.chat().stream(undefined, chat)) : client.chat().create(undefined, chat);
  return isStream ? collect(client.anthropic().stream(undefined, message)) : client.anthropic().create(undefined, message);
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
    if (!isModelsvcError(error, 'validation')) throw error;
    return error.message;
  }
  return difference({ messages: plain(given) }, { messages: sent }, true);
}

/** A value as JSON has it: without accessors and undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Path of the first leaf that only one of two values has. Without `values` only its field counts, and the items of a list are one. */
function difference(one: unknown, other: unknown, values: boolean): string | undefined {
  const key = ([path, value]: Leaf): string => (values ? `${path} ${JSON.stringify(value)}` : path.replace(/\[\d+\]/g, '[]'));
  const [mine, theirs] = [leaves(one, ''), leaves(other, '')];
  const [known, others] = [new Set(mine.map(key)), new Set(theirs.map(key))];
  return [...mine.filter((leaf) => !others.has(key(leaf))), ...theirs.filter((leaf) => !known.has(key(leaf)))][0]?.[0];
}

type Leaf = readonly [path: string, value: unknown];

function leaves(value: unknown, path: string): Leaf[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [[path, value]];
  const at = (name: string): string => (Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
  return Object.entries(value).flatMap(([name, child]) => leaves(child, at(name)));
}
