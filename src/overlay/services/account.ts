import { accountInfo, accountStatus, accountSubscriptions } from '../../generated/routes.ts';
import type { Subscription } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { dataOf } from '../monitor/envelope.ts';

/** The account of the key. All calls are free. */
export class Account {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Facts about the account. Unconfirmed: one client library has this call, but the service most likely has no such route; expect an
   * ApiError with code 500. The fields are unknown. `subscriptions` and `c.quota()` are reported to work.
   */
  async info(ctx?: CallContext): Promise<Received<Record<string, unknown>>> {
    return dataOf(await requestJson(this.#settings, accountInfo, ctx, () => ({})), {});
  }

  /** State of the account. Unconfirmed, like `info`. */
  async status(ctx?: CallContext): Promise<Received<Record<string, unknown>>> {
    return dataOf(await requestJson(this.#settings, accountStatus, ctx, () => ({})), {});
  }

  /** Current and past plans of the account, with their renewal; empty for an account without a plan. Evidence: reported. */
  async subscriptions(ctx?: CallContext): Promise<Received<Subscription[]>> {
    return dataOf(await requestJson(this.#settings, accountSubscriptions, ctx, () => ({})), []);
  }
}
