import type { SpeechChunk } from '../../generated/types.ts';
import { leavable } from '../concurrency/leaving.ts';
import { StreamError } from '../errors/errors.ts';
import { fieldsOf, listOf, textOf } from '../json/json-value.ts';
import { itemsOf } from './items.ts';

/**
 * Decodes the audio of a speech stream: `for await (const pcm of speechBytes(c.audio().speechStream(ctx, request)))`.
 *
 * `encoding` is the request's `encode_format`. Default: `base64`. A piece may end inside a sample. Leaving the loop closes the stream.
 */
export function speechBytes(
  stream: AsyncIterable<SpeechChunk>,
  encoding: 'base64' | 'hex' = 'base64',
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let source: AsyncIterator<SpeechChunk> | undefined;
  const chunks = (): AsyncIterable<SpeechChunk> => {
    const items = itemsOf('speechBytes', stream);
    source = items.source;
    return items;
  };
  return leavable('speechBytes: stream', bytesIn(chunks, encoding), () => source?.return?.());
}

async function* bytesIn(
  chunks: () => AsyncIterable<SpeechChunk>,
  encoding: 'base64' | 'hex',
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const decode = encoding === 'hex' ? fromHex : fromBase64;
  const unit = encoding === 'hex' ? 2 : 4;
  let rest = '';
  for await (const chunk of chunks())
    for (const choice of listOf(fieldsOf(chunk)['choices'])) {
      const text = rest + textOf(fieldsOf(fieldsOf(choice)['delta'])['content']);
      const whole = text.length - (text.length % unit);
      rest = text.slice(whole);
      if (whole > 0) yield decode(text.slice(0, whole));
    }
  if (rest !== '') yield decode(rest);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw malformed('base64');
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  if (text.length % 2 !== 0) throw malformed('hex');
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [hexDigit(text.charCodeAt(2 * at)), hexDigit(text.charCodeAt(2 * at + 1))];
    if (high < 0 || low < 0) throw malformed('hex');
    bytes[at] = 16 * high + low;
  }
  return bytes;
}

/** Value of a hex digit by its character code, or -1. Not a regular expression, because that exhausts the stack on long texts. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function malformed(encoding: string): StreamError {
  const advice = "The call may be billed. Pass the request's encode_format as the encoding.";
  return new StreamError('audio.speechStream', 'malformed', `a piece of audio is not ${encoding}`, undefined, advice);
}
