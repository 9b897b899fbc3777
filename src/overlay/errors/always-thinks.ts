import { fieldsOf, jsonOrUndefined } from '../json/json-value.ts';
import type { Envelope } from './envelope.ts';

/** In English and Chinese. */
const refusal = /always engages in thinking|始终思考/;

/**
 * Advice for the refusal of thinking by a model that always thinks: the service's text does not name the field. Undefined for another failure.
 * `body` is the request as it was sent.
 */
export function alwaysThinksAdvice({ code, message }: Envelope, body: string | undefined): string | undefined {
  if (code !== '1210' || !refusal.test(message)) return undefined;
  return `Replace ${refusedField(body)} with effort, for instance effort: 'low'. Behind a gateway, also set serviceRules: true.`;
}

function refusedField(body: string | undefined): string {
  const { thinking, reasoning_effort: word, output_config: config } = fieldsOf(jsonOrUndefined(body ?? ''));
  const type = fieldsOf(thinking)['type'] ?? 'enabled';
  if (type !== 'enabled' && type !== 'adaptive') return 'thinking.type';
  if (fieldsOf(config)['effort'] !== undefined) return 'output_config.effort';
  if (word !== undefined) return 'reasoning_effort';
  return thinking === undefined ? 'thinking or reasoning_effort' : 'thinking.type';
}
