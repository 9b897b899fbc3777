import { type EffortFacts, type EffortSurface, effortFacts } from '../../../generated/effort.ts';
import { roots } from '../../../generated/routes.ts';
import { type ServedModel, type Translated, translated } from '../../surfaces/effort.ts';
import type { Endpoint } from '../settings/endpoints.ts';
import type { Settings } from '../settings/settings.ts';

/** Replaces `effort` of a body by the fields that its model accepts at the root of the surface. `root` is another root of the same host. */
export function withEffort(body: Record<string, unknown>, surface: EffortSurface, settings: EffortSettings, root?: string): Translated {
  const endpoint = settings.endpoints[surface];
  return translated(body, surface, () => servedModel(body['model'], { ...endpoint, ...(root && { root }) }, settings));
}

/** The settings that decide the translation. */
export type EffortSettings = Pick<Settings, 'endpoints' | 'models'>;

const codingRoots: readonly string[] = Object.values(roots.coding);

/** Other hosts have models of their own under the same ids. */
function servedModel(model: unknown, { root, isVendor }: Endpoint, settings: EffortSettings): ServedModel {
  const facts = isVendor && typeof model === 'string' ? modelFacts(settings, model) : undefined;
  if (!facts) return { name: '', facts };
  const plan = codingRoots.includes(root) ? facts.plan_model : undefined;
  if (plan === undefined || plan === model) return { name: String(model), facts };
  return { name: `${plan}, which answers for ${model} on the coding root,`, facts: modelFacts(settings, plan) ?? facts };
}

/** The columns of the model's row in `Config.models`, in place of the built-in ones. A variant without a row has the thinking of its family. */
export function modelFacts({ models }: EffortSettings, model: string): EffortFacts | undefined {
  const rowOf = (id: string): EffortFacts | undefined => {
    const builtIn = Object.hasOwn(effortFacts, id) ? effortFacts[id] : undefined;
    const given = models.get(id);
    return given ? { ...builtIn, ...given } : builtIn;
  };
  const own = rowOf(model);
  if (own) return own;
  const row = rowOf(familyOf(model, [...Object.keys(effortFacts), ...models.keys()]));
  if (!row) return undefined;
  const { plan_model: _, ...facts } = row;
  return facts;
}

/** The longest of the known ids that a model without a row begins with, in any case: `glm-5.3` for `GLM-5.3-fast`. Empty for none. */
export function familyOf(model: string, ids: readonly string[]): string {
  const name = model.toLowerCase();
  const isOf = (id: string): boolean => id !== '' && name.startsWith(id.toLowerCase()) && /^(?![^-.:[])/.test(name.slice(id.length));
  return ids.reduce((found, id) => (id.length > found.length && isOf(id) ? id : found), '');
}
