export type { ErrorCategory } from '../generated/codes.ts';
export type * from '../generated/types.ts';
export { ChatAccumulator, collectChat } from './accumulate/chat-assembly.ts';
export { collectMessage, MessageAccumulator } from './accumulate/message-assembly.ts';
export type { AnthropicReply } from './anthropic-reply.ts';
export type { BatchRequest } from './batch-input.ts';
export type { BatchResult } from './batch-output.ts';
export { type BatchCounts, batchCounts } from './batch-state.ts';
export type { BinaryReply } from './binary.ts';
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
  isAbortError,
  isApiError,
  isConfigError,
  isConnectionError,
  isFinishError,
  isModelsvcError,
  isOutputError,
  isStreamError,
  isTaskError,
  isTimeoutError,
  isToolLoopError,
  isValidationError,
} from './error-guards.ts';
export {
  AbortError,
  ApiError,
  ConfigError,
  ConnectionError,
  FinishError,
  ModelsvcError,
  OutputError,
  type OutputProblem,
  StreamError,
  TaskError,
  TimeoutError,
  ToolLoopError,
  ValidationError,
} from './errors.ts';
export { finishError } from './finish.ts';
export type { Hook, RequestMeta, ResponseMeta } from './hooks.ts';
export { type ResponseInfo, responseInfo } from './info.ts';
export type { ModelInfo } from './model-info.ts';
export { estimateCost } from './monitor/cost.ts';
export type { DetectionResult, Evidence, Plan } from './monitor/evidence.ts';
export { type Pace, pace } from './monitor/pace.ts';
export { type PeakHours, peakHours } from './monitor/peak-hours.ts';
export { type QuotaWindow, quotaWindow } from './monitor/quota-windows.ts';
export { formatServerTime, parseServerTime } from './monitor/server-time.ts';
export type { TokenCount } from './monitor/tokens.ts';
export { type UsageBucket, usageBuckets } from './monitor/usage-buckets.ts';
export { type UsageCount, UsageMeter, type UsageTotals, usageMeter } from './monitor/usage-meter.ts';
export type { OnProgress } from './multipart.ts';
export { newService } from './new-service.ts';
export type { WaitOptions } from './poll.ts';
export type { AnthropicStreamEvent } from './protocols.ts';
export { Account } from './services/account.ts';
export { type AgentRunRequest, Agents } from './services/agents.ts';
export { Anthropic, type AnthropicMessageRequest, anthropicTextMessage } from './services/anthropic.ts';
export { Audio, type SpeechRequest, type SpeechStreamRequest, type TranscriptionRequest } from './services/audio.ts';
export { type BatchOutcome, type BatchQuery, type BatchRunOptions, BatchService } from './services/batch.ts';
export { Chat, type StreamCallback } from './services/chat.ts';
export { Detection, type ProbeOptions } from './services/detection.ts';
export { Embeddings } from './services/embeddings.ts';
export { FileParser, type ParserFormat } from './services/file-parser.ts';
export { type FileQuery, Files } from './services/files.ts';
export { Images } from './services/images.ts';
export { Layout } from './services/layout.ts';
export { type ModelInfoList, Models } from './services/models.ts';
export { Moderations } from './services/moderations.ts';
export { type QuotaLimits, QuotaService, type UsageWindow } from './services/quota.ts';
export { Rerank } from './services/rerank.ts';
export { Usage, type UsageSummary } from './services/usage.ts';
export { Videos } from './services/videos.ts';
export { Voice, type VoiceQuery } from './services/voice.ts';
export { type TokenCountRequest, Tools } from './services/web-tools.ts';
export { speechBytes } from './speech-bytes.ts';
export type { JsonSchema, OutputOf, SchemaIssue, SchemaPair, SchemaSource, StandardJsonSchema, StandardSchema } from './standard-schema.ts';
export type { EventStream } from './stream.ts';
export { contentText, textDeltas, toReadableStream } from './stream-helpers.ts';
export { type ResponseFormatOptions, responseFormat, type StructuredFormat } from './structured-output.ts';
export type { ToolDecision } from './tool-loop/decisions.ts';
export { type AnthropicToolRun, type ChatToolRun, type FailedToolRun, type ToolRun, toolRun } from './tool-loop/run-info.ts';
export type { RequestedCall } from './tool-loop/surface.ts';
export type { ToolStream } from './tool-loop/tool-stream.ts';
export type { ToolExecutor } from './tool-loop/toolbox.ts';
export type { ToolLoopOptions, ToolRound, ToolRoundCall } from './tool-loop.ts';
export { explainToolSchema, type SchemaRewrite, sanitizeToolSchemas, type ToolWithSchema } from './tool-schema.ts';
export type { FetchLike } from './transport/fetch.ts';
export {
  anthropicTool,
  chatTool,
  defineTool,
  type PreparedCall,
  type ToolCallContext,
  type ToolDefinition,
  type TypedTool,
} from './typed-tool.ts';
export type { UploadOptions } from './upload-request.ts';
export { version } from './version.ts';
