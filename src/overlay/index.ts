/**
 * The public names of the package. Two entries have what is not here: `modelsvc/types` every type of the wire, and `modelsvc/monitor` the figures
 * about plans. Those are peak hours, edition, windows and credits.
 */

export type { ErrorCategory } from '../generated/codes.ts';
export type { Effort } from '../generated/effort.ts';
export type { ModelRow } from '../generated/models.ts';
export type { Surface, SurfacePaths } from '../generated/routes.ts';
export type {
  AnthropicContentBlock,
  AnthropicMessage,
  AnthropicThinking,
  AnthropicTool,
  AsyncResult,
  Batch,
  ChatChunk,
  ChatResponse,
  FileUpload,
  FinishReason,
  Model,
  Quota,
  ResponseFormat,
  ResponsesInputItem,
  Thinking,
  Tool,
} from '../generated/types.ts';
export { type FirstModelOptions, firstModel } from './above/first-model.ts';
export { type UsageCount, type UsageMeter, type UsageMeterOptions, type UsageTotals, usageMeter } from './above/usage-meter.ts';
export type { BatchRequest } from './batch/input.ts';
export type { BatchResult } from './batch/output.ts';
export { type BatchCounts, batchCounts } from './batch/state.ts';
export type { Bindings } from './call/operations/bindings.ts';
export type { WaitOptions } from './call/operations/poll.ts';
export { type Received, type ResponseInfo, responseInfo } from './call/reply/response-info.ts';
export type { Extensible } from './call/request/extensible.ts';
export { Client, newClient, newClientFromEnv } from './client.ts';
export { type MapCallsOptions, mapCalls, type Settled } from './concurrency/map-calls.ts';
export {
  type AgentLike,
  type Budget,
  type BudgetLimits,
  type ConcurrencyOptions,
  type Config,
  type Endpoints,
  type FetchInit,
  type FetchLike,
  type FetchResponse,
  type FetchResponseBody,
  type Region,
  RegionChina,
  RegionGlobal,
  type Spent,
} from './config.ts';
export {
  type AbortSignalLike,
  type CallContext,
  type Context,
  withHeaders,
  withMaxRetries,
  withModel,
  withPriority,
  withRawBody,
  withService,
  withSignal,
  withTimeout,
} from './context.ts';
export { FinishError, OutputError, type OutputProblem, TaskError, ToolLoopError } from './errors/answer-errors.ts';
export { BudgetError, type BudgetUnit } from './errors/budget-error.ts';
export {
  AbortError,
  ApiError,
  ConfigError,
  ConnectionError,
  type ErrorKind,
  ModelsvcError,
  type PartialResponse,
  type Phase,
  QueueError,
  type QueueReason,
  ReplyError,
  StreamError,
  type StreamProblem,
  TimeoutError,
  ValidationError,
} from './errors/errors.ts';
export type { GateState, Outcome } from './errors/gate-state.ts';
export {
  isAbortError,
  isApiError,
  isBudgetError,
  isConfigError,
  isConnectionError,
  isFinishError,
  isModelsvcError,
  isOutputError,
  isQueueError,
  isReplyError,
  isStreamError,
  isTaskError,
  isTimeoutError,
  isToolLoopError,
  isValidationError,
} from './errors/guards.ts';
export { withoutSecrets } from './errors/without-secrets.ts';
export type { BinaryReply, DownloadOptions } from './files/binary.ts';
export { anthropicImage, type ImageOptions, imagePart } from './files/image-part.ts';
export type { OnProgress } from './files/progress.ts';
export type { UploadOptions } from './files/upload-request.ts';
export type {
  ChunkInfo,
  EffortInfo,
  Hook,
  LimitChange,
  OperationContent,
  OperationKind,
  OperationMeta,
  OperationOutcome,
  RequestMeta,
  ResponseMeta,
  RetryReason,
} from './hooks/hook.ts';
export type { ReadJson } from './json/exact.ts';
export { newBudget } from './monitor/budget.ts';
export { estimateCost } from './monitor/cost.ts';
export type { DetectionResult, Evidence, Plan } from './monitor/evidence.ts';
export type { ModelInfo } from './monitor/model-info.ts';
export { cachedShare, type TokenCount } from './monitor/tokens.ts';
export { Account } from './services/account.ts';
export { type AgentRunRequest, Agents } from './services/agents.ts';
export { Audio, type SpeechRequest, type SpeechStreamRequest, type TranscriptionRequest } from './services/audio.ts';
export { Batches, type BatchOutcome, type BatchQuery, type BatchRunOptions, type BatchStartOptions } from './services/batch.ts';
export { Chat } from './services/chat.ts';
export { Detection, type ProbeOptions } from './services/detection.ts';
export { Embeddings } from './services/embeddings.ts';
export { FileParser, type ParserFormat } from './services/file-parser.ts';
export { type FileQuery, Files } from './services/files.ts';
export { Images } from './services/images.ts';
export { Layout } from './services/layout.ts';
export { Anthropic } from './services/messages.ts';
export type { StreamCallback } from './services/model-calls.ts';
export { type ModelInfoList, Models } from './services/models.ts';
export { Moderations } from './services/moderations.ts';
export { newService } from './services/new-service.ts';
export { type QuotaLimits, Quotas, type UsageWindow } from './services/quota.ts';
export { Rerank } from './services/rerank.ts';
export { type ParsedResponse, Responses } from './services/responses.ts';
export { Usage, type UsageSummary } from './services/usage.ts';
export { Videos } from './services/videos.ts';
export { Voice, type VoiceQuery } from './services/voice.ts';
export { type TokenCountRequest, Tools } from './services/web-tools.ts';
export { collectChat } from './streams/chat-accumulator.ts';
export { type CollectingStream, collecting } from './streams/collecting.ts';
export type { EventStream } from './streams/event-stream.ts';
export { type AnswerDelta, type AnswerStream, answerDeltas, type ItemStream, textDeltas, toReadableStream } from './streams/helpers.ts';
export { collectMessage } from './streams/messages-accumulator.ts';
export { type Opened, type OpenedOptions, opened } from './streams/opened.ts';
export { collectResponse } from './streams/responses-accumulator.ts';
export { speechBytes } from './streams/speech-bytes.ts';
export { type PageOptions, toResponse } from './streams/to-response.ts';
export { type SSEOptions, toSSE } from './streams/to-sse.ts';
export type { AnswerCall, AnswerView, JudgedAnswer, NextStep, RequestedCall } from './surfaces/answer.ts';
export { answerOf, finishError } from './surfaces/answer-of.ts';
export { contentText } from './surfaces/chat/answer.ts';
export type { ChatJobRequest, ChatRequest, CustomTool, Message } from './surfaces/chat/request.ts';
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
} from './surfaces/constants.ts';
export type { AnthropicStreamEvent } from './surfaces/messages/protocol.ts';
export type { AnthropicReply } from './surfaces/messages/reply.ts';
export { type AnthropicMessageRequest, anthropicTextMessage } from './surfaces/messages/request.ts';
export type { ResponsesReply } from './surfaces/responses/reply.ts';
export type { ResponsesRequest } from './surfaces/responses/request.ts';
export { type WebSearches, webSearchOf } from './surfaces/web-search.ts';
export { explainToolSchema, type SchemaRewrite, sanitizeToolSchemas, type ToolSchemaOptions, type ToolWithSchema } from './tool-schema/index.ts';
export type { Decisions as ToolDecisions, ToolApproval, ToolDecision } from './tools/decisions.ts';
export type { DeepPartial, GrowingAnswer } from './tools/growing-answer.ts';
export {
  type AnthropicToolRun,
  type ChatToolRun,
  type FailedToolRun,
  type ResponsesToolRun,
  type ToolRun,
  type ToolSurfaceName,
  toolRun,
} from './tools/run-info.ts';
export type {
  JsonSchema,
  OutputOf,
  SchemaInputOf,
  SchemaIssue,
  SchemaSource,
  StandardJsonSchema,
  StandardResult,
  StandardSchema,
} from './tools/standard-schema.ts';
export { type ResponseFormatOptions, responseFormat, type StructuredFormat } from './tools/structured-output.ts';
export type {
  AnyTools,
  InvalidToolCall,
  ToolEnd,
  ToolLoopOptions,
  ToolOutcome,
  ToolRound,
  ToolRoundCall,
  ToolRunSoFar,
  ValidToolCall,
} from './tools/tool-loop-input.ts';
export type { ToolStream } from './tools/tool-stream.ts';
export type { ToolExecutor } from './tools/toolbox.ts';
export type { TypeboxSchema, TypeboxValue } from './tools/typebox.ts';
export {
  anthropicTool,
  chatTool,
  defineTool,
  responsesTool,
  type ToolCallContext,
  type ToolDefinition,
  type TypedTool,
} from './tools/typed-tool.ts';
export { version } from './version.ts';
