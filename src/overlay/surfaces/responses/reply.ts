import type { ResponsesFunctionCall, ResponsesResponse } from '../../../generated/types.ts';
import { fieldsOf, isFields, listOf, textOf, wholeArguments } from '../../json/json-value.ts';

/** A response with accessors. They are not enumerable, so `JSON.stringify` returns the wire body. */
export type ResponsesReply = ResponsesResponse & {
  /** The texts of the messages joined, without reasoning. */
  text(): string;
  /** The texts of the reasoning joined. */
  reasoning(): string;
  /** The calls of functions that the model requests. */
  toolCalls(): ResponsesFunctionCall[];
};

/** Adds the accessors, and brings the items into one form. */
export function withResponseAccessors(response: ResponsesResponse): ResponsesReply {
  mendItems(response.output);
  Object.defineProperties(response, {
    text: { value: () => itemText(response, 'message'), enumerable: false },
    reasoning: { value: () => itemText(response, 'reasoning'), enumerable: false },
    toolCalls: { value: () => listOf(response.output).filter(isCall), enumerable: false },
  });
  return response as ResponsesReply;
}

function isCall(item: unknown): item is ResponsesFunctionCall {
  return fieldsOf(item)['type'] === 'function_call';
}

/** The parts of all items of one kind, joined. */
export function itemText(response: unknown, type: 'message' | 'reasoning'): string {
  const items = listOf(fieldsOf(response)['output']).map(fieldsOf);
  return items.map((item) => (item['type'] === type ? partsText(item['content']) : '')).join('');
}

export function partsText(content: unknown): string {
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  return parts.map((part) => textOf(fieldsOf(part)['text'])).join('');
}

/** The vendor's description draws `content` as one object, and a call without arguments may have an empty text. */
export function mendItems(items: unknown): void {
  for (const item of listOf(items)) mendItem(item);
}

export function mendItem(item: unknown): void {
  if (!isFields(item)) return;
  const mended = item as Record<string, unknown>;
  if (isFields(item['content'])) mended['content'] = [item['content']];
  if (item['type'] === 'function_call' && item['status'] === 'completed' && typeof (item['arguments'] ?? '') === 'string')
    mended['arguments'] = wholeArguments(textOf(item['arguments']));
}
