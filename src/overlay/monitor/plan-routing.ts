import { validationError } from '../errors/problem.ts';
import { fieldsOf, textOf } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { catalogueRow } from './model-info.ts';

/** The model that answered a call with the key of a plan, in addition to the one that was asked. */
export interface PlanRouting {
  readonly asked: string;
  /** `model` of the reply. Undefined if the reply has none. */
  readonly answered: string | undefined;
  /** The model with which the coding root answers for `asked`. Undefined if the catalogue does not have it. */
  readonly expected: string | undefined;
  /** Whether another model than `asked` answered, whatever the case of the letters. Undefined if the reply has no model. */
  readonly rerouted: boolean | undefined;
}

/**
 * Which model answered: a plan serves glm-5.3 and glm-5.3-flash, which answer for other models at their own credits. `reply` is from any
 * surface, or the first chunk of a stream.
 *
 * @example
 * ```ts
 * const reply = await c.chat().createSimple('glm-5.3', 'Hello', { effort: 'low' });
 * const { answered, rerouted } = planRouting('glm-5.3', reply);
 * console.log(answered, rerouted);
 * ```
 */
export function planRouting(asked: string, reply: object): PlanRouting {
  if (typeof asked !== 'string') throw validationError('planRouting', new Problem('asked', 'must be the name of a model'));
  const { model, message, response } = fieldsOf(reply);
  const answered = [model, fieldsOf(message)['model'], fieldsOf(response)['model']].map(textOf).find((name) => name !== '');
  return {
    asked,
    answered,
    expected: catalogueRow(asked.toLowerCase())?.plan_model,
    rerouted: answered === undefined ? undefined : answered.toLowerCase() !== asked.toLowerCase(),
  };
}
