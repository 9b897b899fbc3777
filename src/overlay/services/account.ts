import { accountInfo, accountStatus, accountSubscriptions } from '../../generated/routes.ts';
import type { Subscription } from '../../generated/types.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { dataOf } from '../monitor/envelope.ts';

/** The account behind the key. All calls are free. */
export class Account {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Facts about the account. Doubtful: one client library names this call, and the service most likely has no such route, which it tells with an ApiError
   * of code 500. The fields are not known. `subscriptions` and `c.quota()` are reported to work.
   */
  async info(ctx: CallContext): Promise<Record<string, unknown>> {
    return dataOf(await requestJson(this.#settings, accountInfo, ctx), {});
  }

  /** The state of the account. As doubtful as `info`. */
  async status(ctx: CallContext): Promise<Record<string, unknown>> {
    return dataOf(await requestJson(this.#settings, accountStatus, ctx), {});
  }

  /** The plans that the account has or had, with their renewal; none for an account without. Evidence: reported. */
  async subscriptions(ctx: CallContext): Promise<Subscription[]> {
    return dataOf(await requestJson(this.#settings, accountSubscriptions, ctx), []);
  }
}
