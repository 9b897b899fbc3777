// The chat surface.
import { type ChatChunk, type ChatRequest, type ChatResponse, collecting, type Message, newFunctionTool, type Tool } from 'modelsvc';
import { type Attachment, withTexts } from '../attachments.ts';
import { surfaceOf, type TalkSurface } from '../exchange.ts';
import { type Question, systemText, type WireMessage } from '../question.ts';

/** The request of a question, for `create`, `stream` and `createAsync`. */
export function chatRequest(question: Question): ChatRequest {
  const { model, messages, temperature, topP, maxTokens, stop, thinks, effort, format, tools, searchEngine } = question;
  const system = systemText(question);
  const declared = [
    ...tools.map(({ name, description, schema }) => newFunctionTool(name, description, schema)),
    ...(searchEngine === undefined ? [] : [webSearch(searchEngine)]),
  ];
  return {
    model,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...(messages as readonly Message[])],
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stop.length > 0 && { stop: [...stop] }),
    ...(thinks && { thinking: { type: 'enabled' } }),
    ...(effort !== undefined && { effort }),
    ...(format && { response_format: { type: 'json_object' } }),
    ...(declared.length > 0 && { tools: declared }),
  };
}

function webSearch(engine: string): Tool {
  return { type: 'web_search', web_search: { enable: true, search_engine: engine, search_result: true } };
}

const kinds = { image: 'image_url', video: 'video_url', document: 'file_url' } as const;

function userMessage(text: string, attachments: readonly Attachment[]): WireMessage {
  const content = withTexts(text, attachments);
  const parts = attachments.flatMap((one) => (one.kind === 'text' ? [] : [{ type: kinds[one.kind], [kinds[one.kind]]: { url: one.url } }]));
  if (parts.length === 0) return { role: 'user', content };
  return { role: 'user', content: [...(content === '' ? [] : [{ type: 'text', text: content }]), ...parts] };
}

export const chatSurface: TalkSurface = surfaceOf<ChatRequest, ChatChunk, ChatResponse>({
  name: 'chat',
  request: chatRequest,
  create: (client, ctx, request) => client.chat().create(ctx, request),
  stream: (client, ctx, request) => collecting(client.chat().stream(ctx, request)),
  createWithTools: (client, ctx, request, tools, onRound) => client.chat().runWithTools(ctx, request, tools, { onRound }),
  streamWithTools: (client, ctx, request, tools, onRound) => client.chat().streamWithTools(ctx, request, tools, { onRound }),
  userMessage,
});
