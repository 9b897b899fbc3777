// The rules of a fake without a script, over a real socket: on the three surfaces, as JSON and as a stream.
import { describe, expect } from 'vitest';
import { fakeKey } from '../../src/testing/index.ts';
import { test as it } from '../support/fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of three surfaces
type Wire = any;
/** What a program sees of a turn, on any surface. */
interface Seen {
  readonly model: string;
  readonly kind: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Wire }[];
  readonly finish: string;
  readonly tokens: { readonly input: number; readonly output: number; readonly total: number };
}
interface Asked {
  readonly question?: string;
  readonly tools?: readonly { readonly name: string; readonly schema: object }[];
  readonly choice?: 'auto' | 'none' | 'any' | { readonly name: string };
  readonly format?: 'json_object' | { readonly schema: object };
  /** Appends a call of the first tool, and its result. */
  readonly answered?: boolean;
}
interface Surface {
  readonly path: string;
  body(asked: Asked): object;
  whole(body: Wire): Seen;
  streamed(events: readonly Wire[]): Seen;
}

const model = 'glm-4.6';
const city = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 6 }, days: { type: 'integer', minimum: 2 } },
  required: ['city', 'days'],
};
const tools = [
  { name: 'get_time', schema: { type: 'object' } },
  { name: 'getWeather', schema: city },
];
const parsed = (text: string): Wire => (text === '' ? {} : JSON.parse(text));
const joined = (events: readonly Wire[], read: (event: Wire) => string | undefined): string => events.map((event) => read(event) ?? '').join('');

const surfaces: Record<string, Surface> = {
  chat: {
    path: '/chat/completions',
    body: ({ question = 'Hi', tools: offered, choice, format, answered }) => ({
      model,
      messages: [
        { role: 'user', content: question },
        ...(answered
          ? [
              {
                role: 'assistant',
                content: null,
                tool_calls: [{ id: 'a', type: 'function', function: { name: offered?.[0]?.name, arguments: '{}' } }],
              },
              { role: 'tool', tool_call_id: 'a', content: question },
            ]
          : []),
      ],
      tools: offered?.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })),
      tool_choice: typeof choice === 'object' ? { type: 'function', function: choice } : choice === 'any' ? 'required' : choice,
      response_format: typeof format === 'object' ? { type: 'json_schema', json_schema: { name: 'x', ...format } } : format && { type: format },
    }),
    whole: ({ model: named, object, choices: [{ message, finish_reason }], usage }) => ({
      model: named,
      kind: object,
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map((call: Wire) => ({ name: call.function.name, args: parsed(call.function.arguments) })),
      finish: finish_reason,
      tokens: { input: usage.prompt_tokens, output: usage.completion_tokens, total: usage.total_tokens },
    }),
    streamed: (events) => {
      const deltas = events.map((event) => event.choices[0].delta);
      const first = deltas.flatMap((delta) => delta.tool_calls ?? []);
      const names = first.flatMap((call: Wire) => call.function.name ?? []);
      const args = joined(first, (call) => call.function.arguments);
      const { usage, choices } = events.at(-1);
      expect(new Set(events.map((event) => event.object))).toEqual(new Set(['chat.completion.chunk']));
      expect(new Set(events.map((event) => event.model)).size).toBe(1);
      return {
        model: events[0].model,
        kind: 'chat.completion',
        text: joined(deltas, (delta) => delta.content),
        calls: names.map((name: string) => ({ name, args: parsed(args) })),
        finish: choices[0].finish_reason,
        tokens: { input: usage.prompt_tokens, output: usage.completion_tokens, total: usage.total_tokens },
      };
    },
  },
  messages: {
    path: '/v1/messages',
    body: ({ question = 'Hi', tools: offered, choice, format, answered }) => ({
      model,
      max_tokens: 100,
      messages: [
        { role: 'user', content: question },
        ...(answered
          ? [
              { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: offered?.[0]?.name, input: {} }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: question }] },
            ]
          : []),
      ],
      tools: offered?.map(({ name, schema }) => ({ name, input_schema: schema })),
      tool_choice: choice && (typeof choice === 'object' ? { type: 'tool', ...choice } : { type: choice }),
      output_config: format && { format: typeof format === 'object' ? { type: 'json_schema', ...format } : { type: format } },
    }),
    whole: ({ model: named, type, content, stop_reason, usage }) => ({
      model: named,
      kind: type,
      text: joined(content, (block) => block.text),
      calls: content.filter((block: Wire) => block.type === 'tool_use').map(({ name, input }: Wire) => ({ name, args: input })),
      finish: stop_reason,
      tokens: { input: usage.input_tokens, output: usage.output_tokens, total: usage.input_tokens + usage.output_tokens },
    }),
    streamed: (events) => {
      const { message } = events[0];
      const end = events.find(({ type }) => type === 'message_delta');
      const args = joined(events, (event) => event.delta?.partial_json);
      const content = events
        .filter(({ type }) => type === 'content_block_start')
        .map(({ content_block: block }) =>
          block.type === 'text' ? { ...block, text: joined(events, (event) => event.delta?.text) } : { ...block, input: parsed(args) },
        );
      return surfaces['messages']?.whole({ ...message, content, stop_reason: end.delta.stop_reason, usage: end.usage }) as Seen;
    },
  },
  responses: {
    path: '/responses',
    body: ({ question = 'Hi', tools: offered, choice, format, answered }) => ({
      model,
      input: answered
        ? [
            { type: 'message', role: 'user', content: question },
            { type: 'function_call', call_id: 'a', name: offered?.[0]?.name, arguments: '{}' },
            { type: 'function_call_output', call_id: 'a', output: question },
          ]
        : question,
      tools: offered?.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })),
      tool_choice: typeof choice === 'object' ? { type: 'function', ...choice } : choice === 'any' ? 'required' : choice,
      text: format && { format: typeof format === 'object' ? { type: 'json_schema', name: 'x', ...format } : { type: format } },
    }),
    whole: ({ model: named, object, output, status, usage }) => ({
      model: named,
      kind: object,
      text: joined(output, (item) => item.content?.[0].text),
      calls: output.filter((item: Wire) => item.type === 'function_call').map((item: Wire) => ({ name: item.name, args: parsed(item.arguments) })),
      finish: status,
      tokens: { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens },
    }),
    streamed: (events) => {
      const whole = surfaces['responses']?.whole(events.at(-1).response) as Seen;
      expect(joined(events, ({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''))).toBe(whole.text);
      return whole;
    },
  },
};

