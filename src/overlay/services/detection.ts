import { defaultModels } from '../../generated/model-ids.ts';
import { chatCreate, modelsList, quotaGetLimit } from '../../generated/routes.ts';
import { requestJson } from '../call/operations/request-json.ts';
import { limitsOf } from '../call/settings/patience.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst, fieldsOfContext, isModelAlone } from '../context.ts';
import type { ModelsvcError } from '../errors/errors.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { validated } from '../errors/problem.ts';
import { checkFields } from '../json/known-fields.ts';
import {
  chatEvidence,
  type DetectionResult,
  type DetectionStep,
  failureEvidence,
  modelsEvidence,
  quotaEvidence,
  verdict,
} from '../monitor/evidence.ts';
import { planRoute, teamParameters } from './quota.ts';

/** Options of the billed probe. */
export interface ProbeOptions {
  /** Model of the chat. Default: `glm-4.7`, which coding plans serve under its own name. */
  readonly model?: string | undefined;
}

/**
 * Detects the kind of key. Uses error codes, not messages, and caches no result.
 *
 * Both methods call the host of `Config.region` (or `Config.endpoints`) and ignore `baseURL`. A failed reply is evidence, not an error.
 * A call rejects if it is aborted or gets no reply at all.
 */
export class Detection {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Distinguish a coding-plan key from a pay-as-you-go key with free calls only: the quota limits and the model list.
   *
   * A coding plan returns its level and limits. A valid key without them counts as pay-as-you-go. A team plan returns them only with
   * `Config.team`.
   */
  async detect(ctx?: CallContext): Promise<DetectionResult> {
    const operation = 'detection.detect';
    return judge(
      await Promise.all([
        evidenceFrom('quota.getLimit', 'monitor', async () =>
          quotaEvidence(
            await requestJson(this.#settings, planRoute(quotaGetLimit), ctx, () => ({ parameters: teamParameters(this.#settings) }), operation),
          ),
        ),
        evidenceFrom('models.list', 'platform', async () => {
          await requestJson(this.#settings, modelsList, ctx, () => ({ endpoint: 'platform' }), operation);
          return modelsEvidence();
        }),
      ]),
    );
  }

  /**
   * SENDS A BILLED CALL: a chat of one output token to the coding root and, unless that shows a plan, one more to the platform root.
   * `detect` is free.
   *
   * Neither call is retried. Both roots refuse a key without plan and balance with code 1113, and its plan stays `unknown`.
   */
  probeWithBilledChat(options?: ProbeOptions): Promise<DetectionResult>;
  probeWithBilledChat(ctx: CallContext, options?: ProbeOptions): Promise<DetectionResult>;
  async probeWithBilledChat(...given: Called<[options?: ProbeOptions | undefined]>): Promise<DetectionResult> {
    const [ctx, options = {}] = contextFirst(given, given.length < 2 && isModelAlone(given[0]));
    const operation = 'detection.probeWithBilledChat';
    const context = validated(operation, () => {
      checkFields<ProbeOptions>(options, { model: 1 }, 'options');
      const { maxRetries, retryFor, ...context } = fieldsOfContext(ctx);
      limitsOf({ maxRetries, retryFor }, undefined, 'ctx.');
      return context;
    });
    const body = { model: options.model ?? defaultModels.probe, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
    const outcomes: Probe[] = [];
    for (const endpoint of ['coding', 'platform'] as const) {
      const before = outcomes.map((one) => one.evidence);
      const outcome = await evidenceFrom('chat.create', endpoint, async () => {
        await requestJson(this.#settings, chatCreate, { ...context, maxRetries: 0 }, () => ({ endpoint, body }), operation);
        return chatEvidence(endpoint, before);
      });
      outcomes.push(outcome);
      if (outcome.evidence.plan === 'coding') break;
    }
    return judge(outcomes);
  }
}

interface Probe {
  readonly evidence: DetectionStep;
  readonly failure?: ModelsvcError;
}

/** Return a call's outcome as evidence. Throws the caller's own errors: an invalid request or an abort. */
async function evidenceFrom(call: DetectionStep['call'], root: DetectionStep['root'], perform: () => Promise<DetectionStep>): Promise<Probe> {
  try {
    return { evidence: await perform() };
  } catch (failure) {
    if (
      !isModelsvcError(failure) ||
      isModelsvcError(failure, 'abort') ||
      isModelsvcError(failure, 'config') ||
      isModelsvcError(failure, 'validation')
    )
      throw failure;
    return { evidence: failureEvidence(call, root, failure), failure };
  }
}

function judge(outcomes: readonly Probe[]): DetectionResult {
  const first = outcomes[0]?.failure;
  if (first && outcomes.every((one) => isModelsvcError(one.failure, 'connection', 'timeout'))) throw first;
  return verdict(outcomes.map((one) => one.evidence));
}
