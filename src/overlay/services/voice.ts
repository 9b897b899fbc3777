import { voiceClone, voiceDelete, voiceList } from '../../generated/routes.ts';
import type { VoiceCloneRequest, VoiceCloneResponse, VoiceDeleteRequest, VoiceDeleteResponse, VoiceList } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { filtered, type QueryOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';

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
  clone<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<VoiceCloneRequest, Names>): Promise<Received<VoiceCloneResponse>> {
    return requestJson(this.#settings, voiceClone, ctx, () => ({ body: request }));
  }

  /** Delete a cloned voice. The reply has no success flag. The reply to an unknown id is not documented. */
  delete<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<VoiceDeleteRequest, Names>,
  ): Promise<Received<VoiceDeleteResponse>> {
    return requestJson(this.#settings, voiceDelete, ctx, () => ({ body: request }));
  }

  /** List all matching voices in one reply. Free of charge. */
  list(ctx: CallContext, query: VoiceQuery = {}): Promise<Received<VoiceList>> {
    return requestJson(this.#settings, voiceList, ctx, () => ({ parameters: filtered(query) }));
  }
}
