/** One turn of the model. The same description works on every surface, as JSON and as a stream. */
export interface Turn {
  /** The answer. A list is streamed in its pieces, a string word by word. */
  readonly text?: string | readonly string[] | undefined;
  /** The reasoning before the answer: `reasoning_content` on chat, a thinking block on messages, an item on Responses. */
  readonly reasoning?: string | readonly string[] | undefined;
  /** Tool calls of the turn. */
  readonly toolCalls?: readonly TurnToolCall[] | undefined;
  /**
   * Finish reason of chat (`stop`, `length`, `sensitive` …) or stop reason of messages (`refusal` …).
   * Default: `tool_calls` if the turn has tool calls, otherwise `stop`.
   */
  readonly finish?: string | undefined;
  /**
   * Token counts. `input` includes `cached`. Default: 10 input tokens, and one output token for each piece and tool call.
   *
   * Prompts of 500 tokens and more are counted, at four characters a token. The part that an earlier prompt of the key and model began with is
   * cached.
   *
   * glm-5.2 and later also have tokens of thinking: 2 at effort low, 7 at high, 104 at max.
   */
  readonly usage?: { readonly input?: number | undefined; readonly cached?: number | undefined; readonly output?: number | undefined } | undefined;
  /** Sources of a web search, with `title` and `link`: `web_search` of chat; on messages the call, its result and citations. */
  readonly webSearch?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** A tool call in a turn. */
export interface TurnToolCall {
  readonly name: string;
  /** An object is sent as JSON. A string is sent verbatim, even if it is not valid JSON. Default: `{}`. */
  readonly arguments?: unknown | undefined;
  /** Default: a generated id. */
  readonly id?: string | undefined;
}

/** Tokens of a prompt, and how many of them came from the cache. */
export interface PromptTokens {
  readonly input: number;
  readonly cached: number;
}

/** Facts of the request that the reply repeats. */
export interface TurnScene {
  /** Request id of the exchange. */
  readonly id: string;
  readonly model: string;
  /** Whether to stream tool arguments in pieces (`tool_stream`). */
  readonly toolStream: boolean;
  /** Tokens of thinking, by the effort of the request. */
  readonly thought?: number | undefined;
  /** Tokens of a prompt that is long enough for the cache. */
  readonly prompt?: PromptTokens | undefined;
}

/** The pieces in which a text is streamed. */
export function piecesOf(text: string | readonly string[] | undefined): readonly string[] {
  return typeof text === 'string' ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text])) : (text ?? []);
}

/** The complete text, or undefined if the turn has none. */
export function wholeOf(text: string | readonly string[] | undefined): string | undefined {
  return typeof text === 'object' ? text.join('') : text;
}

export function argumentsOf(call: TurnToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

/** The id of a tool call. It is the same for JSON replies and streams. */
export function callId(call: TurnToolCall, index: number, scene: TurnScene): string {
  return call.id ?? `call_${scene.id}${index}`;
}

/** The token counts of a turn. `cached` is undefined if the service does not report it. */
export function tokensOf(
  turn: Turn,
  { thought = 0, prompt }: TurnScene,
): { readonly input: number; readonly cached: number | undefined; readonly output: number } {
  const { input = prompt?.input ?? 10, cached = turn.usage?.input === undefined ? prompt?.cached : undefined } = turn.usage ?? {};
  const output = thought + piecesOf(turn.reasoning).length + piecesOf(turn.text).length + (turn.toolCalls?.length ?? 0);
  return { input, cached, output: turn.usage?.output ?? output };
}

export function finishOf(turn: Turn): string {
  return turn.finish ?? (turn.toolCalls?.length ? 'tool_calls' : 'stop');
}
