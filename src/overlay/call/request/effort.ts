import type { EffortSurface } from '../../../generated/effort.ts';
import { roots } from '../../../generated/routes.ts';
import { modelFacts } from '../../errors/model-family.ts';
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
function servedModel(model: unknown, { root, isVendor }: Endpoint, { models }: EffortSettings): ServedModel {
  const facts = isVendor && typeof model === 'string' ? modelFacts(model, models) : undefined;
  if (!facts) return { name: '', facts };
  const plan = codingRoots.includes(root) ? facts.plan_model : undefined;
  if (plan === undefined || plan === model) return { name: String(model), facts };
  return { name: `${plan}, which answers for ${model} on the coding root,`, facts: modelFacts(plan, models) ?? facts };
}
