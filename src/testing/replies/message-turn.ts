import type { Fields } from '../../overlay/json/json-value.ts';
import { argumentsOf, callId, finishOf, piecesOf, type Turn, type TurnScene, tokensOf, wholeOf } from './turn.ts';

const stopReasons: Readonly<Record<string, string>> = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', sensitive: 'refusal' };

/** A turn as a complete message. */
export function messageReply(turn: Turn, scene: TurnScene): object {
  return {
    ...head(scene),
    content: blocksOf(turn, scene).map((block) => block.whole),
    stop_reason: stopReason(turn),
    stop_sequence: null,
    usage: usageOf(turn, scene),
  };
}

/** A turn as the frames of a message stream: start, ping, each block, delta with the final usage, stop. */
export function messageFrames(turn: Turn, scene: TurnScene): string[] {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const frames = [
    eventFrame({ type: 'message_start', message: { ...head(scene), content: [], stop_reason: null, stop_sequence: null, usage } }),
    eventFrame({ type: 'ping' }),
  ];
  for (const [index, block] of blocksOf(turn, scene).entries()) {
    frames.push(eventFrame({ type: 'content_block_start', index, content_block: block.start }));
    for (const delta of block.deltas) frames.push(eventFrame({ type: 'content_block_delta', index, delta }));
    frames.push(eventFrame({ type: 'content_block_stop', index }));
  }
  frames.push(eventFrame({ type: 'message_delta', delta: { stop_reason: stopReason(turn), stop_sequence: null }, usage: usageOf(turn, scene) }));
  frames.push(eventFrame({ type: 'message_stop' }));
  return frames;
}

/** One frame of a message stream. The event name is the `type` of the payload. */
export function eventFrame(payload: Fields): string {
  return `event: ${String(payload['type'])}\ndata: ${JSON.stringify(payload)}\n\n`;
}

interface MessageBlock {
  readonly whole: Fields;
  readonly start: Fields;
  readonly deltas: readonly Fields[];
}

function blocksOf(turn: Turn, scene: TurnScene): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  const thinking = wholeOf(turn.reasoning);
  if (thinking !== undefined) {
    const signature = 'fake-signature';
    const deltas = piecesOf(turn.reasoning).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    blocks.push({
      whole: { type: 'thinking', thinking, signature },
      start: { type: 'thinking', thinking: '' },
      deltas: [...deltas, { type: 'signature_delta', signature }],
    });
  }
  const pages = turn.webSearch?.map(({ title, link }) => ({ title, url: link }));
  if (pages) blocks.push(...searchBlocks(pages, scene));
  const text = wholeOf(turn.text);
  if (text !== undefined) {
    const citations = pages?.map((page) => ({ type: 'web_search_result_location', ...page, cited_text: text, encrypted_index: 'ZmFrZQ==' }));
    blocks.push({
      whole: { type: 'text', text, ...(citations && { citations }) },
      start: { type: 'text', text: '', ...(citations && { citations: [] }) },
      deltas: [
        ...(citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
        ...piecesOf(turn.text).map((piece) => ({ type: 'text_delta', text: piece })),
      ],
    });
  }
  for (const [index, call] of (turn.toolCalls ?? []).entries()) {
    const start = { type: 'tool_use', id: callId(call, index, scene), name: call.name };
    const json = argumentsOf(call);
    blocks.push({
      whole: { ...start, input: inputOf(json) },
      start: { ...start, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: json }],
    });
  }
  return blocks;
}

/** A search that the service ran: its call and its result. */
function searchBlocks(pages: readonly Fields[], { id }: TurnScene): MessageBlock[] {
  const call = { type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search' };
  const input = { query: 'fake query' };
  const content = pages.map((page) => ({ type: 'web_search_result', ...page, page_age: null, encrypted_content: 'ZmFrZQ==' }));
  const result = { type: 'web_search_tool_result', tool_use_id: call.id, content };
  return [
    { whole: { ...call, input }, start: { ...call, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] },
    { whole: result, start: result, deltas: [] },
  ];
}

function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function stopReason(turn: Turn): string {
  const finish = finishOf(turn);
  return stopReasons[finish] ?? finish;
}

function head(scene: TurnScene): Fields {
  return { id: `msg_${scene.id}`, type: 'message', role: 'assistant', model: scene.model };
}

function usageOf(turn: Turn, scene: TurnScene): Fields {
  const { input, cached = 0, output } = tokensOf(turn, scene);
  return {
    input_tokens: input - cached,
    output_tokens: output,
    cache_read_input_tokens: cached,
    server_tool_use: { web_search_requests: turn.webSearch ? 1 : 0 },
    service_tier: 'standard',
  };
}