const rules: [name: string, asked: Asked, expected: Partial<Seen>][] = [
  ['the asked model answers with a text', {}, { text: expect.stringMatching(/\w+ \w+/), calls: [] }],
  ['a forced tool is called', { tools, choice: { name: 'getWeather' } }, { calls: [{ name: 'getWeather', args: { city: 'textte', days: 2 } }] }],
  ['any tool is the first', { tools, choice: 'any' }, { calls: [{ name: 'get_time', args: {} }] }],
  [
    'of any tool, the one that the question names',
    { tools, choice: 'any', question: 'Weather?' },
    { calls: [{ name: 'getWeather', args: expect.anything() }] },
  ],
  [
    'an offered tool that the question names is called',
    { tools, question: 'How is the weather?' },
    { calls: [{ name: 'getWeather', args: expect.anything() }] },
  ],
  ['an offered tool that does not fit is not called', { tools }, { text: expect.stringMatching(/\w/), calls: [] }],
  ['no tool is called after a result', { tools, question: 'weather', answered: true }, { text: expect.stringMatching(/\w/), calls: [] }],
  ['no tool is called with none', { tools, question: 'weather', choice: 'none' }, { text: expect.stringMatching(/\w/), calls: [] }],
  ['JSON is an object', { format: 'json_object' }, { text: expect.stringMatching(/^\{".*\}$/), calls: [] }],
  ['JSON follows the schema', { format: { schema: city } }, { text: JSON.stringify({ city: 'textte', days: 2 }), calls: [] }],
];

describe.for(Object.entries(surfaces))('%s', ([name, surface]) => {
  describe.for(['JSON', 'stream'])('as %s', (how) => {
    it.for(rules)('%s', async ([, asked, expected], { fake }) => {
      const body = JSON.stringify({ ...surface.body(asked), stream: how === 'stream' });
      const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' };
      const reply = await fetch(fake.url + surface.path, { method: 'POST', headers, body });
      const text = await reply.text();
      expect(reply.status, text).toBe(200);
      const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
      const seen = how === 'JSON' ? surface.whole(JSON.parse(text)) : surface.streamed(events);
      expect(seen).toMatchObject({ model, kind: { chat: 'chat.completion', messages: 'message' }[name] ?? 'response', ...expected });
      expect(seen.tokens.total).toBe(seen.tokens.input + seen.tokens.output);
      expect(seen.finish).toBe(
        { chat: ['stop', 'tool_calls'], messages: ['end_turn', 'tool_use'] }[name]?.[Math.min(1, seen.calls.length)] ?? 'completed',
      );
      const warning = typeof asked.format === 'object' ? [expect.stringContaining('json_schema')] : [];
      expect(fake.requests.at(-1)?.warnings.filter((one) => one.includes('json_schema'))).toEqual(warning);
    });
  });
});
