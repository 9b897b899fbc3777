import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Operation, serverRoots } from '../document/operations.ts';
import { isObject, type Json, type JsonObject, type Source } from '../document/source.ts';

/** A recorded exchange with the service. */
export interface Recording {
  readonly file: string;
  /** Day of the reply. Undefined if the file has none. */
  readonly date: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: Json;
}

/** The exchanges of the files in a folder: one a file, or a list. */
export async function readRecordings(folder: string): Promise<Recording[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return files.flatMap((file, index) => {
    const whole = JSON.parse(texts[index] ?? '') as JsonObject;
    const confirm = isObject(whole['confirm']) ? whole['confirm'] : {};
    return (Array.isArray(whole['exchanges']) ? whole['exchanges'] : [whole]).map((one) => recordingOf(file, one, confirm['date']));
  });
}

function recordingOf(file: string, exchange: Json, confirmed: Json | undefined): Recording {
  const { request, response } = exchange as { request: JsonObject; response: JsonObject };
  const headers = isObject(response['headers']) ? response['headers'] : {};
  const sent = new Date(String(headers['date']));
  const date = Number.isNaN(sent.getTime()) ? confirmed : sent.toISOString().slice(0, 10);
  return {
    file,
    date: typeof date === 'string' ? date : undefined,
    method: String(request['method']),
    path: String(request['path']).replace(/\?.*$/, ''),
    status: Number(response['status']),
    body: response['body'] ?? null,
  };
}

/** The recordings of an operation, on any of its hosts. */
export function recordingsOf(source: Source, { method, path, surface }: Operation, recordings: readonly Recording[]): Recording[] {
  const roots = [...serverRoots(source)].filter(([name]) => name.startsWith(`${surface} `)).map(([, url]) => new URL(url).pathname);
  const ending = path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+');
  return recordings.filter((one) => one.method === method && roots.some((root) => new RegExp(`^${root}${ending}$`).test(one.path)));
}

/** True for a success. A failure may come with HTTP 200. */
export function succeeded({ status, body }: Recording): boolean {
  return status >= 200 && status <= 204 && !(isObject(body) && ('error' in body || (body['code'] ?? 200) !== 200));
}

/** The newest recording as a source with its date. Empty if none has a date. */
export function recordedSource(recordings: readonly Recording[]): string[] {
  const [newest] = recordings.filter(({ date }) => date !== undefined).sort((one, other) => String(other.date).localeCompare(String(one.date)));
  return newest === undefined ? [] : [`recording ${newest.file} ${newest.date}`];
}

/** True if the value has a field at the end of the steps; `name[]` is any item of a list. */
export function holds(value: Json | undefined, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const child = isObject(value) ? value[step.replace('[]', '')] : undefined;
  if (child === undefined) return false;
  return step.endsWith('[]') && Array.isArray(child) ? child.some((item) => holds(item, rest)) : holds(child, rest);
}
