// One small answer on each surface, whole and as a stream: the operations, their fields, and defaults that a reply shows.
import type { ReplyFields } from '../reply.ts';
import { answersOnPath, framesOf, isSuccess, type Places, replyClaims, stated, valuesAt } from './judges.ts';
import { bothKeys, type ClaimProbe, type ClaimSource, chatPath, hello, holds, type Judge, messagesPath, responsesPath } from './probe.ts';

const chatPlaces: Places = { ChatResponse: '', ChatChoice: 'choices[]', ChatResponseMessage: 'choices[].message', ChatUsage: 'usage' };
const tokenPlaces: Places = {
  ChatPromptTokensDetails: 'usage.prompt_tokens_details',
  ChatCompletionTokensDetails: 'usage.completion_tokens_details',
};
const messagePlaces: Places = {
  AnthropicMessageResponse: '',
  AnthropicUsage: 'usage',
  AnthropicResponseText: 'content[]',
  AnthropicCacheCreation: 'usage.cache_creation',
  AnthropicServerToolUse: 'usage.server_tool_use',
};
const responsesPlaces: Places = {
  ResponsesResponse: '',
  ResponsesUsage: 'usage',
  ResponsesInputTokensDetails: 'usage.input_tokens_details',
  ResponsesOutputTokensDetails: 'usage.output_tokens_details',
};

/** A request without `stream` gets JSON. */
const isWhole = (): Judge => (reply, words) => {
  if (reply.frames.length > 0) return { verdict: 'differs', expected: 'JSON', seen: 'a stream' };
  return isSuccess(reply) ? holds : { verdict: 'unreachable', why: `the service answers with ${words.failure(reply)}` };
};

export function talkProbes(source: ClaimSource): ClaimProbe[] {
  const { model } = source;
  const work = { model, output: 16 };
  const chat: ReplyFields = { model, messages: hello, max_tokens: 16 };
  const responses: ReplyFields = { model, input: 'Hi', max_output_tokens: 16 };
  return [
    {
      name: 'chat',
      method: 'POST',
      template: chatPath,
      body: chat,
      keys: bothKeys,
      work,
      judges: [
        ...source.judged(['operation:chat.create', answersOnPath], ['default:ChatRequest.stream', isWhole]),
        ...replyClaims(source, { ...chatPlaces, ...tokenPlaces }),
      ],
    },
    {
      name: 'chat stream',
      method: 'POST',
      template: chatPath,
      body: { ...chat, stream: true },
      keys: bothKeys,
      work,
      judges: replyClaims(source, { ChatChunk: '', ChatChunkChoice: 'choices[]', ChatDelta: 'choices[].delta' }, { from: framesOf }),
    },
    {
      name: 'messages',
      method: 'POST',
      template: messagesPath,
      body: chat,
      keys: bothKeys,
      work,
      judges: [
        ...source.judged(['operation:anthropic.create', answersOnPath], ['default:AnthropicMessageRequest.stream', isWhole]),
        ...replyClaims(source, messagePlaces),
      ],
    },
    {
      name: 'responses',
      method: 'POST',
      template: responsesPath,
      body: responses,
      keys: bothKeys,
      work,
      judges: [
        ...source.judged(['operation:responses.create', answersOnPath], ['default:ResponsesRequest.stream', isWhole]),
        ...statedDefaults(source),
        ...replyClaims(source, responsesPlaces),
      ],
    },
    {
      name: 'messages count_tokens',
      method: 'POST',
      template: '/v1/messages/count_tokens',
      body: { model, messages: hello },
      keys: bothKeys,
      judges: [...source.judged(['operation:anthropic.countTokens', answersOnPath]), ...replyClaims(source, { AnthropicTokenCount: '' })],
    },
    {
      name: 'tokenizer',
      method: 'POST',
      template: '/tokenizer',
      body: { model, messages: hello },
      judges: [
        ...source.judged(['operation:tools.tokenize', answersOnPath]),
        ...replyClaims(source, { TokenizeResponse: '', TokenizeUsage: 'usage' }),
      ],
    },
  ];
}

/** A response repeats fields of its request, with their defaults. */
function statedDefaults(source: ClaimSource): ClaimProbe['judges'] {
  return source.matching(/^default:Responses(?:Request|Reasoning|TextFormat)\.(\w+)$/).flatMap(({ claim, parts: [field = ''] }) => {
    if (field === 'stream') return [];
    const above = claim.id.includes('Reasoning') ? ['reasoning'] : claim.id.includes('TextFormat') ? ['text', 'format'] : [];
    return [{ claim, judge: stated([...above, field])(claim) }];
  });
}

/** Reads that are free, and show the fields of their replies. */
export function readProbes(source: ClaimSource): ClaimProbe[] {
  const range = '?startTime=2026-11-01%2000:00:00&endTime=2026-11-02%2000:00:00';
  const reads: readonly (readonly [operation: string, template: string, places: Places, query?: string])[] = [
    ['models.list', '/models', { ModelList: '', Model: 'data[]' }],
    [
      'quota.getLimit',
      '/usage/quota/limit',
      { QuotaResponse: '', Quota: 'data', QuotaLimit: 'data.limits[]', QuotaUsageDetail: 'data.limits[].usageDetails[]' },
    ],
    ['quota.getModelUsage', '/usage/model-usage', { ModelUsageResponse: '', ModelUsage: 'data', ModelUsageTotal: 'data.totalUsage' }, range],
    ['quota.getToolUsage', '/usage/tool-usage', { ToolUsageResponse: '', ToolUsage: 'data', ToolUsageTotal: 'data.totalUsage' }, range],
    ['account.info', '/account/info', { AccountInfoResponse: '' }],
    ['account.status', '/account/status', { AccountStatusResponse: '' }],
    ['account.subscriptions', '/subscription/list', { SubscriptionListResponse: '', Subscription: 'data[]' }],
    ['voice.list', '/voice/list', { VoiceList: '', Voice: 'voice_list[]' }],
    ['files.list', '/files', { FileList: '', FileObject: 'data[]' }, '?purpose=batch'],
    ['batch.list', '/batches', { BatchList: '', Batch: 'data[]' }],
  ];
  return reads.map(([operation, template, places, query = '']) => ({
    name: operation,
    method: 'GET',
    template,
    path: template + query,
    judges: [
      ...source.judged([`operation:${operation}`, answersOnPath]),
      ...replyClaims(source, places),
      ...(operation === 'models.list' ? listed(source) : []),
    ],
  }));
}

/** The models whose claim comes from the list of models. */
function listed(source: ClaimSource): ClaimProbe['judges'] {
  return source.matching(/^model:/).flatMap(({ claim }) => {
    if (!claim.place.endsWith(`/models/${claim.id.slice('model:'.length)}`) || !isListed(claim.source)) return [];
    const id = claim.id.slice('model:'.length);
    const judge: Judge = (reply, words) => {
      const ids = new Set(valuesAt(reply.body, ['data[]', 'id']));
      if (!isSuccess(reply)) return { verdict: 'differs', expected: 'a list of models', seen: words.failure(reply) };
      return ids.has(id) ? holds : { verdict: 'differs', expected: 'in the list of models', seen: 'not in it' };
    };
    return [{ claim, judge }];
  });
}

export function isListed(sources: readonly string[]): boolean {
  return sources.some((text) => /^(?:recorded|live) list /.test(text));
}
