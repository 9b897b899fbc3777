import type { Effort } from '../../../generated/effort.ts';
import type { AnthropicMessage, AnthropicMessageBody } from '../../../generated/types.ts';
import { bodyOf, checkRoles, type Without } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { withCompatibleTools } from '../../tool-schema/index.ts';

/** A request on the message surface. Fields have their wire names; unknown ones that do not look misspelled are sent unchanged. */
export interface AnthropicMessageRequest extends Without<AnthropicMessageBody, 'stream'> {
  /** Leave it out: `stream()` streams, and `create` waits for the complete reply. */
  stream?: false | null | undefined;
  /**
   * How deep the model thinks. Translated to `thinking` and `output_config` as the model accepts them; `responseInfo` of the result has the
   * translation. Default: `max` on the glm-5.3 family, the most expensive. Do not combine it with those two fields.
   */
  effort?: Effort | null | undefined;
}

/** A message of one text block. */
export function anthropicTextMessage(role: 'user' | 'assistant' | 'system', text: string): AnthropicMessage {
  return { role, content: text };
}

/** The body of a request as it is sent, except for `effort`. Does not change the caller's objects. */
export function messageBody(
  request: AnthropicMessageRequest,
  schemaCompat: boolean,
  stream: boolean,
): AnthropicMessageBody & Pick<AnthropicMessageRequest, 'effort'> {
  const body = bodyOf(request, 'anthropic', stream);
  checkRoles(body.messages);
  return schemaCompat ? withCompatibleTools(body) : body;
}

/** A rule about two fields, which a schema cannot express. It applies to the vendor's hosts only. */
export function checkBudget(request: AnthropicMessageRequest | undefined): void {
  const { thinking, max_tokens: most = Number.NaN } = request ?? {};
  const budget = thinking?.budget_tokens;
  if (typeof budget === 'number' && budget >= most) throw new Problem('thinking.budget_tokens', `must be below max_tokens (${most})`);
}

/** A request for an answer in JSON: the surface has only its system prompt for that. */
export function jsonRequest(request: AnthropicMessageRequest, instructions: string): AnthropicMessageRequest {
  const { system } = request;
  if (Array.isArray(system)) return { ...request, system: [...system, { type: 'text', text: instructions }] };
  if ((system ?? '') !== '' && typeof system !== 'string') throw new Problem('system', 'must be a string or a list of blocks');
  return { ...request, system: system ? `${system as string}\n\n${instructions}` : instructions };
}
