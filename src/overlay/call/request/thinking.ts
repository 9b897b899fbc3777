import type { EffortSurface } from '../../../generated/effort.ts';
import { roots } from '../../../generated/routes.ts';
import type { ChatBody } from '../../../generated/types.ts';
import { modelFacts } from '../../errors/model-family.ts';
import { isFields } from '../../json/json-value.ts';
import { checkUserTexts } from '../../surfaces/blank-text.ts';
import { type ServedModel, type Translated, translated } from '../../surfaces/effort.ts';
import type { Endpoint } from '../settings/endpoints.ts';
import type { Settings } from '../settings/settings.ts';
import { inServiceWords, type Note } from './service-words.ts';

/**
 * The body in the words of the service, with `effort` replaced by the fields that its model accepts at the root of the surface. `root` is another
 * root of the same host. Throws for a blank text of a user at the hosts of the service, which refuse it.
 */
export function withEffort<Body extends { readonly effort?: unknown; readonly model?: unknown }>(
  given: Body,
  surface: EffortSurface,
  settings: EffortSettings,
  root?: string,
): Translated<Body> & { readonly notes: readonly Note[] } {
  const endpoint = settings.endpoints[surface];
  if (endpoint.isVendor) checkUserTexts(given);
  const { body, notes } = inServiceWords(given, surface, endpoint, settings);
  const one = translated(body, surface, () => servedModel(body.model, { ...endpoint, ...(root && { root }) }, settings));
  return { ...one, notes };
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

/** The roots that drop the `reasoning_content` of earlier turns unless a request asks for it. The coding roots keep it. */
const droppingRoots: readonly string[] = Object.values(roots.chat);

/**
 * The chat body of a tool loop, with the wish to keep earlier thought where the service would drop it. A `clear_thinking` of the body wins, and
 * so does thinking that is off.
 */
export function withKeptThought(body: ChatBody, settings: EffortSettings): ChatBody {
  const { model, thinking, reasoning_effort: effort } = body;
  if (!droppingRoots.includes(settings.endpoints.chat.root) || typeof model !== 'string' || !knowsClearThinking(model, settings)) return body;
  if (effort === 'none' || effort === 'minimal') return body;
  const given = thinking ?? { type: 'enabled' };
  if (!isFields(given) || given['type'] === 'disabled' || (given['clear_thinking'] ?? undefined) !== undefined) return body;
  return { ...body, thinking: { ...given, clear_thinking: false } };
}

/** The thought of models that always think without efforts, as glm-4.1v-thinking does, is part of their content. */
function knowsClearThinking(model: string, settings: EffortSettings): boolean {
  const { thinking, effort = [] } = modelFacts(model, settings.models) ?? {};
  return thinking === 'switchable' || (thinking === 'always' && effort.length > 0);
}
