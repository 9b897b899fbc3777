import { moderationsCreate } from '../../generated/routes.ts';
import type { ModerationRequest, ModerationResponse } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';

/** Checks of content for risks. */
export class Moderations {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Check a text (up to 2,000 characters), a picture, a video, a sound or several of them. Always sent to the china host with the china key,
   * whatever the region.
   *
   * Risky content is a normal reply: read `result_list[].risk_level`, whose words are open (`PASS`, `REVIEW`, `REJECT` are documented).
   */
  create(ctx: CallContext, request: ModerationRequest): Promise<ModerationResponse> {
    return requestJson(this.#settings, moderationsCreate, ctx, () => ({ body: request }));
  }
}
