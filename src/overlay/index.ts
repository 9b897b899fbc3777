/**
 * The public names of the package. Two entries have what is not here: `modelsvc/types` every type of the wire, and `modelsvc/monitor` the figures
 * about plans. Those are peak hours, edition, windows and credits.
 */

export type { ErrorCategory } from '../generated/codes.ts';
export type { Effort } from '../generated/effort.ts';
export type { ModelRow } from '../generated/models.ts';
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
export { version } from '../generated/version.ts';
export { type FirstModelOptions, firstModel } from './above/first-model.ts';
export { type UsageMeter, usageMeter } from './above/usage-meter.ts';
export type { BatchRequest } from './batch/input.ts';
export type { BatchResult } from './batch/output.ts';
export { type BatchCounts, batchCounts } from './batch/state.ts';
export type { Bindings } from './call/operations/bindings.ts';
export type { WaitOptions } from './call/operations/poll.ts';
export { type ResponseInfo, responseInfo } from './call/reply/response-info.ts';
export { Client, newClient, newClientFromEnv } from './client.ts';
export { type MapCallsOptions, mapCalls, type Settled } from './concurrency/map-calls.ts';
export {
  type Budget,
  type BudgetLimits,
  type ConcurrencyOptions,
  type Config,
  type Endpoints,
  type Region,
  RegionChina,
  RegionGlobal,
} from './config.ts';
export {
  type CallContext,
  type Context,
  withModel,
  withService,
} from './context.ts';
export { FinishError, OutputError, TaskError, ToolLoopError } from './errors/answer-errors.ts';
export { BudgetError } from './errors/budget-error.ts';
export {
  AbortError,
  ApiError,
  ConfigError,
  ConnectionError,
  type ErrorKind,
  ModelsvcError,
  QueueError,
  ReplyError,
  StreamError,
  TimeoutError,
  ValidationError,
} from './errors/errors.ts';
export type { GateState } from './errors/gate-state.ts';
export { isApiError, isModelsvcError } from './errors/guards.ts';
export { withoutSecrets } from './errors/without-secrets.ts';
export type { BinaryReply, DownloadOptions } from './files/binary.ts';
export { imageBlock, imagePart } from './files/image-part.ts';
export type { UploadOptions } from './files/upload-request.ts';
export type { Hook, OperationMeta, OperationOutcome, RequestMeta } from './hooks/hook.ts';
export { newBudget } from './monitor/budget.ts';
export { estimateCost } from './monitor/cost.ts';
export type { DetectionResult } from './monitor/evidence.ts';
export type { ModelInfo } from './monitor/model-info.ts';
export { cachedShare } from './monitor/tokens.ts';
export type { BatchOutcome, BatchRunOptions } from './services/batch.ts';
export type { UsageSummary } from './services/usage.ts';
export { type CollectingStream, collect, collecting } from './streams/collecting.ts';
export type { EventStream } from './streams/event-stream.ts';
export { type AnswerDelta, answerDeltas, textDeltas, toReadableStream } from './streams/helpers.ts';
export { opened } from './streams/read-ahead.ts';
export { speechBytes } from './streams/speech-bytes.ts';
export { toResponse } from './streams/to-response.ts';
export { toSSE } from './streams/to-sse.ts';
export type { AnswerView } from './surfaces/answer.ts';
export { answerOf, finishError } from './surfaces/answer-of.ts';
export { contentText } from './surfaces/chat/answer.ts';
export type { ChatRequest, Message } from './surfaces/chat/request.ts';
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
export { webSearchOf } from './surfaces/web-search.ts';
export { explainToolSchema, sanitizeToolSchemas } from './tool-schema/index.ts';
export type { ToolDecision } from './tools/decisions.ts';
export { type Surface, type ToolRun, toolRun } from './tools/run-info.ts';
export { type OutputFormat, outputFormat } from './tools/structured-output.ts';
export type { ToolLoopOptions } from './tools/tool-loop-input.ts';
export type { ToolStream } from './tools/tool-stream.ts';
export type { ToolExecutor } from './tools/toolbox.ts';
export { defineTool, type ToolCallContext, type ToolDefinition, type TypedTool } from './tools/typed-tool.ts';
