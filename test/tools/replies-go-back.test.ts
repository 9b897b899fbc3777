import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  type AnthropicMessage,
  anthropicTextMessage,
  type ChatRequest,
  type ChatResponse,
  defineTool,
  isModelsvcError,
  type Message,
  newFunctionTool,
  toolRun,
} from '../../src/overlay/index.ts';
import { looped, onBothWays } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { chatAnswer, chatFrames, eventFrames, messageAnswer, scriptedModel } from '../support/scripted-model.ts';

const tools = [newFunctionTool('weather', 'The weather of a city', { type: 'object', properties: { city: { type: 'string' } } })];
const request: ChatRequest = { model: 'glm-5.2', messages: [{ role: 'user', content: 'Weather?' }], tools };
const call = { id: 'a', function: { name: 'weather', arguments: '{"city":"Paris"}' } };
const bye = chatAnswer({ content: 'Sunny.' });

/** Assistant messages as recorded servers and gateways send them. */
const chatMessages: [name: string, message: object][] = [
  ['a call with null fields', { content: null, audio: null, tool_calls: [{ ...call, type: null, index: 0 }] }],
  [
    'a call that the service ran',
    { content: 'x', tool_calls: [{ id: 'm', type: 'mcp', mcp: { id: 'm', type: 'mcp_call', output: {}, error: null } }] },
  ],
  ['reasoning as an object', { content: 'x', reasoning_content: { text: 'so' } }],
];

describe('chat', () => {
  test.each(chatMessages)('a reply goes back unchanged: %s', async (_name, message) => {
    const { client, requests } = await scriptedModel(chatAnswer(message), bye);
    const reply = await client.chat().create(undefined, request);
    const messages = [...request.messages, reply.choices[0]?.message as Message, { role: 'user', content: 'And?' }];
    await client.chat().create(undefined, { ...request, messages });
    expect(requests[1]?.body.messages[1]).toEqual({ role: 'assistant', ...message });
  });

  test('the tool loop goes on after a call with null fields, and sends them back', async () => {
    const message = { content: null, audio: null, refusal: null, tool_calls: [{ ...call, type: 'function', index: 0 }] };
    const { client, requests } = await scriptedModel(chatAnswer(message, 'tool_calls'), bye);
    await client.chat().runWithTools(undefined, request, () => 'sunny');
    expect(requests[1]?.body.messages[1]).toEqual({ role: 'assistant', ...message });
  });

  test('a message without a role and without calls gets no list of calls', async () => {
    const { client } = await scriptedModel(chatAnswer({ role: null, content: 'Sunny.' }));
    const reply = await client.chat().runWithTools(undefined, request, () => '');
    expect(toolRun(reply)?.transcript.at(-1)).toEqual({ role: 'assistant', content: 'Sunny.' });
  });

  test('null counts as absent in our own fields too', async () => {
    const { client, requests } = await scriptedModel(bye);
    const nulls = { stream_tool_call: null, temperature: null, tools: null, response_format: null };
    await client.chat().create(undefined, { ...request, ...nulls, messages: [{ role: 'user', content: 'hi', images: null }] } as never);
    expect(requests[0]?.body.messages).toEqual([{ role: 'user', content: 'hi' }]);
    expect(requests[0]?.body).not.toHaveProperty('tool_stream');
  });
});

const serverTools: [name: string, block: object][] = [
  ['a failed web search', { type: 'web_search_tool_result', tool_use_id: 's', content: { type: 'web_search_tool_result_error', error_code: 'x' } }],
  [
    'a fetched page',
    {
      type: 'web_fetch_tool_result',
      tool_use_id: 's',
      content: {
        type: 'web_fetch_result',
        url: 'https://example.com',
        content: { type: 'document', source: { type: 'text', data: 'x' }, title: null },
      },
    },
  ],
  ['found tools', { type: 'tool_search_tool_result', tool_use_id: 's', content: { type: 'tool_search_tool_search_result', tool_references: [] } }],
  ['a search result', { type: 'search_result', source: 'https://example.com', title: 'A', content: [{ type: 'text', text: 'x' }] }],
  ['null in optional fields', { type: 'text', text: 'x', citations: null, cache_control: null, signature: null, source: null, input: null }],
];

