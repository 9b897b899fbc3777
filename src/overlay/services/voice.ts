import { voiceClone, voiceDelete, voiceList } from '../../generated/routes.ts';
import type { VoiceCloneRequest, VoiceCloneResponse, VoiceDeleteRequest, VoiceDeleteResponse, VoiceList } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { filtered, type QueryOf } from '../call/request/input.ts';
import { isQuery } from '../call/request/parameters.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';

/** Which voices to list. */
export type VoiceQuery = QueryOf<'voice.list'>;

/** Voices for text-to-speech: the service's own, and clones of the account. `clone` and `delete` are documented for the china host only. */
export class Voice {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Clone a voice from a sample. Upload the sample first with purpose `voice-clone-input`: mp3 or wav, at most 10 MB, 3 to 30 seconds advised.
   * Pass the reply's `voice` to `audio().speech`; its `file_id` is a trial clip. Every call is billed.
   */
  clone<Names extends PropertyKey = never>(request: Extensible<VoiceCloneRequest, Names>): Promise<Received<VoiceCloneResponse>>;
  clone<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<VoiceCloneRequest, Names>): Promise<Received<VoiceCloneResponse>>;
  clone(...given: Called<[request: VoiceCloneRequest]>): Promise<Received<VoiceCloneResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, voiceClone, ctx, () => ({ body: request }));
  }

  /** Delete a cloned voice. The reply has no success flag. The reply to an unknown id is not documented. */
  delete<Names extends PropertyKey = never>(request: Extensible<VoiceDeleteRequest, Names>): Promise<Received<VoiceDeleteResponse>>;
  delete<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<VoiceDeleteRequest, Names>): Promise<Received<VoiceDeleteResponse>>;
  delete(...given: Called<[request: VoiceDeleteRequest]>): Promise<Received<VoiceDeleteResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, voiceDelete, ctx, () => ({ body: request }));
  }

  /** List all matching voices in one reply. Free of charge. */
  list(query?: VoiceQuery): Promise<Received<VoiceList>>;
  list(ctx: CallContext, query?: VoiceQuery): Promise<Received<VoiceList>>;
  list(...given: Called<[query?: VoiceQuery | undefined]>): Promise<Received<VoiceList>> {
    const [ctx, query = {}] = contextFirst(given, given.length === 1 && isQuery(voiceList, given[0]));
    return requestJson(this.#settings, voiceList, ctx, () => ({ parameters: filtered(query) }));
  }
}
