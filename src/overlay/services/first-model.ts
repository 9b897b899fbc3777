// Several models for one question, above the calls: each is an ordinary call of its own.
import { withPrevious } from '../call/attempt/failure.ts';
import { isOverload } from '../call/attempt/retry.ts';
import { isApiError, isModelsvcError } from '../errors/guards.ts';
import { validationError } from '../errors/problem.ts';
import { Problem } from '../json/problem.ts';
import { toolRun } from '../tools/run-info.ts';

/** Codes for a model that is unknown or not in the plan. Of the codes for used-up windows, 1304 alone names neither plan nor account. */
const ofTheModel = /^(1211|1304|1311|model_not_found|usage_not_included)$/;

/**
 * Asks with each model in order, and returns the first answer. It goes on only if the model was refused for a reason of its own, in every
 * attempt: overloaded, unknown or not in the plan. So no answer is paid twice. Any other error is thrown; its `previous` has those before.
 *
 * @example
 * ```ts
 * const ask = (model: string) => c.chat().createSimple(undefined, model, 'Hello');
 * const reply = await firstModel(['glm-5.3', 'glm-5.3-flash'], ask);
 * console.log(reply.model);
 * ```
 */
export async function firstModel<T>(models: readonly string[], ask: (model: string) => Promise<T>): Promise<T> {
  if (!Array.isArray(models) || models.length === 0) throw validationError('firstModel', new Problem('models', 'must be a list of model ids'));
  const rest = [...models];
  let previous: unknown;
  for (let model = rest.shift() as string; ; model = rest.shift() as string) {
    try {
      return await ask(model);
    } catch (error) {
      const goesOn = rest.length > 0 && wasRefused(error);
      if (isModelsvcError(previous)) withPrevious(oldestOf(error), previous);
      if (!goesOn) throw error;
      previous = error;
    }
  }
}

/** True if the model, and nothing else, refused every attempt, without an answer that may be paid for. */
function wasRefused(error: unknown): boolean {
  if (!isApiError(error) || error.partial !== undefined || !(isOverload(error) || ofTheModel.test(error.code ?? ''))) return false;
  // The first answers of a tool loop are paid for, and its tools have run.
  if ((toolRun(error)?.modelCalls ?? 0) > 0) return false;
  for (let one = error.previous; one; one = one.previous) if (!isApiError(one) || one.partial !== undefined) return false;
  return true;
}

function oldestOf(error: unknown): unknown {
  let oldest = error;
  while (isModelsvcError(oldest) && oldest.previous) oldest = oldest.previous;
  return oldest;
}
