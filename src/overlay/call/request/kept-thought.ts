import { roots } from '../../../generated/routes.ts';
import { isFields } from '../../errors/json-value.ts';
import { modelFacts } from '../../errors/model-family.ts';
import type { EffortSettings } from './effort.ts';

type Body = Record<string, unknown>;

/** The roots that drop the `reasoning_content` of earlier turns unless a request asks for it. The coding roots keep it. */
const droppingRoots: readonly string[] = Object.values(roots.chat);

/**
 * The chat body of a tool loop, with the wish to keep earlier thought where the service would drop it. A `clear_thinking` of the body wins, and
 * so does thinking that is off.
 */
export function withKeptThought(body: Body, settings: EffortSettings): Body {
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
