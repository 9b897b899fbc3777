import { type Fields, fieldsOf, isFields, isObject, jsonOrUndefined, listOf, textOf } from '../overlay/json/json-value.ts';

/** A part of a message, in the form of the conventions. Binary data is left out. */
type Part = Readonly<Record<string, unknown>>;

interface SpanMessage {
  readonly role: string;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

/** The content of a request of any surface, by attribute. */
export function inputContent(request: unknown): Record<string, unknown> {
  const { messages, system, instructions, tools, prompt, input } = fieldsOf(request);
  const content: Record<string, unknown> = {};
  const simple = textOf(prompt) || textOf(input);
  if (Array.isArray(messages)) content['gen_ai.input.messages'] = messages.map(messageOf);
  else if (Array.isArray(input)) content['gen_ai.input.messages'] = input.map(itemOf);
  else if (simple !== '') content['gen_ai.input.messages'] = [{ role: 'user', parts: [text(simple)] }];
  const told = system ?? instructions ?? undefined;
  if (told !== undefined) content['gen_ai.system_instructions'] = partsOf(told);
  if (Array.isArray(tools)) content['gen_ai.tool.definitions'] = tools.map(toolOf);
  return content;
}

/** The output messages of a response of any surface. Undefined for a response without text. */
export function outputContent(response: unknown, withReason: boolean): readonly SpanMessage[] | undefined {
  const fields = fieldsOf(response);
  const { choices, content, output, stop_reason: stop, text: transcript } = fields;
  if (Array.isArray(choices))
    return choices.map((choice) => {
      const { message, finish_reason: reason } = fieldsOf(choice);
      return reasoned(messageOf(message), reason, withReason);
    });
  if (Array.isArray(content)) return [reasoned(messageOf({ role: 'assistant', content }), stop, withReason)];
  // All items of a response are one turn of the model.
  if (Array.isArray(output))
    return [reasoned({ role: 'assistant', parts: output.flatMap((item) => itemOf(item).parts) }, fields['status'], withReason)];
  return typeof transcript === 'string' ? [{ role: 'assistant', parts: [text(transcript)] }] : undefined;
}

function reasoned(message: SpanMessage, reason: unknown, withReason: boolean): SpanMessage {
  return withReason && typeof reason === 'string' ? { ...message, finish_reason: reason } : message;
}

function messageOf(message: unknown): SpanMessage {
  const { role, content, tool_calls: calls, tool_call_id: id, reasoning_content: reasoning, refusal } = fieldsOf(message);
  if (role === 'tool') return { role, parts: [resultOf(id, content)] };
  const said = (type: string, words: unknown): Part[] => (textOf(words) === '' ? [] : [{ type, content: words }]);
  const parts = [...said('reasoning', reasoning), ...partsOf(content), ...said('refusal', refusal), ...listOf(calls).map(callOf)];
  return { role: textOf(role) || 'assistant', parts };
}

/** An item of the Responses surface. */
function itemOf(item: unknown): SpanMessage {
  // Texts of an embedding are in `input` too.
  if (typeof item === 'string') return { role: 'user', parts: [text(item)] };
  const { type, role, content, summary, call_id: id, name, arguments: given, output } = fieldsOf(item);
  if (type === 'function_call') return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: structured(given) }] };
  if (type === 'function_call_output') return { role: 'tool', parts: [resultOf(id, output)] };
  const isOther = type !== undefined && type !== 'message' && type !== 'reasoning';
  return { role: textOf(role) || 'assistant', parts: isOther ? [{ type: textOf(type) || 'unknown' }] : [...partsOf(summary), ...partsOf(content)] };
}

function callOf(call: unknown): Part {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: given } = fieldsOf(called);
  return { type: 'tool_call', id, name, arguments: structured(given) };
}

/** The result of a tool: its value, or the parts of a list that has more than texts. */
function resultOf(id: unknown, content: unknown): Part {
  const parts = partsOf(content);
  const texts = parts.filter(({ type }) => type === 'text').map((part) => textOf(part['content']));
  const isText = texts.length === parts.length && !isFields(content);
  return { type: 'tool_call_response', id, response: isText ? structured(texts.join('')) : parts };
}

/** Arguments and results as the conventions want them: the object or list that a text is as JSON. */
export function structured(value: unknown): unknown {
  const parsed = typeof value === 'string' ? jsonOrUndefined(value) : undefined;
  return isObject(parsed) ? parsed : value;
}

function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content)];
  return [isFields(content) ? [content] : listOf(content)].flat().map(partOf);
}

function partOf(given: unknown): Part {
  if (typeof given === 'string') return text(given);
  const part = fieldsOf(given);
  const { type } = part;
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return text(textOf(part['text']));
    case 'reasoning_text':
    case 'summary_text':
      return { type: 'reasoning', content: textOf(part['text']) };
    case 'thinking':
      return { type: 'reasoning', content: textOf(part['thinking']) };
    case 'tool_use':
      return { type: 'tool_call', id: part['id'], name: part['name'], arguments: part['input'] };
    case 'tool_result':
      return resultOf(part['tool_use_id'], part['content']);
    case 'refusal':
      return { type, content: textOf(part['refusal']) };
    default:
      return media(part) ?? { type: textOf(type) || 'unknown' };
  }
}

/** Modalities by the type of a part: `image_url`, `input_image`, `video_url`, `input_file`, `document`. */
const modalities = { image: 'image', video: 'video', audio: 'audio', file: 'document', document: 'document' } as const;

/** A file as its URL or its id. For inline data, only the media type is kept. Undefined for a part of another type. */
function media(part: Fields): Part | undefined {
  const [word = ''] = /image|video|audio|file|document/.exec(textOf(part['type'])) ?? [];
  if (!Object.hasOwn(modalities, word)) return undefined;
  const modality = modalities[word as keyof typeof modalities];
  const source = fieldsOf(part['source']);
  const [given] = [part[`${word}_url`], part['url'], source, part['file']].filter((one) => textOf(one) !== '' || isFields(one));
  const url = textOf(given) || textOf(fieldsOf(given)['url']) || textOf(fieldsOf(given)['file_url']);
  const id = textOf(part['file_id']) || textOf(source['file_id']) || textOf(fieldsOf(part['file'])['file_id']);
  if (url === '' && id !== '') return { type: 'file', modality, file_id: id };
  if (url !== '' && !url.startsWith('data:')) return { type: 'uri', modality, uri: url };
  return { type: 'blob', modality, mime_type: textOf(source['media_type']) || /^data:([\w/+.-]+)/.exec(url)?.[1], content: '' };
}

function toolOf(given: unknown): Part {
  const tool = fieldsOf(given);
  const { name, description, parameters } = isFields(tool['function']) ? tool['function'] : tool;
  const type = textOf(tool['type']) || 'function';
  return { type, name: textOf(name) || type, description, parameters: parameters ?? tool['input_schema'] };
}

function text(content: string): Part {
  return { type: 'text', content };
}
