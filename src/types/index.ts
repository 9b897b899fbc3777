/** Every type of the wire, other types that are rarely written by hand, and the roots of the service with their paths: entry `modelsvc/types`. */
export { pathsOn as servicePaths, roots as serviceRoots } from '../generated/roots.ts';
export type { ServiceRoot, SurfacePaths } from '../generated/routes.ts';
export type * from '../generated/types.ts';
export type { UsageCount, UsageMeterOptions, UsageTotals } from '../overlay/above/usage-meter.ts';
export type { Received } from '../overlay/call/reply/response-info.ts';
export type { Extensible } from '../overlay/call/request/extensible.ts';
export type { AgentLike, BudgetSpent, FetchInit, FetchLike, FetchResponse, FetchResponseBody } from '../overlay/config.ts';
export type { AbortSignalLike } from '../overlay/context.ts';
export type { OutputProblem } from '../overlay/errors/answer-errors.ts';
export type { BudgetUnit } from '../overlay/errors/budget-error.ts';
export type { ConnectionPhase, PartialResponse, QueueReason, StreamProblem } from '../overlay/errors/errors.ts';
export type { GateOutcome } from '../overlay/errors/gate-state.ts';
export type { ErrorOfKind } from '../overlay/errors/guards.ts';
export type { ImageOptions } from '../overlay/files/image-part.ts';
export type { OnProgress, TransferProgress } from '../overlay/files/progress.ts';
export type { ChunkInfo, EffortInfo, LimitChange, OperationContent, OperationKind, ResponseMeta, RetryReason } from '../overlay/hooks/hook.ts';
export type { ReadJson } from '../overlay/json/exact.ts';
export type { DetectionStep, KeyPlan } from '../overlay/monitor/evidence.ts';
export type { TokenCount } from '../overlay/monitor/tokens.ts';
export type { AgentRunRequest } from '../overlay/services/agents.ts';
export type { SpeechRequest, SpeechStreamRequest, TranscriptionRequest } from '../overlay/services/audio.ts';
export type { BatchQuery, BatchStartOptions } from '../overlay/services/batch.ts';
export type { ProbeOptions } from '../overlay/services/detection.ts';
export type { ParserFormat } from '../overlay/services/file-parser.ts';
export type { FileQuery } from '../overlay/services/files.ts';
export type { StreamCallback } from '../overlay/services/model-calls.ts';
export type { ModelInfoList } from '../overlay/services/models.ts';
export type { QuotaLimits, UsageWindow } from '../overlay/services/quota.ts';
export type { ParsedResponse } from '../overlay/services/responses.ts';
export type { VoiceQuery } from '../overlay/services/voice.ts';
export type { TokenCountRequest } from '../overlay/services/web-tools.ts';
export type { AnswerStream, ItemStream } from '../overlay/streams/helpers.ts';
export type { OpenedOptions, OpenedStream } from '../overlay/streams/read-ahead.ts';
export type { ToResponseOptions } from '../overlay/streams/to-response.ts';
export type { SSEOptions } from '../overlay/streams/to-sse.ts';
export type { AnswerCall, JudgedAnswer, NextStep, RequestedCall } from '../overlay/surfaces/answer.ts';
export type { ChatJobRequest, CustomTool } from '../overlay/surfaces/chat/request.ts';
export type { WebSearches } from '../overlay/surfaces/web-search.ts';
export type { SchemaRewrite, ToolSchemaOptions, ToolWithSchema } from '../overlay/tool-schema/index.ts';
export type { ToolApproval, ToolDecisions } from '../overlay/tools/decisions.ts';
export type { DeepPartial, GrowingAnswer } from '../overlay/tools/growing-answer.ts';
export type { AnthropicToolRun, ChatToolRun, FailedToolRun, ResponsesToolRun } from '../overlay/tools/run-info.ts';
export type {
  JsonSchema,
  OutputOf,
  SchemaInputOf,
  SchemaIssue,
  SchemaSource,
  StandardJsonSchema,
  StandardResult,
  StandardSchema,
} from '../overlay/tools/standard-schema.ts';
export type { OutputFormatOptions } from '../overlay/tools/structured-output.ts';
export type {
  AnyTools,
  InvalidToolCall,
  ToolEnd,
  ToolOutcome,
  ToolRound,
  ToolRoundCall,
  ToolRunSoFar,
  ValidToolCall,
} from '../overlay/tools/tool-loop-input.ts';
export type { TypeboxSchema, TypeboxValue } from '../overlay/tools/typebox.ts';
