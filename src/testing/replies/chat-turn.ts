import type { ChatChunk, ChatDelta, ChatResponse, ToolCallDelta, WebSearchSource } from '../../generated/types.ts';
import { argumentsOf, callId, finishOf, piecesOf, type Turn, type TurnScene, tokensOf, wholeOf } from './turn.ts';

/** The end of a chat stream. */
export const doneFrame = 'data: [DONE]\n\n';

/** A turn as a complete chat reply. */
export function chatReply(turn: Turn, scene: TurnScene): ChatResponse {
  const reasoning = wholeOf(turn.reasoning);
  const content = wholeOf(turn.text) ?? (turn.toolCalls ? null : '');
  const calls = turn.toolCalls?.map((call, index) => ({
    id: callId(call, index, scene),
    type: 'function' as const,
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const message = {
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls ? { tool_calls: calls } : {}),
  };
  return {
    ...head(scene, 'chat.completion'),
    request_id: scene.id,
    choices: [{ index: 0, finish_reason: finishOf(turn), message }],
    usage: usageOf(turn, scene),
    ...searchOf(turn),
  };
}

/** A turn as the frames of a chat stream. Recorded order: reasoning, text, tool calls, finish reason with usage, `[DONE]`. */
export function chatFrames(turn: Turn, scene: TurnScene): string[] {
  const chunks: ChatChunk[] = [];
  const add = (delta: ChatDelta): unknown =>
    chunks.push({ ...head(scene, 'chat.completion.chunk'), choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] });
  for (const piece of piecesOf(turn.reasoning)) add({ reasoning_content: piece });
  for (const piece of piecesOf(turn.text)) add({ content: piece });
  for (const delta of toolDeltas(turn, scene)) add({ tool_calls: [delta] });
  chunks.push({
    ...head(scene, 'chat.completion.chunk'),
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: finishOf(turn) }],
    usage: usageOf(turn, scene),
    ...searchOf(turn),
  });
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), doneFrame];
}

function toolDeltas(turn: Turn, scene: TurnScene): ToolCallDelta[] {
  return (turn.toolCalls ?? []).flatMap((call, index): ToolCallDelta[] => {
    const text = argumentsOf(call);
    const first = { index, id: callId(call, index, scene), type: 'function' };
    if (!scene.toolStream) return [{ ...first, function: { name: call.name, arguments: text } }];
    const pieces = text.match(/[\s\S]{1,8}/g) ?? [];
    return [{ ...first, function: { name: call.name, arguments: '' } }, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))];
  });
}

function head(scene: TurnScene, object: string): { id: string; object: string; created: number; model: string } {
  return { id: scene.id, object, created: Math.floor(Date.now() / 1000), model: scene.model };
}

function usageOf(turn: Turn, scene: TurnScene): NonNullable<ChatResponse['usage']> {
  const { input, cached, output } = tokensOf(turn, scene);
  const { thought } = scene;
  const details = thought !== undefined && turn.usage?.output === undefined && { completion_tokens_details: { reasoning_tokens: thought } };
  const read = cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...read, ...details };
}

function searchOf(turn: Turn): Pick<ChatResponse, 'web_search'> {
  return turn.webSearch ? { web_search: turn.webSearch as readonly object[] as WebSearchSource[] } : {};
}
