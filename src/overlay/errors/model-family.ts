import { type EffortFacts, effortFacts } from '../../generated/effort.ts';

/**
 * The columns of the model's row; those in `own` replace the built-in ones. A model without thinking of its own has its family's,
 * and not the model that answers for it on a plan.
 */
export function modelFacts(model: string, own?: ReadonlyMap<string, EffortFacts>): EffortFacts | undefined {
  const rowOf = (id: string): EffortFacts | undefined => {
    const builtIn = Object.hasOwn(effortFacts, id) ? effortFacts[id] : undefined;
    const given = own?.get(id);
    return given ? { ...builtIn, ...given } : builtIn;
  };
  const row = rowOf(model);
  if (row?.thinking) return row;
  const family = rowOf(familyOf(model, [...Object.keys(effortFacts), ...(own?.keys() ?? [])]));
  return family || row ? { ...family, plan_model: undefined, ...row } : undefined;
}

/** The longest of the other ids that this one begins with, in any case: `glm-5.3` for `GLM-5.3-fast`. Empty if there is none. */
export function familyOf(model: string, ids: readonly string[]): string {
  const name = model.toLowerCase();
  const isOf = (id: string): boolean => id !== model && name.startsWith(id.toLowerCase()) && /^(?![^-.:[])/.test(name.slice(id.length));
  return ids.reduce((found, id) => (id.length > found.length && isOf(id) ? id : found), '');
}
