// Prompts as the model reads them: without dropped thought, and partly from the cache.
import type { Route } from '../../generated/routes.ts';
import { argumentsText, type Fields, fieldsOf, isFields, listOf } from '../../overlay/json/json-value.ts';
import type { PromptTokens } from '../replies/turn.ts';
import { servedModel } from '../requests/effort.ts';
import { inputItems } from '../requests/input-items.ts';
import type { FakeRequest } from '../requests/request.ts';

/** The service caches prompts of about this many tokens and more. Shorter ones are not counted either. */
const leastCached = 500;
const charactersPerToken = 4;
/** More than the largest context. A test of the client's limits sends such bodies, and must not wait for the fake. */
const mostBytes = 4_000_000;
/** Prompts to remember for each key and model. */
const mostPrompts = 8;

/** Number of earlier messages whose thought the service drops: on chat all of them, except on the coding root and with `clear_thinking: false`. */
export function droppedThoughts(route: Route | undefined, { root, body }: Pick<FakeRequest, 'root' | 'body'>): number {
  if (route?.surface !== 'chat' || root === 'coding') return 0;
  const { messages, thinking } = fieldsOf(body);
  return fieldsOf(thinking)['clear_thinking'] === false ? 0 : listOf(messages).filter(hasThought).length;
}

/** Remembers the prompts of each key and model, as the implicit cache of the service does. */
export class PromptCache {
  readonly #seen = new Map<string, string[]>();

  clear(): void {
    this.#seen.clear();
  }

  /**
   * The tokens of a request's prompt, which is cached from now on. `history` has the items of the responses that the request continues.
   * Undefined for a prompt that is short, or beyond every context.
   */
  read(route: Route, request: FakeRequest, history: readonly unknown[]): PromptTokens | undefined {
    if (request.bytes.length > mostBytes) return undefined;
    const prompt = promptOf(request, history);
    const input = Math.ceil(prompt.length / charactersPerToken);
    if (input < leastCached) return undefined;
    const key = `${request.headers['authorization']} ${servedModel(request)} ${route.surface}`;
    const seen = this.#seen.get(key) ?? [];
    const cached = Math.floor(Math.max(0, ...seen.map((earlier) => commonLength(earlier, prompt))) / charactersPerToken);
    this.#seen.set(key, [...seen, prompt].slice(-mostPrompts));
    return { input, cached: cached < leastCached ? 0 : cached };
  }
}

/** Tools, system prompt and messages or items, one a line: an entry that is added at the end leaves the text before it as it was. */
function promptOf({ body, droppedThoughts: dropped }: FakeRequest, history: readonly unknown[]): string {
  const { tools, system, instructions, messages, input } = fieldsOf(body);
  const kept = listOf(messages).map((message) => (dropped > 0 && hasThought(message) ? { ...message, reasoning_content: undefined } : message));
  return [...listOf(tools), system ?? instructions ?? '', ...kept, ...history, ...inputItems(input)].map(argumentsText).join('\n');
}

function hasThought(message: unknown): message is Fields {
  return isFields(message) && (message['reasoning_content'] ?? '') !== '';
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
