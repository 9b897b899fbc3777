// The files of a result: links, data URLs, base64 and bytes.

import { blobBlocks, isBlob } from '../overlay/files/upload-source.ts';
import { fieldsOf, isFields, isThenable, listOf } from '../overlay/json/json-value.ts';
import { Problem } from '../overlay/json/problem.ts';
import { cleanToken } from '../overlay/secrets/clean.ts';

/** One file of a result. */
export type Content =
  | { readonly link: string }
  | { readonly bytes: Uint8Array; readonly type: string }
  | { readonly blocks: AsyncIterable<unknown>; readonly type: string; readonly size: number | undefined };

/** The files of a result, in its order. Throws a Problem if it has none. */
export function contentsOf(result: unknown): readonly Content[] {
  if (isThenable(result)) throw new Problem('result', 'is a Promise: await it');
  if (typeof result === 'string' || result instanceof URL) return [ofText(String(result))];
  if (result instanceof Uint8Array) return [{ bytes: result, type: '' }];
  if (isBlob(result)) return [{ blocks: blobBlocks(result), type: result.type, size: result.size }];
  if (!isFields(result)) throw new Problem('result', 'must be a result of the client, a link, or bytes');
  if (Symbol.asyncIterator in result) {
    if (typeof result[Symbol.asyncIterator] !== 'function') throw new Problem('result', 'has an async iterator that is not a function');
    const { contentType, size } = result as { readonly contentType?: string; readonly size?: number };
    return [{ blocks: result as unknown as AsyncIterable<unknown>, type: contentType ?? '', size }];
  }
  const contents = filesIn(result).map((file) => (typeof file === 'string' ? ofText(file) : file));
  if (contents.length === 0) throw new Problem('result', `has no file${stateOf(result)}`);
  return contents;
}

/** Links as text, and the content of fields with base64. */
function filesIn(result: unknown): readonly (string | Content)[] {
  const { url, b64_json, download_url, parsing_result_url, data, image_result, video_result, layout_visualization, choices } = fieldsOf(result);
  const links = [url, download_url, parsing_result_url, ...listOf(layout_visualization)].filter(isLink);
  const base64 = typeof b64_json === 'string' ? [decoded(b64_json, '')] : [];
  const nested = [data, image_result, video_result].flatMap(listOf).flatMap(filesIn);
  return [...links, ...base64, ...nested, ...listOf(choices).flatMap(filesOfChoice)];
}

/** The spoken answer of a chat, and the parts of an agent's messages. */
function filesOfChoice(choice: unknown): readonly (string | Content)[] {
  const { message, messages } = fieldsOf(choice);
  const { data } = fieldsOf(fieldsOf(message)['audio']);
  const parts = listOf(messages).flatMap((one) => [fieldsOf(one)['content']].flat());
  const links = parts.map(fieldsOf).flatMap(({ file_url, image_url, audio_url, video_url }) => [file_url, image_url, audio_url, video_url]);
  return [...(typeof data === 'string' ? [decoded(data, 'audio/wav')] : []), ...links.filter(isLink)];
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The words for a job without a result. */
function stateOf(result: unknown): string {
  const { task_status: status = fieldsOf(result)['status'] } = fieldsOf(result);
  if (typeof status !== 'string') return '';
  return `: its status is ${cleanToken(status, [])}${/^(succe|fail|cancel|expire)/i.test(status) ? '' : '. Wait for the job first'}`;
}

/** A link, or the content of a data URL. */
function ofText(text: string): Content {
  if (!/^data:/i.test(text)) return { link: text };
  const comma = text.indexOf(',');
  const head = text.slice('data:'.length, Math.max(comma, 0));
  const data = comma < 0 ? '' : text.slice(comma + 1);
  const type = head.slice(0, head.includes(';') ? head.indexOf(';') : head.length);
  if (/;base64$/i.test(head)) return decoded(data, type);
  try {
    return { bytes: Buffer.from(decodeURIComponent(data)), type };
  } catch {
    throw new Problem('result', 'contains a data URL that cannot be decoded');
  }
}

/** Node decodes any text as base64, and leaves out other characters. */
function decoded(text: string, type: string): Content {
  const plain = text.replace(/[\s=]+/g, '');
  const bytes = Buffer.from(plain, 'base64');
  if (plain === '' || bytes.toString('base64').replace(/=+$/, '') !== plain) throw new Problem('result', 'contains base64 that cannot be decoded');
  return { bytes, type };
}
