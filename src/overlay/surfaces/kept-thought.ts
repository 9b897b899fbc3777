import type { EffortFacts } from '../../generated/effort.ts';
import { roots } from '../../generated/routes.ts';
import { isFields } from '../errors/json-value.ts';

type Body = Record<string, unknown>;

/** The roots that drop the `reasoning_content` of earlier turns unless a request asks for it. The coding roots keep it. */
const droppingRoots: readonly string[] = Object.values(roots.chat);

/**
 * The chat body of a tool loop, with the wish to keep earlier thought where the service would drop it. A `clear_thinking` of the body wins, and
 * so does thinking that is off.
 */
export function withKeptThought(body: Body, root: string, facts: EffortFacts = {}): Body {
  const { thinking, reasoning_effort: effort } = body;
  // The description gives the field to glm-4.5 and later. The thought of glm-4.1v-thinking, which has no efforts, is in its content.
  const isKnown = facts.thinking === 'switchable' || (facts.thinking === 'always' && facts.effort !== undefined);
  if (!droppingRoots.includes(root) || !isKnown) return body;
  if (effort === 'none' || effort === 'minimal') return body;
  const given = thinking ?? { type: 'enabled' };
  if (!isFields(given) || given['type'] === 'disabled' || (given['clear_thinking'] ?? undefined) !== undefined) return body;
  return { ...body, thinking: { ...given, clear_thinking: false } };
}
