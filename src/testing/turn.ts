/** One turn of the model, told once for both surfaces and for both ways to answer, whole or streamed. */
export interface Turn {
  /** The answer; as a list it is streamed in these pieces, as a string word by word. */
  readonly text?: string | readonly string[];
  /** The thought before it: `reasoning_content` on chat, a thinking block on messages. */
  readonly reasoning?: string | readonly string[];
  /** The tools it asks for. */
  readonly toolCalls?: readonly TurnToolCall[];
  /**
   * Why it ends, in chat's words (`stop`, `length`, `sensitive` …) or in the other surface's own (`refusal` …).
   * Default: `tool_calls` with tool calls, else `stop`.
   */
  readonly finish?: string;
  /** Tokens counted. Default: one per piece. */
  readonly usage?: { readonly input?: number; readonly output?: number };
  /** Sources of a web search, on chat. */
  readonly webSearch?: readonly Readonly<Record<string, unknown>>[];
}

/** A call of a tool that a turn asks for. */
export interface TurnToolCall {
  readonly name: string;
  /** As an object it is written as JSON; as a string it goes out as it is, valid or not. Default: `{}`. */
  readonly arguments?: unknown;
  /** Default: one is made up. */
  readonly id?: string;
}

/** What a turn answers: the ids and the model that its reply repeats. */
export interface TurnScene {
  /** Request id of the exchange. */
  readonly id: string;
  readonly model: string;
  /** Tool arguments in pieces, as `tool_stream` asks for. */
  readonly toolStream: boolean;
}

/** The pieces of a text as they are streamed. */
export function piecesOf(text: string | readonly string[] | undefined): readonly string[] {
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text])) : (text ?? []);
}

/** A text whole; undefined when the turn has none. */
export function wholeOf(text: string | readonly string[] | undefined): string | undefined {
  return typeof text === 'object' ? text.join('') : text;
}

export function argumentsOf(call: TurnToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

/** The id of a turn's tool call, the same however the turn is rendered. */
export function callId(call: TurnToolCall, index: number, scene: TurnScene): string {
  return call.id ?? `call_${scene.id}${index}`;
}

export function tokensOf(turn: Turn): { readonly input: number; readonly output: number } {
  const output = piecesOf(turn.reasoning).length + piecesOf(turn.text).length + (turn.toolCalls?.length ?? 0);
  return { input: turn.usage?.input ?? 10, output: turn.usage?.output ?? output };
}

export function finishOf(turn: Turn): string {
  return turn.finish ?? (turn.toolCalls?.length ? 'tool_calls' : 'stop');
}
