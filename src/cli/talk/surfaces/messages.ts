// The Anthropic-style message surface.
import {
  type AnthropicMessage,
  type AnthropicMessageRequest,
  type AnthropicReply,
  type AnthropicStreamEvent,
  type AnthropicTool,
  answerOf,
  type Context,
  collecting,
} from 'modelsvc';
import type { JudgedAnswer } from 'modelsvc/types';
import { usageError } from '../../errors/exit.ts';
import { type Attachment, withTexts } from '../attachments.ts';
import { surfaceOf, type TalkSurface } from '../exchange.ts';
import { type Question, systemText, type WireMessage } from '../question.ts';

/** The message surface requires a limit. */
const defaultMaxTokens = 8192;

const search: AnthropicTool = { type: 'web_search_20260209', name: 'web_search' };

/** The vendor's client sends this header with its search. */
function searching(ctx: Context, { tools }: AnthropicMessageRequest): Context {
  return tools?.includes(search) ? { ...ctx, headers: { ...ctx.headers, 'anthropic-beta': 'code-execution-web-tools-2026-02-09' } } : ctx;
}

function messageRequest(question: Question): AnthropicMessageRequest {
  const { model, messages, temperature, topP, maxTokens = defaultMaxTokens, stop, thinks, effort, tools, searchEngine } = question;
  if (tools.length > 0 && searchEngine !== undefined) throw usageError('--tool and --web-search exclude each other here', 'Use `modelsvc chat`.');
  const system = systemText(question);
  return {
    model,
    max_tokens: maxTokens,
    messages: messages as readonly object[] as AnthropicMessage[],
    ...(system !== undefined && { system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop.length > 0 && { stop_sequences: [...stop] }),
    ...(thinks && { thinking: { type: 'enabled' } }),
    ...(effort !== undefined && { effort }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: { type: 'object', ...schema } })),
    }),
    ...(searchEngine !== undefined && { tools: [search] }),
  };
}

function userMessage(text: string, attachments: readonly Attachment[]): WireMessage {
  const content = withTexts(text, attachments);
  const blocks = attachments.flatMap((one) => (one.kind === 'text' ? [] : [block(one)]));
  if (blocks.length === 0) return { role: 'user', content };
  return { role: 'user', content: [...(content === '' ? [] : [{ type: 'text', text: content }]), ...blocks] };
}

function block({ kind, url }: Exclude<Attachment, { kind: 'text' }>): object {
  if (kind === 'video') throw usageError('--file: the message surface takes no videos', 'Use `modelsvc chat`.');
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: kind, source: data === undefined ? { type: 'url', url } : { type: 'base64', media_type, data } };
}

export const messageSurface: TalkSurface = surfaceOf<AnthropicMessageRequest, AnthropicStreamEvent, AnthropicReply>({
  name: 'messages',
  request: messageRequest,
  create: (client, ctx, request) => client.anthropic().create(searching(ctx, request), request),
  stream: (client, ctx, request) => collecting(client.anthropic().stream(searching(ctx, request), request)),
  createWithTools: (client, ctx, request, tools, onRound) => client.anthropic().runWithTools(searching(ctx, request), request, tools, { onRound }),
  streamWithTools: (client, ctx, request, tools, onRound) => client.anthropic().streamWithTools(searching(ctx, request), request, tools, { onRound }),
  userMessage,
  textBefore: pausedText,
});

/** The text of the messages that the service paused before this answer, in one turn of the model. */
function pausedText({ history }: JudgedAnswer, transcript: readonly WireMessage[]): string {
  // An answer with content is the last message of the transcript.
  const end = history.length === 0 ? transcript.length : transcript.findLastIndex(({ role }) => role === 'assistant');
  const before = transcript.slice(0, Math.max(0, end));
  const turn = before.slice(before.findLastIndex(({ role }) => role === 'user') + 1);
  return turn.map((message) => answerOf(message as object as AnthropicReply).text).join('');
}
