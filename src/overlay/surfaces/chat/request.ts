import type { Effort } from '../../../generated/effort.ts';
import type { ChatAsyncRequest, ChatBody, ChatMessage, Tool } from '../../../generated/types.ts';
import { isObject } from '../../json/json-value.ts';
import { bodyOf, checkRoles, type Without } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { withCompatibleTools } from '../../tool-schema/index.ts';

/** One entry of a conversation. */
export interface Message extends ChatMessage {
  /** Images for a vision model, each a URL or a `data:` URI. Sent as parts after the text. */
  readonly images?: readonly string[] | null | undefined;
}

/** A chat request. Fields have their wire names; unknown ones that do not look misspelled are sent unchanged. */
export interface ChatRequest extends Without<ChatBody, 'messages' | 'stream' | 'tools'> {
  /** The conversation, oldest first; at least one entry has role `user`. */
  messages: readonly Message[];
  /** Tools that the model may use, at most 128 functions. Make them with `newFunctionTool` or `tool.as('chat')`. */
  tools?: readonly (Tool | CustomTool)[] | null | undefined;
  /** Leave it out: `stream()` streams, and `create` waits for the complete answer. */
  stream?: false | null | undefined;
  /** Stream the arguments of tool calls in pieces instead of all at the end; glm-4.6 and later. Sent as `tool_stream`. Evidence: sdk-only. */
  stream_tool_call?: boolean | null | undefined;
  /**
   * How deep the model thinks. Translated to `thinking` and `reasoning_effort` as the model and the root accept them; `responseInfo` of the
   * result has the translation. Default: `max` from glm-5.2 on, the most expensive. Do not combine it with those two fields.
   */
  effort?: Effort | null | undefined;
}

/** Part of the tool type of the `openai` package, so that a list of that type is accepted. The client refuses a tool of this type before sending. */
export interface CustomTool {
  type: 'custom';
  function?: undefined;
}

/** A chat request for `createAsync`. */
export interface ChatJobRequest
  extends Without<ChatAsyncRequest, 'messages' | 'stream' | 'tools'>,
    Pick<ChatRequest, 'effort' | 'messages' | 'stream' | 'stream_tool_call' | 'tools'> {}

/** The fields that chat, its jobs and the tokenizer have in another form than the document. */
type OwnForm = Pick<ChatRequest, 'messages' | 'stream' | 'stream_tool_call' | 'tools'>;

/** A request as the document has it, except for `effort`. */
type Sent<Request, Stream> = Omit<Request, keyof OwnForm> & Pick<ChatBody, 'messages' | 'tool_stream' | 'tools'> & { stream?: Stream | false | null };

/** The body of a request as it is sent, except for `effort`. Does not change the caller's objects. */
export function chatBody<Request extends OwnForm, Stream extends boolean>(
  request: Request,
  schemaCompat: boolean,
  stream: Stream,
): Sent<Request, Stream> {
  const { stream_tool_call: streamToolCall, ...wire } = bodyOf<OwnForm & Pick<ChatBody, 'tool_stream'>, Stream>(request, 'chat', stream);
  const streamsCalls: unknown = streamToolCall ?? undefined;
  if (streamsCalls !== undefined && typeof streamsCalls !== 'boolean') throw new Problem('stream_tool_call', 'must be a boolean');
  checkRoles(wire.messages);
  if (Array.isArray(wire.messages)) wire.messages = wire.messages.map(wireMessage);
  if (streamsCalls !== undefined) wire.tool_stream ??= streamsCalls;
  // The rule of the route refuses a custom tool.
  return (schemaCompat ? withCompatibleTools(wire) : wire) as Sent<Request, Stream>;
}

function wireMessage(message: Message, index: number): ChatMessage {
  if (!isObject(message) || message.images === undefined) return message;
  const { images, content, ...rest } = message;
  if ((images as unknown) === null) return { ...rest, content };
  if (!Array.isArray(images)) throw new Problem(`messages[${index}].images`, 'must be an array of URLs');
  for (const [at, url] of images.entries())
    if (typeof url !== 'string' || url === '') throw new Problem(`messages[${index}].images[${at}]`, 'must be a URL or a data: URI');
  // Content of the wrong type is left to the validation of the body.
  if (images.length === 0 || !(typeof content === 'string' || Array.isArray(content ?? []))) return { ...rest, content };
  const text = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : (content ?? []);
  return { ...rest, content: [...text, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))] };
}

/** A request for an answer in JSON. A system prompt of the request, if it is the first message and a text, gets the instructions after it. */
export function jsonRequest(request: ChatRequest, instructions: string): ChatRequest {
  const { response_format: format, messages } = request;
  if ((format ?? undefined) !== undefined) throw new Problem('response_format', 'is set by parse: leave it out');
  const [first, ...rest] = Array.isArray(messages) ? messages : [];
  const own = first?.role === 'system' && typeof first.content === 'string' ? first.content : undefined;
  // A value that is not a list, or an empty list, is refused by the rule of the route.
  const asked =
    first === undefined
      ? messages
      : own === undefined
        ? [{ role: 'system', content: instructions }, first, ...rest]
        : [{ ...first, content: `${own}\n\n${instructions}` }, ...rest];
  return { ...request, messages: asked as Message[], response_format: { type: 'json_object' } };
}
