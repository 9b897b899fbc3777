import { moderationsCreate } from '../../generated/routes.ts';
import type { ModerationRequest, ModerationResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';

/** Content moderation. */
export class Moderations {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Check a text (up to 2,000 characters), an image, a video, audio or several of them. Always sent to the china host with the china key, in
   * every region.
   *
   * Risky content is a normal reply: read `result_list[].risk_level`. `PASS`, `REVIEW` and `REJECT` are documented; other values may occur.
   */
  create<Names extends PropertyKey = never>(request: Extensible<ModerationRequest, Names>): Promise<Received<ModerationResponse>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ModerationRequest, Names>): Promise<Received<ModerationResponse>>;
  create(...given: Called<[request: ModerationRequest]>): Promise<Received<ModerationResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, moderationsCreate, ctx, () => ({ body: request }));
  }
}
