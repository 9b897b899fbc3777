// A stream collects to the response of `create`: a response is made, a splitter of the tests cuts it into a stream, and the two are compared.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnthropicStreamEvent, type ChatChunk, collect } from '../../src/overlay/index.ts';
import { ChatAccumulator } from '../../src/overlay/streams/chat-accumulator.ts';

type Fields = Record<string, unknown>;

async function* given<T>(items: readonly object[]): AsyncGenerator<T> {
  for (const item of items) yield structuredClone(item) as T;
}

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value)) as fc.Arbitrary<Fields>;
/** Positions at which a text is cut, as fractions of its length. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });

/** The text in pieces; the pieces together are the text. */
function pieces(text: string, at: readonly number[]): string[] {
  const ends = [...at.map((fraction) => Math.floor(fraction * text.length)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const given1 = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const call = fc.record({
  id: fc.uuid(),
  name: fc.stringMatching(/^[a-z]{1,8}$/),
  arguments: json.map((value) => JSON.stringify(value)),
  mark: optional(texts),
});
const chatMessage = fc.record({
  content: fc.option(texts),
  reasoning_content: optional(texts),
  reasoning: optional(texts),
  refusal: optional(fc.option(texts)),
  annotations: optional(fc.array(fc.record({ type: fc.constant('url_citation'), url: texts }), { minLength: 1, maxLength: 3 })),
  details: optional(fc.record({ text: texts, score: fc.integer(), id: fc.uuid() })),
  calls: fc.array(call, { maxLength: 3 }),
});
const chatChoice = fc.record({
  message: chatMessage,
  finish: fc.constantFrom('stop', 'tool_calls', 'length', 'brand_new'),
  logprobs: optional(fc.array(fc.record({ token: texts, logprob: fc.integer() }), { minLength: 1, maxLength: 3 })),
  native: optional(fc.option(texts)),
  cuts,
});
const chatCase = fc.record({
  head: fc.record({ id: fc.uuid(), model: texts, created: fc.nat(), system_fingerprint: fc.option(texts) }),
  choices: fc.array(chatChoice, { minLength: 1, maxLength: 3 }),
  tail: fc.record({ usage: fc.record({ total_tokens: fc.nat() }), timings: fc.record({ ms: fc.integer() }) }),
});
type ChatCase = typeof chatCase extends fc.Arbitrary<infer T> ? T : never;
type Choice = ChatCase['choices'][number];

function chatResponse({ head, choices, tail }: ChatCase): Fields {
  return {
    ...head,
    object: 'chat.completion',
    choices: choices.map(({ message: { calls, ...message }, finish, logprobs, native }, index) => ({
      index,
      message: given1({
        role: 'assistant',
        ...message,
        tool_calls:
          calls.length === 0
            ? undefined
            : calls.map(({ id, name, arguments: text, mark }) =>
                given1({ id, type: 'function', function: { name, arguments: text }, ...(mark === undefined ? {} : { mark }) }),
              ),
      }),
      ...given1({ logprobs: logprobs && { content: logprobs }, native_finish_reason: native }),
      finish_reason: finish,
    })),
    ...tail,
  };
}

/** The deltas of one choice, and the fields of the choice in addition to each. */
function deltasOf({ message, finish, logprobs, native, cuts: at }: Choice): { delta: Fields; beside: Fields }[] {
  const steps: { delta: Fields; beside: Fields }[] = [{ delta: { role: 'assistant', content: null }, beside: { finish_reason: null } }];
  const step = (delta: Fields, beside: Fields = {}): void => void steps.push({ delta, beside });
  for (const name of ['reasoning_content', 'reasoning', 'content', 'refusal'] as const) {
    const value = message[name];
    if (typeof value === 'string') for (const piece of pieces(value, at)) step({ [name]: piece });
    else if (value === null) step({ [name]: null });
  }
  for (const one of message.annotations ?? []) step({ annotations: [one] });
  if (message.details) for (const text of pieces(message.details.text, at)) step({ details: { ...message.details, text } });
  for (const [index, one] of message.calls.entries()) {
    const [first = '', ...others] = pieces(one.arguments, at);
    step({ tool_calls: [{ index, id: one.id, type: 'function', function: { name: one.name, arguments: first } }] });
    for (const piece of others) step({ tool_calls: [{ index, function: { arguments: piece } }] });
    if (one.mark !== undefined) step({ tool_calls: [{ index, mark: one.mark }] });
  }
  for (const one of logprobs ?? []) step({}, { logprobs: { content: [one] } });
  step({}, given1({ finish_reason: finish, native_finish_reason: native }));
  return steps;
}

/** The chunks of a response; the chunks of its choices take turns. */
function chatChunks({ head, choices, tail }: ChatCase): Fields[] {
  const waiting = choices.map((choice, index) => deltasOf(choice).map(({ delta, beside }) => ({ index, delta, ...beside })));
  const chunks: Fields[] = [];
  while (waiting.some((steps) => steps.length > 0))
    for (const steps of waiting) {
      const next = steps.shift();
      if (next) chunks.push({ ...head, object: 'chat.completion.chunk', choices: [next] });
    }
  return [...chunks, { ...head, object: 'chat.completion.chunk', choices: [], ...tail }];
}

test('chat: a response that was cut into chunks comes together again, field by field', async () => {
  await fc.assert(
    fc.asyncProperty(chatCase, async (one) => {
      const chunks = chatChunks(one);
      const before = JSON.stringify(chunks);
      expect(copy(await collect(given<ChatChunk>(chunks)))).toEqual(copy(chatResponse(one)));
      expect(JSON.stringify(chunks)).toBe(before);
    }),
    { seed: 11, numRuns: 400 },
  );
});

test('chat: a response that was looked at does not change with later chunks', () => {
  fc.assert(
    fc.property(chatCase, (one) => {
      const accumulator = new ChatAccumulator();
      const seen: [unknown, string][] = [];
      for (const chunk of chatChunks(one)) {
        accumulator.add(chunk as unknown as ChatChunk);
        const response = accumulator.assembled();
        seen.push([response, JSON.stringify(response)]);
      }
      for (const [response, text] of seen) expect(JSON.stringify(response)).toBe(text);
    }),
    { seed: 12, numRuns: 50 },
  );
});

const citation = fc.record({ type: fc.constant('char_location'), cited_text: texts });
const toolKinds = fc.constantFrom('tool_use', 'server_tool_use', 'mcp_tool_use', 'new_tool_use');
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: texts, citations: optional(fc.array(citation, { minLength: 1, maxLength: 3 })) }).map(given1),
  fc.record({ type: fc.constant('thinking'), thinking: texts, signature: texts }),
  fc.record({ type: toolKinds, id: fc.uuid(), name: texts, input: json, caller: optional(fc.constant({ type: 'direct' })) }).map(given1),
  fc.record({ type: fc.constant('compaction'), content: fc.option(texts) }),
  fc.record({ type: fc.constantFrom('web_fetch_tool_result', 'hologram'), tool_use_id: fc.uuid(), content: json }),
);
const messageCase = fc.record({
  atStart: fc.array(block, { maxLength: 2 }),
  blocks: fc.array(fc.tuple(block, cuts), { maxLength: 5 }),
  start: fc.record({ input_tokens: fc.nat(), cache_read_input_tokens: fc.option(fc.nat()), service_tier: fc.option(texts) }),
  end: fc.record({ output_tokens: fc.nat(), server_tool_use: optional(fc.record({ web_search_requests: fc.nat() })) }).map(given1),
  delta: fc.record({ stop_reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens'), stop_sequence: fc.option(texts) }),
  beside: fc.record({ context_management: optional(fc.record({ applied_edits: fc.constant([]) })) }).map(given1),
});
type MessageCase = typeof messageCase extends fc.Arbitrary<infer T> ? T : never;

const shell = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', container: { id: 'c' } };

function messageOf({ atStart, blocks, start, end, delta, beside }: MessageCase): Fields {
  return { ...shell, content: [...atStart, ...blocks.map(([one]) => one)], ...delta, ...beside, usage: { ...start, ...end } };
}

function begun(one: Fields): Fields {
  if (one['type'] === 'text') return { type: 'text', text: '', ...('citations' in one ? { citations: [] } : {}) };
  if (one['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (one['type'] === 'compaction') return { type: 'compaction', content: null };
  return 'input' in one ? { ...one, input: {} } : one;
}

function deltas(one: Fields, at: readonly number[]): Fields[] {
  const cut = (type: string, name: string, text: unknown): Fields[] =>
    typeof text === 'string' ? pieces(text, at).map((piece) => ({ type, [name]: piece })) : [];
  if (one['type'] === 'text')
    return [
      ...((one['citations'] ?? []) as unknown[]).map((citation) => ({ type: 'citations_delta', citation })),
      ...cut('text_delta', 'text', one['text']),
    ];
  if (one['type'] === 'thinking')
    return [...cut('thinking_delta', 'thinking', one['thinking']), { type: 'signature_delta', signature: one['signature'] }];
  if (one['type'] === 'compaction') return cut('compaction_delta', 'content', one['content']);
  return 'input' in one ? cut('input_json_delta', 'partial_json', JSON.stringify(one['input'])) : [];
}

function eventsOf({ atStart, blocks, start, end, delta, beside }: MessageCase): Fields[] {
  const nulls = Object.fromEntries(Object.keys(start).map((name) => [name, null]));
  const payloads: Fields[] = [
    { type: 'message_start', message: { ...shell, content: atStart, stop_reason: null, stop_sequence: null, usage: start } },
    ...blocks.flatMap(([one, at], position): Fields[] => {
      const index = atStart.length + position;
      return [
        { type: 'content_block_start', index, content_block: begun(one) },
        ...deltas(one, at).map((piece) => ({ type: 'content_block_delta', index, delta: piece })),
        { type: 'content_block_stop', index },
      ];
    }),
    { type: 'message_delta', delta: { ...delta, container: null }, usage: { ...nulls, ...end }, ...beside },
    { type: 'message_stop' },
  ];
  return payloads.map((data) => ({ type: data['type'], data }));
}

test('messages: a reply that was cut into events comes together again, field by field', async () => {
  await fc.assert(
    fc.asyncProperty(messageCase, async (one) => {
      const events = eventsOf(one);
      const before = JSON.stringify(events);
      expect(copy(await collect(given<AnthropicStreamEvent>(events)))).toEqual(copy(messageOf(one)));
      expect(JSON.stringify(events)).toBe(before);
    }),
    { seed: 13, numRuns: 400 },
  );
});

const reply = { ...shell, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 0 } };
const cutOff = (type: string, reason: string | undefined): object[] =>
  [
    { type: 'message_start', message: reply },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I save it.' } },
    { type: 'content_block_start', index: 1, content_block: { type, id: 'a', name: 'save', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"text": "once' } },
    ...(reason === undefined ? [] : [{ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 64 } }]),
  ].map((data) => ({ type: data.type, data }));

test.each(
  ['max_tokens', 'model_context_window_exceeded', 'refusal'].flatMap((reason) =>
    ['tool_use', 'server_tool_use'].map((type) => [reason, type] as const),
  ),
)('messages: after %s the response has the text, the reason, and what arrived of the input of a %s', async (reason, type) => {
  const message = await collect(given<AnthropicStreamEvent>(cutOff(type, reason)));
  expect([message.text(), message.stop_reason]).toEqual(['I save it.', reason]);
  expect(message.content[1]).toEqual({ type, id: 'a', name: 'save', input: '{"text": "once' });
});

test.each(['tool_use', 'end_turn', undefined])('messages: after %s an input that is not JSON is an error', async (reason) => {
  await expect(collect(given<AnthropicStreamEvent>(cutOff('tool_use', reason)))).rejects.toThrow(/block 1 is not JSON \(14 characters\)/);
});

test('chat: a call that was cut off keeps its part of the arguments, and one without a name is not an error then', async () => {
  const chunk = (delta: object, finish_reason?: string): object => ({ choices: [{ index: 0, delta, finish_reason }] });
  const named = { index: 0, id: 'a', function: { name: 'save', arguments: '{"te' } };
  const ended = await collect(given<ChatChunk>([chunk({ content: 'I', tool_calls: [named, { index: 1, id: 'b' }] }, 'length')]));
  expect(ended.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: 'I', tool_calls: [{ function: { arguments: '{"te' } }, { id: 'b' }] },
  });
  await expect(collect(given<ChatChunk>([chunk({ tool_calls: [{ index: 0, id: 'b' }] }, 'tool_calls')]))).rejects.toThrow(/has no name/);
});

test('messages: a field named __proto__ changes no prototype', async () => {
  const delta = JSON.parse('{"stop_reason":"end_turn","__proto__":{"polluted":1}}') as object;
  const events = [
    { type: 'message_start', message: reply },
    { type: 'message_delta', delta, usage: {} },
  ].map((data) => ({ type: data.type, data }));
  const message: object = await collect(given<AnthropicStreamEvent>(events));
  expect((message as Fields)['polluted']).toBeUndefined();
});

test('chat: a field named __proto__ changes no prototype, and deep fields are kept', async () => {
  let deep: object = { text: 'x' };
  for (let level = 0; level < 5000; level++) deep = { deep };
  const hostile = JSON.parse('{"__proto__":{"polluted":1},"extra":{"__proto__":{"polluted":1}}}') as object;
  const chunk = {
    ...hostile,
    choices: [{ index: 0, delta: Object.assign(JSON.parse('{"__proto__":{"polluted":1},"content":"a"}'), { deep }), finish_reason: 'stop' }],
  };
  const accumulator = new ChatAccumulator();
  accumulator.add(chunk as unknown as ChatChunk);
  accumulator.add(chunk as unknown as ChatChunk);
  expect(accumulator.assembled().choices[0]?.message).toMatchObject({ content: 'aa', deep: { deep: {} } });
  for (const one of [accumulator.assembled(), accumulator.assembled().choices[0]?.message])
    expect((one as Fields | undefined)?.['polluted']).toBeUndefined();
});
