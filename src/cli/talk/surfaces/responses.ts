// The Responses surface. Its conversation consists of items.
import { collecting, type ResponsesInputItem, type ResponsesReply, type ResponsesRequest } from 'modelsvc';
import type { ResponsesStreamEvent } from 'modelsvc/types';
import { usageError } from '../../errors/exit.ts';
import { type Attachment, withTexts } from '../attachments.ts';
import { surfaceOf, type TalkSurface } from '../exchange.ts';
import { type Question, systemText, type WireMessage } from '../question.ts';

function responsesRequest(question: Question): ResponsesRequest {
  const { model, messages, temperature, topP, maxTokens, stop, thinks, effort, format, tools, searchEngine } = question;
  const instructions = systemText(question);
  const declared = [
    ...tools.map(({ name, description, schema }) => ({ type: 'function', name, description, parameters: schema })),
    ...(searchEngine === undefined ? [] : [{ type: 'web_search' }]),
  ];
  return {
    model,
    input: messages as readonly object[] as ResponsesInputItem[],
    ...(instructions !== undefined && { instructions }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(stop.length > 0 && { stop: [...stop] }),
    // Every model of this surface that can think does so.
    ...(!thinks && effort !== undefined && { effort }),
    ...(format && { text: { format: { type: 'json_object' } } }),
    ...(declared.length > 0 && { tools: declared }),
  };
}

function userMessage(text: string, attachments: readonly Attachment[]): WireMessage {
  const content = withTexts(text, attachments);
  const parts = attachments.flatMap((one) => (one.kind === 'text' ? [] : [part(one)]));
  if (parts.length === 0) return { type: 'message', role: 'user', content };
  return { type: 'message', role: 'user', content: [...(content === '' ? [] : [{ type: 'input_text', text: content }]), ...parts] };
}

function part({ kind, url }: Exclude<Attachment, { kind: 'text' }>): object {
  if (kind === 'video') throw usageError('--file: the Responses surface takes no videos', 'Use `modelsvc chat`.');
  return kind === 'image'
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', [url.startsWith('data:') ? 'file_data' : 'file_url']: url };
}

export const responsesSurface: TalkSurface = surfaceOf<ResponsesRequest, ResponsesStreamEvent, ResponsesReply>({
  name: 'responses',
  request: responsesRequest,
  create: (client, ctx, request) => client.responses().create(ctx, request),
  stream: (client, ctx, request) => collecting(client.responses().stream(ctx, request)),
  createWithTools: (client, ctx, request, tools, onRound) => client.responses().runWithTools(ctx, request, tools, { onRound }),
  streamWithTools: (client, ctx, request, tools, onRound) => client.responses().streamWithTools(ctx, request, tools, { onRound }),
  userMessage,
});
