// The interface between the tool loop and a surface.
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import type { Assembler } from '../streams/collect.ts';
import type { AnswerCall, AnswerView } from '../surfaces/answer.ts';
import type { Surface } from './run-info.ts';
import type { TypedTool } from './typed-tool.ts';

/** The result of a call as the model receives it. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A tool that a request declares. */
export interface DeclaredTool {
  readonly name: string;
  readonly path: string;
  readonly schema: unknown;
}

/** The calls of a client that the tool loop makes. */
export interface ToolCalls<Request, Response extends object, Item, Message> {
  /** Settings of the client: its hooks, and its lifetime, which ends the run. */
  readonly settings: Settings;
  readonly tools: ToolSurface<Request, Response, Item, Message>;
  /** `keepThinking` asks the service to keep the thought of earlier rounds, where it would drop it. */
  create(operation: string, ctx: CallContext, request: Request, keepThinking: boolean): Promise<Response>;
  stream(operation: string, ctx: CallContext, request: Request, keepThinking: boolean): AsyncIterableIterator<Item, undefined>;
}

/** Facts about a surface that the tool loop needs. */
export interface ToolSurface<Request, Response extends object, Item, Message> {
  /** Assembles the items of one stream into the response that `create` would return. */
  collect(): Assembler<Item, Response>;
  readonly name: Surface;
  /** Name of the field that has the conversation. */
  readonly conversation: string;
  messagesOf(request: Request): readonly Message[];
  toolsOf(request: Request): readonly unknown[];
  /** The callable functions among the request's tools. */
  declared(request: Request): readonly DeclaredTool[];
  declare(tool: TypedTool): unknown;
  /** The request of the next model call. `freeChoice` drops a `tool_choice` that forces a tool, because it would force one in every round. `last` is the
   * response before. */
  next(request: Request, messages: readonly Message[], tools: readonly unknown[], freeChoice: boolean, last: Response | undefined): Request;
  /** Reads a response. `round` is part of generated ids; `declared` has the names of the tools. */
  read(response: Response, round: number, declared: ReadonlySet<string>): AnswerView<Message>;
  /** The messages that answer the calls of a response. */
  results(answered: readonly (Pick<AnswerCall, 'id'> & ToolResult)[]): readonly Message[];
}
