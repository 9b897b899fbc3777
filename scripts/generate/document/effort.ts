import { evidenceWords, mapOf } from './shape.ts';
import type { JsonObject } from './source.ts';

const text: JsonObject = { type: 'string', minLength: 1 };
const send: JsonObject = { type: 'object' };
const wish = mapOf(['send'], { send, why: text });
const wishes = mapOf(['off', 'depth'], { off: wish, depth: wish, max: wish });
const plainWish = mapOf(['send'], { send });
const plain = mapOf(['off', 'depth'], { off: plainWish, depth: plainWish });
const budget: JsonObject = { type: 'integer', minimum: 1024 };
const of = mapOf(['thinking'], { thinking: { enum: ['always', 'switchable', 'none'] }, effort: { const: true }, family: text });

/** The form of the section `effort` of the model file. */
export const effortShape: JsonObject = mapOf(['evidence', 'source', 'words', 'budgets', 'nearest', 'plain', 'classes'], {
  evidence: { enum: evidenceWords },
  source: { type: 'array', items: text, minItems: 1 },
  disputed: { type: 'array', items: text },
  words: { type: 'array', items: text, minItems: 1, uniqueItems: true },
  budgets: mapOf(['low', 'medium', 'high', 'max'], { low: budget, medium: budget, high: budget, max: budget }),
  nearest: text,
  plain: mapOf(['chat', 'messages', 'responses'], { chat: plain, messages: plain, responses: plain }),
  classes: { type: 'array', items: mapOf(['of', 'chat', 'messages', 'responses'], { of, chat: wishes, messages: wishes, responses: wishes }) },
});
