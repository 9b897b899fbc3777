import type { ModelsvcError } from '../../errors/errors.ts';
import { isModelsvcError } from '../../errors/guards.ts';
import { unref } from '../../platform.ts';
import type { Reply } from './reply.ts';

const decoder = new TextDecoder();

/** Read a complete body as text, without a byte order mark. Throws a ReplyError if it is longer than `Config.maxReplyBytes`. */
export async function readText(reply: Reply): Promise<string> {
  const limit = reply.settings.maxReplyBytes;
  const blocks: Uint8Array[] = [];
  let size = 0;
  for (let block = await reply.body.next(); block; block = await reply.body.next()) {
    size += block.length;
    if (limit > 0 && size > limit) throw tooLong(limit, reply.unusable.bind(reply));
    blocks.push(block);
  }
  try {
    const whole = joined(blocks, size);
    if (reply.call.rawBody) reply.info.keep(whole);
    return decoder.decode(whole);
  } catch {
    throw tooLong(0, reply.unusable.bind(reply));
  }
}

/** Error for a reply that is too large for memory. `limit` 0 means the engine's own limit, about 500 MB of text. */
export function tooLong<E extends ModelsvcError>(limit: number, made: (problem: 'too-large', summary: string, advice: string) => E): E {
  if (limit === 0) return made('too-large', 'the reply has more text than the engine can hold', 'read it as a stream');
  return made('too-large', `the reply has more than ${limit} bytes`, 'raise maxReplyBytes, or read it as a stream');
}

/**
 * Read the beginning of an error body as text: at most `Config.maxErrorBytes`, within the call's timeout. A body that breaks off or
 * does not end returns its text so far: the status matters more than the rest of the text.
 */
export async function readErrorText(reply: Reply): Promise<string> {
  const { maxErrorBytes } = reply.settings;
  const { timeoutMs } = reply.call;
  const blocks: Uint8Array[] = [];
  let size = 0;
  const bound = timeoutMs > 0 ? setTimeout(() => reply.body.cancel(), timeoutMs) : undefined;
  if (bound !== undefined) unref(bound);
  try {
    for (let block = await reply.body.next(); block; block = await reply.body.next()) {
      blocks.push(block);
      size += block.length;
      if (maxErrorBytes > 0 && size >= maxErrorBytes) break;
    }
  } catch (error) {
    if (isModelsvcError(error, 'abort')) throw error;
  } finally {
    clearTimeout(bound);
    reply.body.cancel();
  }
  try {
    const whole = joined(blocks, size);
    return decoder.decode(maxErrorBytes > 0 ? whole.subarray(0, maxErrorBytes) : whole);
  } catch {
    // The text exceeds the engine's limit: only the status is reported.
    return '';
  }
}

/**
 * Read the beginning of a body and put it back, so that all of it can still be read. A body whose beginning matches `wanted` is returned
 * as text if it ends within `limit` bytes. For any other body the first block is enough.
 */
export async function peekText(reply: Reply, wanted: RegExp, limit: number): Promise<string | undefined> {
  let isBlank = true;
  const { text, isWhole } = await readAhead(reply, (text, piece, size) => {
    const wasBlank = isBlank;
    isBlank &&= piece.trim() === '';
    // The first character that is not blank decides.
    return size > limit || !(isBlank || !wasBlank || wanted.test(text));
  });
  return isWhole && wanted.test(text) ? text : undefined;
}

/** Bytes of blanks before a decision. */
const mostBlanks = 64 * 1024;

/** True for a body that is JSON or a page by its first character, and no stream. All of it can still be read. False for an empty body. */
export async function beginsWithJson(reply: Reply): Promise<boolean> {
  const isStream = reply.contentType.startsWith('text/event-stream');
  const { text } = await readAhead(reply, (_, piece, size) => piece.trim() !== '' || size > mostBlanks);
  const begun = text.trimStart();
  // Under its own type a stream may begin with any line.
  return isStream ? /^[[{<]/.test(begun) : !/^(?::|data|event|id:|retry)/.test(begun);
}

/** Reads up to the block for which `isEnough` is true, and puts all of it back. */
async function readAhead(
  { body }: Reply,
  isEnough: (text: string, piece: string, size: number) => boolean,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const blocks: Uint8Array[] = [];
  const ahead = new TextDecoder();
  let text = '';
  let size = 0;
  let isWhole = true;
  for (let block = await body.next(); block; block = await body.next()) {
    blocks.push(block);
    size += block.length;
    const piece = ahead.decode(block, { stream: true });
    text += piece;
    if (!isEnough(text, piece, size)) continue;
    isWhole = false;
    break;
  }
  body.unshift(blocks);
  return { text, isWhole };
}

export function joined(blocks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = blocks;
  if (blocks.length === 1 && first) return first;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}
