import { type Fields, fieldsOf, isFields, listOf, textOf } from '../overlay/errors/json-value.ts';

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
  const { role, content, tool_calls: calls, tool_call_id: id, reasoning_content: reasoning } = fieldsOf(message);
  if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id, response: content }] };
  const thought = textOf(reasoning);
  const parts = [...(thought === '' ? [] : [{ type: 'reasoning', content: thought }]), ...partsOf(content), ...listOf(calls).map(callOf)];
  return { role: textOf(role) || 'assistant', parts };
}

/** An item of the Responses surface. */
function itemOf(item: unknown): SpanMessage {
  // Texts of an embedding are in `input` too.
  if (typeof item === 'string') return { role: 'user', parts: [text(item)] };
  const { type, role, content, call_id: id, name, arguments: given, output } = fieldsOf(item);
  if (type === 'function_call') return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: given }] };
  if (type === 'function_call_output') return { role: 'tool', parts: [{ type: 'tool_call_response', id, response: output }] };
  const isOther = type !== undefined && type !== 'message' && type !== 'reasoning';
  return { role: textOf(role) || 'assistant', parts: isOther ? [{ type: textOf(type) || 'unknown' }] : partsOf(content) };
}

function callOf(call: unknown): Part {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: given } = fieldsOf(called);
  return { type: 'tool_call', id, name, arguments: given };
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
      return { type: 'reasoning', content: textOf(part['text']) };
    case 'thinking':
      return { type: 'reasoning', content: textOf(part['thinking']) };
    case 'tool_use':
      return { type: 'tool_call', id: part['id'], name: part['name'], arguments: part['input'] };
    case 'tool_result':
      return { type: 'tool_call_response', id: part['tool_use_id'], response: partsOf(part['content']) };
    case 'image':
    case 'image_url':
    case 'input_image':
      return media('image', part);
    default:
      return { type: textOf(type) || 'unknown' };
  }
}

/** An image as its URL. For inline data, only the media type is kept. */
function media(modality: string, part: Fields): Part {
  const source = fieldsOf(part['source']);
  const url = textOf(part['image_url']) || textOf(fieldsOf(part['image_url'])['url']) || textOf(source['url']);
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
