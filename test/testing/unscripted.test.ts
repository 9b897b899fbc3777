// The rules of a fake without a script: on the three surfaces, whole and streamed.
import { describe, expect } from 'vitest';
import { answerOf } from '../../src/overlay/index.ts';
import { collectedOf, type SurfaceName, surfaces } from '../support/both-ways.ts';
import { test as it } from '../support/fixture.ts';

interface Asked {
  readonly question?: string;
  readonly tools?: readonly { readonly name: string; readonly schema: object }[];
  readonly choice?: 'auto' | 'none' | 'any' | { readonly name: string };
  readonly format?: 'json_object' | { readonly schema: object };
  /** Appends a call of the first tool, and its result. */
  readonly answered?: boolean;
}

/** A turn as a program sees it. */
interface Seen {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
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

/** The fields that ask for a turn on a surface, and its ending with calls. */
const wire: Readonly<Record<SurfaceName, { readonly calls: string; fields(asked: Asked): object }>> = {
  chat: {
    calls: 'tool_calls',
    fields: ({ question = 'Hi', tools: offered, choice, format, answered }) => {
      const call = { id: 'a', type: 'function', function: { name: offered?.[0]?.name, arguments: '{}' } };
      const turn = [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: question },
      ];
      return {
        messages: [{ role: 'user', content: question }, ...(answered ? turn : [])],
        tools: offered?.map(({ name, schema }) => ({ type: 'function', function: { name, parameters: schema } })),
        tool_choice: typeof choice === 'object' ? { type: 'function', function: choice } : choice === 'any' ? 'required' : choice,
        response_format: typeof format === 'object' ? { type: 'json_schema', json_schema: { name: 'x', ...format } } : format && { type: format },
      };
    },
  },
  messages: {
    calls: 'tool_use',
    fields: ({ question = 'Hi', tools: offered, choice, format, answered }) => {
      const turn = [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: offered?.[0]?.name, input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: question }] },
      ];
      return {
        messages: [{ role: 'user', content: question }, ...(answered ? turn : [])],
        tools: offered?.map(({ name, schema }) => ({ name, input_schema: schema })),
        tool_choice: choice && (typeof choice === 'object' ? { type: 'tool', ...choice } : { type: choice }),
        output_config: format && { format: typeof format === 'object' ? { type: 'json_schema', ...format } : { type: format } },
      };
    },
  },
  responses: {
    calls: 'completed',
    fields: ({ question = 'Hi', tools: offered, choice, format, answered }) => {
      const turn = [
        { type: 'function_call', call_id: 'a', name: offered?.[0]?.name, arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: question },
      ];
      return {
        input: answered ? [{ type: 'message', role: 'user', content: question }, ...turn] : question,
        tools: offered?.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })),
        tool_choice: typeof choice === 'object' ? { type: 'function', ...choice } : choice === 'any' ? 'required' : choice,
        text: format && { format: typeof format === 'object' ? { type: 'json_schema', name: 'x', ...format } : { type: format } },
      };
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
  ['no tool is called with tool_choice none', { tools, question: 'weather', choice: 'none' }, { text: expect.stringMatching(/\w/), calls: [] }],
  ['JSON is an object', { format: 'json_object' }, { text: expect.stringMatching(/^\{".*\}$/), calls: [] }],
  ['JSON follows the schema', { format: { schema: city } }, { text: JSON.stringify({ city: 'textte', days: 2 }), calls: [] }],
];

describe.for(surfaces)('$surface', (driver) => {
  describe.for(['JSON', 'stream'])('as %s', (how) => {
    it.for(rules)('%s', async ([, asked, expected], { fake, client }) => {
      const request = driver.request('', { model, ...wire[driver.surface].fields(asked) });
      const service = driver.service(client);
      const reply = how === 'JSON' ? await service.create(undefined, request) : await collectedOf(service.stream(undefined, request));
      const { text, calls, usage } = answerOf(reply as never);
      expect({ text, calls: calls.map(({ name, read }) => ({ name, args: read?.value })) }).toMatchObject(expected);
      const { choices, stop_reason, status, ...facts } = reply as Record<string, string> & { choices?: { finish_reason: string }[] };
      expect(facts['model']).toBe(model);
      if (how === 'JSON')
        expect(facts['object'] ?? facts['type']).toBe({ chat: 'chat.completion', messages: 'message', responses: 'response' }[driver.surface]);
      expect(choices?.[0]?.finish_reason ?? stop_reason ?? status).toBe(calls.length === 0 ? driver.stop : wire[driver.surface].calls);
      const { prompt_tokens, completion_tokens, input_tokens, output_tokens, total_tokens } = usage as Record<string, number>;
      const sum = Number(prompt_tokens ?? input_tokens) + Number(completion_tokens ?? output_tokens);
      expect(total_tokens ?? sum).toBe(sum);
      const warning = typeof asked.format === 'object' ? [expect.stringContaining('json_schema')] : [];
      expect(fake.requests.at(-1)?.warnings.filter((one) => one.includes('json_schema'))).toEqual(warning);
    });
  });
});
