import { chatCreate, modelsList, quotaGetLimit } from '../../generated/routes.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import { type CallContext, withMaxRetries } from '../context.ts';
import type { ModelsvcError } from '../errors/errors.ts';
import { isAbortError, isConnectionError, isModelsvcError, isValidationError } from '../errors/guards.ts';
import { chatEvidence, type DetectionResult, type Evidence, failureEvidence, modelsEvidence, quotaEvidence, verdict } from '../monitor/evidence.ts';

/** What the billed probe may be told. */
export interface ProbeOptions {
  /** Model of the chat. Default: `glm-4.5-air`, the cheapest that coding plans are known to list. */
  readonly model?: string;
}

/**
 * Finds out what kind of key this is. Answers are judged by their codes, never by their texts, and nothing is remembered from one call to the next.
 *
 * Both methods ask the host of `Config.region` (or `Config.endpoints`), whatever `baseURL` says. A failed answer is evidence, not an
 * error; a call rejects when it is aborted or when no answer came at all.
 */
export class Detection {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Tell a coding-plan key from a pay-as-you-go one by free calls only: the quota limits and the model list.
   *
   * A plan shows its level and limits; none seen with a good key reads as pay-as-you-go. A team plan hides its own without its headers (see `QuotaService`).
   */
  async detect(ctx: CallContext): Promise<DetectionResult> {
    const operation = 'detection.detect';
    return judge(
      await Promise.all([
        attempt('quota.getLimit', 'monitor', async () => quotaEvidence(await requestJson(this.#settings, quotaGetLimit, ctx, undefined, operation))),
        attempt('models.list', 'platform', async () => {
          await requestJson(this.#settings, modelsList, ctx, () => ({ endpoint: 'platform' }), operation);
          return modelsEvidence();
        }),
      ]),
    );
  }

  /**
   * SENDS A BILLED CALL: a chat of one output token to the coding root and, unless that shows a plan, one more to the platform root. `detect` is free.
   *
   * Neither is retried. A key with neither plan nor balance is refused by both roots with code 1113, and its plan stays `unknown`.
   */
  async probeWithBilledChat(ctx: CallContext, options: ProbeOptions = {}): Promise<DetectionResult> {
    const operation = 'detection.probeWithBilledChat';
    const body = { model: options.model ?? 'glm-4.5-air', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
    const outcomes: Outcome[] = [];
    for (const endpoint of ['coding', 'platform'] as const) {
      const before = outcomes.map((one) => one.evidence);
      const outcome = await attempt('chat.create', endpoint, async () => {
        await requestJson(this.#settings, chatCreate, withMaxRetries(ctx, 0), () => ({ endpoint, body }), operation);
        return chatEvidence(endpoint, before);
      });
      outcomes.push(outcome);
      if (outcome.evidence.plan === 'coding') break;
    }
    return judge(outcomes);
  }
}

interface Outcome {
  readonly evidence: Evidence;
  readonly failure?: ModelsvcError;
}

/** A call's outcome as evidence. What is the caller's doing, a wrong request or an abort, is thrown. */
async function attempt(call: Evidence['call'], root: Evidence['root'], perform: () => Promise<Evidence>): Promise<Outcome> {
  try {
    return { evidence: await perform() };
  } catch (failure) {
    if (!isModelsvcError(failure) || isAbortError(failure) || isValidationError(failure)) throw failure;
    return { evidence: failureEvidence(call, root, failure), failure };
  }
}

function judge(outcomes: readonly Outcome[]): DetectionResult {
  const first = outcomes[0]?.failure;
  if (first && outcomes.every((one) => isConnectionError(one.failure))) throw first;
  return verdict(outcomes.map((one) => one.evidence));
}
