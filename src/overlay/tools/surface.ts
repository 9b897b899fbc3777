import type { Lifetime } from '../call/lifetime.ts';
import type { CallContext } from '../context.ts';
import type { TypedTool } from './typed-tool.ts';

/** A tool call as the model asked for it. */
export interface RequestedCall {
  /** The model's id, or one of ours where it gave none. */
  readonly id: string;
  readonly name: string;
  /** The arguments as text, as received; on the message surface the JSON of `input`. */
  readonly arguments: string;
}

/** What the model reads as the result of a call. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** What a response asks for: `run` its calls, go on by itself (`continue`), or nothing more (`stop`). */
export interface Turn<Message> {
  readonly next: 'run' | 'continue' | 'stop';
  /** The assistant message to append; undefined when the response has none. */
  readonly message: Message | undefined;
  readonly calls: readonly RequestedCall[];
}

/** A tool that a request declares. */
export interface DeclaredTool {
  readonly name: string;
  readonly path: string;
  readonly schema: unknown;
}

/** All that the tool loop has to know of a surface. */
export interface ToolSurface<Request, Response extends object, Item, Message> {
  create(operation: string, ctx: CallContext, request: Request): Promise<Response>;
  stream(operation: string, ctx: CallContext, request: Request): AsyncIterableIterator<Item, undefined>;
  /** Of the client: closing it ends the run. */
  lifetime(): Lifetime;
  /** Puts the items of one stream together to what `create` gives. */
  collect(): { add(item: Item): void; response(): Response };
  messagesOf(request: Request): readonly Message[];
  toolsOf(request: Request): readonly unknown[];
  /** The callable functions among the request's tools. */
  declared(request: Request): readonly DeclaredTool[];
  declare(tool: TypedTool): unknown;
  /** The request of the next model call; `freeChoice` drops a `tool_choice` that forces a tool: it would force one every round. */
  next(request: Request, messages: readonly Message[], tools: readonly unknown[], freeChoice: boolean): Request;
  read(response: Response, round: number): Turn<Message>;
  results(calls: readonly RequestedCall[], answers: readonly ToolAnswer[]): readonly Message[];
  usage(response: Response): unknown;
}
