import type { Fields } from '../../overlay/json/json-value.ts';
import { doneFrame } from './chat-turn.ts';
import { eventFrame } from './message-turn.ts';
import { argumentsOf, callId, finishOf, piecesOf, type Turn, type TurnScene, tokensOf, wholeOf } from './turn.ts';

/** Reasons of incomplete responses by finish reason. Only the first has been captured. */
const reasons: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  sensitive: 'content_filter',
  network_error: 'network_error',
  model_context_window_exceeded: 'model_context_window_exceeded',
};

/** A turn as a complete response. */
export function responsesReply(turn: Turn, scene: TurnScene): Fields {
  const reason = reasons[finishOf(turn)];
  return {
    ...head(scene.id, scene.model, reason === undefined ? 'completed' : 'incomplete'),
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(turn, scene).map(({ whole }) => whole),
    usage: usageOf(turn, scene),
  };
}

/** A turn as the events of a response: created, in progress, each item with its parts, the terminal event, and `[DONE]`, as captured. */
export function responsesFrames(turn: Turn, scene: TurnScene): string[] {
  const events: Fields[] = [];
  const add = (type: string, fields: Fields): unknown => events.push({ type, sequence_number: events.length, ...fields });
  const begun = { ...head(scene.id, scene.model, 'in_progress'), output: [] };
  add('response.created', { response: begun });
  add('response.in_progress', { response: begun });
  for (const [index, { whole, start, deltas }] of itemsOf(turn, scene).entries()) {
    const at = { item_id: whole['id'], output_index: index };
    add('response.output_item.added', { output_index: index, item: start });
    for (const { type, ...fields } of deltas) add(String(type), { ...at, ...fields });
    add('response.output_item.done', { output_index: index, item: whole });
  }
  const response = responsesReply(turn, scene);
  add(`response.${String(response['status'])}`, { response });
  return [...events.map(eventFrame), doneFrame];
}

/** The events of a failure inside a stream. */
export function failedFrames(error: { readonly code: string; readonly message: string }, id: string): string[] {
  const response = { ...head(id, '', 'failed'), created_at: 0, error, output: [], usage: null };
  const failed = { type: 'response.failed', sequence_number: 0, response };
  return [eventFrame(failed), eventFrame({ type: 'error', sequence_number: 1, ...error, param: null }), doneFrame];
}

interface TurnItem {
  readonly whole: Fields;
  readonly start: Fields;
  /** The events between the start and the end of the item. */
  readonly deltas: readonly Fields[];
}

function itemsOf(turn: Turn, scene: TurnScene): TurnItem[] {
  const items: TurnItem[] = [];
  const reasoning = wholeOf(turn.reasoning);
  if (reasoning !== undefined)
    items.push(
      textItem({ id: `rs_resp_${scene.id}`, type: 'reasoning', summary: [] }, { type: 'reasoning_text' }, 'reasoning_text', piecesOf(turn.reasoning)),
    );
  const text = wholeOf(turn.text);
  if (text !== undefined) {
    const base = { id: `msg_resp_${scene.id}`, type: 'message', role: 'assistant' };
    items.push(textItem(base, { type: 'output_text', annotations: [] }, 'output_text', piecesOf(turn.text)));
  }
  for (const [index, call] of (turn.toolCalls ?? []).entries()) {
    const id = callId(call, index, scene);
    const base = { id: `fc_${id}`, type: 'function_call', call_id: id, name: call.name };
    const json = argumentsOf(call);
    items.push({
      whole: { ...base, status: 'completed', arguments: json },
      start: { ...base, status: 'in_progress', arguments: '' },
      deltas: [
        { type: 'response.function_call_arguments.delta', delta: json },
        { type: 'response.function_call_arguments.done', arguments: json },
      ],
    });
  }
  return items;
}

function textItem(base: Fields, part: Fields, kind: string, pieces: readonly string[]): TurnItem {
  const text = pieces.join('');
  const whole = { ...part, text };
  return {
    whole: { ...base, status: 'completed', content: [whole] },
    start: { ...base, status: 'in_progress', content: [] },
    deltas: [
      { type: 'response.content_part.added', part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: `response.${kind}.delta`, delta })),
      { type: `response.${kind}.done`, text },
      { type: 'response.content_part.done', part: whole },
    ].map((event) => ({ ...event, content_index: 0 })),
  };
}

function head(id: string, model: string, status: string): Fields {
  return { id: `resp_${id}`, object: 'response', created_at: Math.floor(Date.now() / 1000), model, status };
}

function usageOf(turn: Turn, scene: TurnScene): Fields {
  const { input, cached = 0, output } = tokensOf(turn, scene);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: turn.usage?.output === undefined ? (scene.thought ?? 0) : 0 },
    total_tokens: input + output,
  };
}
