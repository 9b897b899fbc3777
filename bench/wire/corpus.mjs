/** The requests that every client sends and the replies that the server and the stubs give. */

export const model = 'glm-4.6';
export const key = 'bench-key';
export const prompt = 'Describe the weather of a harbour town in three sentences.';
export const instructions = 'You answer briefly.';
export const maxTokens = 1024;

const words = [
  ' the',
  ' rain',
  ' harbour',
  ' größer',
  ' and',
  ' wind',
  ' 天气',
  ' slowly',
  ' of',
  ' grey',
  ' boats',
  ',',
  ' café',
  ' under',
  ' light',
  '.',
];

/** The text of `count` deltas: some of it outside ASCII, as answers are. */
export function deltas(count) {
  return Array.from({ length: count }, (_, index) => words[(index * 7 + (index >> 4)) % words.length]);
}

export const answer = deltas(60).join('');

const usage = { prompt_tokens: 31, completion_tokens: 60, total_tokens: 91, prompt_tokens_details: { cached_tokens: 0 } };

export const chatReply = JSON.stringify({
  id: '2026110112000012345678901234',
  object: 'chat.completion',
  created: 1793534400,
  model,
  request_id: '2026110112000098765432109876',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }],
  usage,
});

export const messageReply = JSON.stringify({
  id: 'msg_2026110112000012345678901234',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: answer }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 31, output_tokens: 60, cache_read_input_tokens: 0, server_tool_use: { web_search_requests: 0 }, service_tier: 'standard' },
});

const messageItem = (text) => ({
  id: 'msg_20261101120000',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const response = (status, text) => ({
  id: 'resp_2026110112000012345678901234',
  object: 'response',
  created_at: 1793534400,
  model,
  status,
  output: text === undefined ? [] : [messageItem(text)],
  ...(text !== undefined && { usage: { input_tokens: 31, output_tokens: 60, total_tokens: 91, input_tokens_details: { cached_tokens: 0 } } }),
});

export const responsesReply = JSON.stringify(response('completed', answer));

/** A stream as the texts of its events: `first` before the first delta, one text per delta, `last` after them. */
function chatEvents(texts) {
  const head = { id: '2026110112000012345678901234', created: 1793534400, object: 'chat.completion.chunk', model };
  const more = { request_id: '2026110112000098765432109876' };
  const event = (choice, rest) => `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...more, ...rest })}\n\n`;
  return {
    first: '',
    each: texts.map((content) => event({ delta: { role: 'assistant', content }, logprobs: null, finish_reason: null })),
    last: `${event({ delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`,
  };
}

function messageEvents(texts) {
  const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = { ...JSON.parse(messageReply), content: [], stop_reason: null };
  return {
    first: event({ type: 'message_start', message }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    each: texts.map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    last:
      event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 60 } }) +
      event({ type: 'message_stop' }),
  };
}

function responsesEvents(texts) {
  let sequence_number = 0;
  const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`;
  const place = { item_id: 'msg_20261101120000', output_index: 0, content_index: 0 };
  const whole = texts.join('');
  const first =
    event('response.created', { response: response('in_progress') }) +
    event('response.output_item.added', { output_index: 0, item: { ...messageItem(''), status: 'in_progress', content: [] } }) +
    event('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } });
  const each = texts.map((delta) => event('response.output_text.delta', { ...place, delta }));
  const last =
    event('response.output_text.done', { ...place, text: whole }) +
    event('response.content_part.done', { ...place, part: messageItem(whole).content[0] }) +
    event('response.output_item.done', { output_index: 0, item: messageItem(whole) }) +
    event('response.completed', { response: response('completed', whole) });
  return { first, each, last };
}

const eventsBySurface = { chat: chatEvents, messages: messageEvents, responses: responsesEvents };

export const reply = { chat: chatReply, messages: messageReply, responses: responsesReply };

export function events(surface, count) {
  return eventsBySurface[surface](deltas(count));
}

/** The surface of a URL's path; undefined for other paths. */
export function surfaceOfPath(path) {
  const step = /\/(chat\/completions|messages|responses)$/.exec(path)?.[1];
  return step === 'chat/completions' ? 'chat' : step;
}

const blockBytes = 64 * 1024;

/** A whole stream of `count` deltas in blocks of 64 KB. */
export function blocks(surface, count) {
  const { first, each, last } = events(surface, count);
  const bytes = Buffer.from(first + each.join('') + last);
  return Array.from({ length: Math.ceil(bytes.length / blockBytes) }, (_, index) => bytes.subarray(index * blockBytes, (index + 1) * blockBytes));
}

/** Deltas of a stream in blocks; a stream in paces has its own number in the path. */
export const blockEvents = 4000;
