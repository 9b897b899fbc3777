// A tool call that the model wrote as text, in the notation of its template, is named; a text about the notation is not.
import { expect, test } from 'vitest';
import { finishError, newClient } from '../../src/overlay/index.ts';
import { endsWithCall } from '../../src/overlay/surfaces/leaked-call.ts';
import { collectedOf, onBothWays } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const args = '<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>';
const leaks = [
  `<tool_call>get_weather\n${args}\n</tool_call>`,
  `Let me look.<tool_call>get_weather${args}</tool_call>\n`,
  `<tool_call>get_weather\n${args}`,
  '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Par',
  '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>',
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}',
  `I will ask.\nget_weather\n${args}\n</tool_call>`,
  'One moment.\n<tool_call>list_files\n</tool_call>',
  'get_weather</arg_value>',
  'Sure.\nParis</arg_value>\n</tool_call>',
  `<tool_call>a\n${args}\n</tool_call>\n<tool_call>b\n${args}\n</tool_call>`,
  'With `code` first.\n<tool_call>mcp__fs.read\n<arg_key>path</arg_key>\n<arg_value>x = `y`</arg_value>\n</tool_call>',
];
const quotes = [
  'The template begins a call with <tool_call> and ends it with </tool_call>.',
  'A call is written as `<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>`',
  `An example:\n\n\`\`\`xml\n<tool_call>get_weather\n${args}\n</tool_call>\n\`\`\`\n`,
  `An example, cut off:\n\`\`\`\n<tool_call>get_weather\n${args}`,
  'Tool calls are wrapped in <tool_call></tool_call>',
  'Arguments are <arg_key> and <arg_value> pairs.',
  `They look like this: <tool_call>get_weather${args}</tool_call> in the raw text.`,
  'A stray `get_weather</arg_value>` is a known fault.',
  'The name had </arg_value> behind it, as in "get_weather</arg_value>".',
  `As a block:\n\n    <tool_call>get_weather\n    ${args.replace('\n', '\n    ')}\n    </tool_call>`,
  `> <tool_call>get_weather\n> ${args.replace('\n', '\n> ')}\n> </tool_call>`,
  '{"note": "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>"}',
  'A call ends with </arg_value></tool_call>',
  'x <arg_value> y',
  '',
];

onBothWays((driver, clientFor) => {
  test('ten leaked forms are named with surface and model, and ten quotations are not, in a reply and in a stream', async () => {
    const client = clientFor(fake);
    for (const text of [...leaks, ...quotes]) {
      fake.answer(driver.operation, { turn: { text } }, { turn: { text } });
      for (const reply of [await driver.create(client), await collectedOf(driver.stream(client))]) {
        const error = finishError(reply as never);
        const blank = text.trim() === '' && driver.surface !== 'messages' ? 'no_answer' : undefined;
        expect([text, error?.reason]).toEqual([text, leaks.includes(text) ? 'leaked_tool_call' : blank]);
        if (error?.reason !== 'leaked_tool_call') continue;
        expect(error.message).toBe(
          `finish reason leaked_tool_call: glm-5.2 wrote a tool call as text on ${driver.surface}; the same request may succeed`,
        );
        expect(error).toMatchObject({ category: 'server', retryable: true });
      }
    }
  });

  test('the name of a call with marks is named, and the loop neither repairs it nor stops', async () => {
    const client = clientFor(fake);
    for (const name of ['get_weather</arg_value>', '<tool_call>get_weather', 'get_weather<arg_key>city']) {
      fake.answer(driver.operation, { turn: { toolCalls: [{ name, arguments: {} }] } });
      expect(finishError((await driver.create(client)) as never)?.reason).toBe('leaked_tool_call');
    }
    fake.answer(driver.operation, { turn: { text: leaks[0] ?? '', toolCalls: [{ name: 'f</arg_value>' }] } }, { turn: { text: 'ok' } });
    const tools = {
      tools:
        driver.surface === 'chat'
          ? [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
          : [{ type: 'function', name: 'f', input_schema: { type: 'object' }, parameters: { type: 'object' } }].map(({ type, ...tool }) =>
              driver.surface === 'responses' ? { type, ...tool } : tool,
            ),
    };
    const names: string[] = [];
    const executor = (name: string): string => {
      names.push(name);
      return 'x';
    };
    await driver.service(client).runWithTools(undefined, driver.request('Hi', tools), executor as never);
    expect(names).toEqual(['f</arg_value>']);
  });
});

test('a cut answer keeps its own reason, and the work is linear in the length of a text', async () => {
  const client = newClient(fake.configFor());
  fake.chat.reply({ text: leaks[0] ?? '', finish: 'length' });
  expect(finishError(await client.chat().createSimple(undefined, 'glm-5.2', 'Hi'))?.reason).toBe('length');
  const many = 200_000;
  for (const piece of ['<tool_call>', '<tool_call> ', 'a', ' ', '`', '\n', '</arg_value>', 'a\n', '<arg_key>', '<tool_call>a <arg_key>', '```', '>'])
    endsWithCall(`<tool_call>${piece.repeat(many)}</tool_call>`);
});