describe('messages', () => {
  const question = { model: 'glm-5.2', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };

  test.each(serverTools)('a block goes back unchanged: %s', async (_name, block) => {
    const { client, requests } = await scriptedModel(messageAnswer([block]), messageAnswer([{ type: 'text', text: 'bye' }]));
    const reply = await client.anthropic().create(undefined, question);
    const messages = [...question.messages, reply as AnthropicMessage, anthropicTextMessage('user', 'And?')];
    await client.anthropic().create(undefined, { ...question, messages });
    expect(requests[1]?.body.messages[1].content).toEqual([block]);
  });

  test.each([
    ['tool_result', { type: 'tool_result', tool_use_id: 'a', content: {} }, 'content'],
    ['image', { type: 'image', source: 'https://example.com/a.png' }, 'source'],
  ])('our own blocks keep their rules: %s', async (_name, block, field) => {
    const { client } = await scriptedModel(bye);
    const error = await failure(client.anthropic().create(undefined, { ...question, messages: [{ role: 'user', content: [block] }] } as never));
    expect(isModelsvcError(error, 'validation') && error.path).toBe(`messages[0].content[0].${field}`);
  });

  test.each(['', null, undefined])('a call whose input is %j has an empty object from create, and goes back with it', async (input) => {
    const asked = [{ type: 'tool_use', id: 'a', name: 'f', input }];
    const { client, requests } = await scriptedModel(messageAnswer(asked, 'tool_use'), messageAnswer([{ type: 'text', text: 'bye' }]));
    const seen: string[] = [];
    await client.anthropic().runWithTools(undefined, { ...question, tools: [{ name: 'f', input_schema: { type: 'object' } }] }, (_, text) => {
      seen.push(text);
      return 'ok';
    });
    expect(seen).toEqual(['{}']);
    expect(requests[1]?.body.messages[1].content).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {} }]);
  });

  test('a streamed call that was cut off does not run; its text is in the response, and an empty input in the transcript', async () => {
    const frames = eventFrames([
      { type: 'message_start', message: { ...messageAnswer([]), stop_reason: null } } as { type: string },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } } as { type: string },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"ci' } } as { type: string },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 64 } } as { type: string },
      { type: 'message_stop' },
    ]);
    const { client } = await scriptedModel(frames);
    const stream = client.anthropic().streamWithTools(undefined, { ...question, tools: [{ name: 'f', input_schema: { type: 'object' } }] }, () => {
      throw new Error('must not run');
    });
    for await (const _ of stream);
    const run = toolRun(stream);
    expect(run?.response).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'tool_use', input: '{"ci' }] });
    expect(run?.transcript.at(-2)).toMatchObject({ content: [{ type: 'tool_use', input: {} }] });
  });
});

describe('a result that is an error', () => {
  class Refused extends Error {}
  const results: [name: string, result: unknown, text: string][] = [
    ['an Error', new Error('no such city'), 'error: no such city'],
    ['a subclass of Error', new Refused('no'), 'error: no'],
    ['an Error of another realm', runInNewContext("new TypeError('elsewhere')"), 'error: elsewhere'],
    ['an Error in a promise', Promise.resolve(new TypeError('bad')), 'error: bad'],
  ];
  const answers = [chatAnswer({ content: null, tool_calls: [{ ...call, type: 'function' }] }, 'tool_calls'), bye];

  test.each([
    ...results,
    ['undefined', undefined, 'error: the executor returned no result for the tool weather'],
    ['undefined in a promise', Promise.resolve(), 'error: the executor returned no result for the tool weather'],
  ])('an executor that returns %s: the model reads the error', async (_name, result, text) => {
    const { client, requests } = await scriptedModel(...answers);
    await client.chat().runWithTools(undefined, request, () => result as string);
    expect(requests[1]?.body.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'a', content: text });
  });

  test.each([...results, ['undefined', undefined, 'null']])(
    'a typed tool that returns %s: the model reads the error, and null for undefined',
    async (_name, result, text) => {
      const { client, requests } = await scriptedModel(...answers);
      const typed = defineTool({ name: 'weather', description: '', input: { type: 'object' }, run: () => result });
      await client.chat().runWithTools(undefined, { ...request, tools: [] }, [typed]);
      expect(requests[1]?.body.messages.at(-1).content).toBe(text);
    },
  );

  test('on the message surface it is marked as an error, in a streamed loop too', async () => {
    const asked = [{ type: 'tool_use', id: 'a', name: 'f', input: {} }];
    const { client, requests } = await scriptedModel(messageAnswer(asked, 'tool_use'), messageAnswer([{ type: 'text', text: 'bye' }]));
    const question = { model: 'glm-5.2', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };
    await client
      .anthropic()
      .runWithTools(undefined, { ...question, tools: [{ name: 'f', input_schema: { type: 'object' } }] }, (() => undefined) as never);
    expect(requests[1]?.body.messages.at(-1).content[0]).toMatchObject({ is_error: true, content: expect.stringMatching(/^error: /) });
  });

  test('a chat call cut off before its name does not fail the streamed loop', async () => {
    const { client } = await scriptedModel(
      chatFrames([{ choices: [{ index: 0, delta: { content: 'I', tool_calls: [{ index: 0, id: 'a' }] }, finish_reason: 'length' }] }]),
    );
    const stream = client.chat().streamWithTools(undefined, request, () => '');
    for await (const _ of stream);
    expect(toolRun(stream)?.response).toMatchObject({ choices: [{ finish_reason: 'length', message: { content: 'I' } }] });
  });
});

const fake = await sharedFake();

onBothWays((driver, clientFor) => {
  test('a transcript goes back with a new message, and a failed run names its surface', async () => {
    const clock = defineTool({ name: 'clock', input: { type: 'object' }, run: () => 'noon' });
    const asks = { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } };
    fake.answer(driver.operation, asks, { turn: { text: 'Noon.' } }, { turn: { text: 'Sure.' } }, asks, asks);
    const client = clientFor(fake);
    const run = toolRun((await looped(driver, client, { stream: false, tools: [clock] })) as ChatResponse);
    expect(run).toMatchObject({ surface: driver.surface, modelCalls: 2 });
    const conversation = run?.transcript ?? [];
    conversation.push({ role: 'user', content: 'Sure?' });
    const field = driver.surface === 'responses' ? 'input' : 'messages';
    await driver.service(client).create(undefined, driver.request('', { [field]: conversation }));
    expect(fake.requests.at(-1)?.body).toMatchObject({ [field]: JSON.parse(JSON.stringify(conversation)) });
    const error = await failure(looped(driver, client, { stream: false, tools: [clock], options: { maxRounds: 1 } }));
    expect(toolRun(error as Error)).toMatchObject({ surface: driver.surface, modelCalls: 2 });
  });
});
