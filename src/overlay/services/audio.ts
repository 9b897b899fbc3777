import type { operations } from '../../generated/operations.ts';
import { audioSpeech, audioTranscribe } from '../../generated/routes.ts';
import type { SpeechBody, SpeechChunk, TranscriptionBody, TranscriptionEvent, TranscriptionResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { InputOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst, isModelAlone } from '../context.ts';
import type { BinaryReply } from '../files/binary.ts';
import { requestBytes } from '../files/request-bytes.ts';
import { base64Limits, isOver, uploadLimits } from '../files/upload-limits.ts';
import { type UploadOptions, uploadInput } from '../files/upload-request.ts';
import { isFields } from '../json/json-value.ts';
import { refuseStream, type Without } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import type { EventStream } from '../streams/event-stream.ts';
import * as protocols from '../streams/protocols.ts';
import { requestStream } from '../streams/request-stream.ts';

/** Audio to transcribe: `file` or `file_base64`, wav or mp3, at most 25 MB and 30 seconds. */
export type TranscriptionRequest = Without<TranscriptionBody, 'stream'> & UploadOptions;

/** Text to speak, and the voice. */
export type SpeechRequest = Without<SpeechBody, 'stream' | 'encode_format'>;

/** Text to speak as a stream, always as raw PCM. */
export type SpeechStreamRequest = Without<SpeechBody, 'stream'>;

/** Speech to text and text to speech. */
export class Audio {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Transcribe an audio file. Its size and kind are checked before sending to the vendor, if they are known. Every call is billed.
   *
   * @example
   * ```ts
   * const wav = await (await c.audio().speech({ model: 'glm-tts', input: 'Hello', voice: 'tongtong', response_format: 'wav' })).bytes();
   * const { text } = await c.audio().transcribe({ model: 'glm-asr-2512', file: new File([wav], 'hello.wav') });
   * console.log(text);
   * ```
   */
  transcribe<Names extends PropertyKey = never>(request: Extensible<TranscriptionRequest, Names>): Promise<Received<TranscriptionResponse>>;
  transcribe<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<TranscriptionRequest, Names>,
  ): Promise<Received<TranscriptionResponse>>;
  async transcribe(...given: Called<[request: TranscriptionRequest]>): Promise<Received<TranscriptionResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2 && !isModelAlone(given[0]));
    const reply = await requestJson(this.#settings, audioTranscribe, ctx, () => transcriptionInput(request, false, this.#settings));
    reply.text ??= reply.choices?.[0]?.message?.content as string;
    return reply;
  }

  /**
   * Transcribe an audio file as a stream: `for await (const event of c.audio().transcribeStream(ctx, request))`. `event.delta` is the text.
   * The file is sent when you request the first event. A stream that stops before `transcript.text.done` or `[DONE]` throws a StreamError.
   */
  transcribeStream<Names extends PropertyKey = never>(request: Extensible<TranscriptionRequest, Names>): EventStream<TranscriptionEvent>;
  transcribeStream<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<TranscriptionRequest, Names>,
  ): EventStream<TranscriptionEvent>;
  transcribeStream(...given: Called<[request: TranscriptionRequest]>): EventStream<TranscriptionEvent> {
    const [ctx, request] = contextFirst(given, given.length < 2 && !isModelAlone(given[0]));
    const operation = 'audio.transcribeStream';
    return requestStream(
      this.#settings,
      audioTranscribe,
      ctx,
      () => transcriptionInput(request, true, this.#settings),
      protocols.audioTranscribe(),
      operation,
    );
  }

  /**
   * Convert a text of at most 1,024 characters to speech. The reply is audio in `response_format`: `wav`, or raw PCM by default. Play PCM at
   * 24,000 Hz. Read the reply or call its `cancel()`. A failure sent as JSON with status 200 throws an ApiError. Every call is billed.
   *
   * @example
   * ```ts
   * const reply = await c.audio().speech({ model: 'glm-tts', input: 'Hello', voice: 'tongtong', response_format: 'wav' });
   * const wav = await reply.bytes();
   * console.log(wav.length);
   * ```
   */
  speech<Names extends PropertyKey = never>(request: Extensible<SpeechRequest, Names>): Promise<Received<BinaryReply>>;
  speech<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<SpeechRequest, Names>): Promise<Received<BinaryReply>>;
  speech(...given: Called<[request: SpeechRequest]>): Promise<Received<BinaryReply>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestBytes(this.#settings, audioSpeech, ctx, () => {
      refuseStream(request, 'audio().speechStream');
      return { body: request };
    });
  }

  /**
   * Convert text to speech as a stream of the service's chunks; `speechBytes(stream)` returns their audio. The shape of the chunks is known
   * from client libraries only. The request is sent when you request the first chunk.
   */
  speechStream<Names extends PropertyKey = never>(request: Extensible<SpeechStreamRequest, Names>): EventStream<SpeechChunk>;
  speechStream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<SpeechStreamRequest, Names>): EventStream<SpeechChunk>;
  speechStream(...given: Called<[request: SpeechStreamRequest]>): EventStream<SpeechChunk> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const operation = 'audio.speechStream';
    const body = (): InputOf<operations['audio.speech']> => ({ body: isFields(request) ? { ...request, stream: true } : request });
    return requestStream(this.#settings, audioSpeech, ctx, body, protocols.audioSpeech(), operation);
  }
}

function transcriptionInput(request: TranscriptionRequest, stream: boolean, { endpoints }: Settings): InputOf<operations['audio.transcribe']> {
  if (!isFields(request)) return { body: request };
  if (!stream) refuseStream(request, 'audio().transcribeStream');
  const { file_base64: base64 } = request;
  const { isVendor } = endpoints.chat;
  if (isVendor && typeof base64 === 'string' && isOver(base64, base64Limits.transcription))
    throw new Problem('file_base64', `must decode to at most ${base64Limits.transcription} MB`);
  return uploadInput(audioTranscribe, stream ? { ...request, stream: true } : request, { limit: isVendor ? uploadLimits.transcription : undefined });
}
