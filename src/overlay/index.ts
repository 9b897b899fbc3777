export type { ErrorCategory } from '../generated/codes.ts';
export type * from '../generated/types.ts';
export type { AnthropicReply } from './anthropic-reply.ts';
export type { Bindings } from './bindings.ts';
export type { ChatJobRequest, ChatRequest, Message } from './chat-request.ts';
export { Client, newClient, newClientFromEnv } from './client.ts';
export { type Config, type Endpoints, type Region, RegionChina, RegionGlobal } from './config.ts';
export {
  FinishReasonLength,
  FinishReasonModelContextWindowExceeded,
  FinishReasonNetworkError,
  FinishReasonSensitive,
  FinishReasonStop,
  FinishReasonToolCalls,
  newFunctionTool,
  newJSONSchemaFormat,
  newRetrievalTool,
  newWebSearchTool,
  ToolMaxFunctions,
  ToolMaxRounds,
  ToolTypeFunction,
  ToolTypeRetrieval,
  ToolTypeWebSearch,
} from './constants.ts';
export { type CallContext, type Context, withHeaders, withMaxRetries, withModel, withService, withSignal, withTimeout } from './context.ts';
export {
  AbortError,
  ApiError,
  ConfigError,
  ConnectionError,
  isAbortError,
  isApiError,
  isConfigError,
  isConnectionError,
  isModelsvcError,
  isStreamError,
  isTaskError,
  isTimeoutError,
  isValidationError,
  ModelsvcError,
  StreamError,
  TaskError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
export type { Hook, RequestMeta, ResponseMeta } from './hooks.ts';
export { type ResponseInfo, responseInfo } from './info.ts';
export type { WaitOptions } from './poll.ts';
export type { AnthropicStreamEvent } from './protocols.ts';
export { Anthropic, type AnthropicMessageRequest, anthropicTextMessage } from './services/anthropic.ts';
export { Chat, type StreamCallback } from './services/chat.ts';
export type { EventStream } from './stream.ts';
export type { FetchLike } from './transport/fetch.ts';
export { version } from './version.ts';
