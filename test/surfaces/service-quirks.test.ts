import { describe, expect, test } from 'vitest';
import {
  type AnthropicReply,
  type ChatChunk,
  type ChatResponse,
  type Client,
  type Config,
  defineTool,
  finishError,
  isApiError,
  isModelsvcError,
  newClient,
  newFunctionTool,
  type ResponsesReply,
  textDeltas,
} from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { collectedOf, onBothWays, type SurfaceDriver, taken, textIn, transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

// What users report of the service itself, one report each.

const fake = await sharedFake();

type Collected = ChatResponse | AnthropicReply | ResponsesReply;

/** The reason of an answer as it stands on the wire. */
function reasonOf(answer: Collected): unknown {
  if ('choices' in answer) return answer.choices[0]?.finish_reason;
  return 'output' in answer ? answer.incomplete_details?.reason : answer.stop_reason;
}

function collected(driver: SurfaceDriver, client: Client): Promise<Collected> {
  return collectedOf(driver.stream(client)) as Promise<Collected>;
}

onBothWays((driver, clientFor) => {
  /** What both a whole call and a stream fail with. */
  async function bothFail(fault: Fault, config: Partial<Config> = {}): Promise<unknown[]> {
    fake.answer(driver.operation, fault);
    const whole = await failure(driver.create(clientFor(fake, config)));
    fake.answer(driver.operation, fault);
    return [whole, (await taken(driver.stream(clientFor(fake, config)))).error];
  }

  test('a stream that was asked for is answered with plain JSON, whatever its content type', async () => {
    for (const type of ['application/json', 'text/plain', 'text/event-stream', undefined]) {
      const typed = type === undefined ? faults.missingContentType() : faults.wrongContentType(type);
      fake.answer(driver.operation, faults.all(faults.jsonForStream(), typed));
      const { items, error } = await taken(driver.stream(clientFor(fake)));
      expect(items).toEqual([]);
      expect(isApiError(error) && error.serviceMessage).toContain('got JSON');
    }
  });

  test.each([
    ['sensitive', 'content', false],
    ['network_error', 'server', true],
    ['model_context_window_exceeded', 'parameter', false],
    ['length', 'parameter', false],
  ])('finish reason %s: the answer is whole on the wire, and finishError says what it is worth', async (finish, category, retryable) => {
    const reply = { turn: { text: 'half of', finish } };
    fake.answer(driver.operation, reply, reply);
    for (const answer of [await driver.create(clientFor(fake)), await collected(driver, clientFor(fake))]) {
      const error = finishError(answer as Collected);
      expect(isModelsvcError(error, 'finish')).toBe(true);
      expect(error).toMatchObject({ name: 'FinishError', reason: reasonOf(answer as Collected), category, retryable });
    }
  });

  test.each(['stop', 'tool_calls', 'a_new_reason'])('finish reason %s is no failure', async (finish) => {
    fake.answer(driver.operation, { turn: { text: 'x', finish } });
    expect(finishError(await collected(driver, clientFor(fake)))).toBeUndefined();
  });

  test('finish reason stop although tools are asked for: the loop ends, and the calls stand in the response', async () => {
    const ran: unknown[] = [];
    const tool = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: (input) => ran.push(input) });
    const asks = { turn: { toolCalls: [{ name: 'clock' }], finish: 'stop' } };
    fake.answer(driver.operation, asks);
    await driver.service(clientFor(fake)).runWithTools(undefined, driver.request('What time is it?'), [tool] as never);
    // A response of the Responses surface has no finish reason beside its status.
    expect(ran).toEqual(driver.surface === 'responses' ? [{}] : []);
    if (driver.surface === 'responses') return;
    expect(fake.requests).toHaveLength(1);
  });

  test('a failure in the second round of a streamed loop: thrown after what came before it', async () => {
    const tool = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
    fake.answer(
      driver.operation,
      { turn: { text: 'Let me see.', toolCalls: [{ name: 'clock' }] } },
      { ...faults.inBandError('1234', 'broken', 3), reply: { turn: { text: ['It ', 'is ', 'noon.'] } } },
    );
    const stream = driver.service(clientFor(fake)).streamWithTools(undefined, driver.request('What time is it?'), [tool] as never);
    const { items, error } = await taken(stream);
    expect(textIn(items)).toMatch(/^Let me see\./);
    expect(error).toMatchObject({ kind: 'api', code: '1234' });
    expect(fake.requests).toHaveLength(2);
  });

  test.each(['', ' ', '{}', undefined])(
    'a tool call without arguments, sent as %j, is the same from create, in a stream and in the tool loop',
    async (args) => {
      const asks = { turn: { toolCalls: [{ name: 'clock', ...(args === undefined ? {} : { arguments: args }) }] } };
      const client = clientFor(fake);
      fake.answer(driver.operation, asks, asks);
      for (const answer of [(await driver.create(client)) as Collected, await collected(driver, client)]) {
        if ('choices' in answer) expect(answer.choices[0]?.message.tool_calls?.[0]?.function).toEqual({ name: 'clock', arguments: '{}' });
        else if ('output' in answer) expect(answer.toolCalls()).toMatchObject([{ name: 'clock', arguments: '{}' }]);
        else expect(answer.content[0]).toMatchObject({ name: 'clock', input: {} });
      }
      const seen: string[] = [];
      const note = (_: string, text: string): string => `noon ${seen.push(text)}`;
      const tools = {
        chat: newFunctionTool('clock', 'The time'),
        messages: { name: 'clock', input_schema: { type: 'object' } },
        responses: { type: 'function', name: 'clock' },
      };
      const request = driver.request('What time is it?', { tools: [tools[driver.surface]] });
      fake.answer(driver.operation, asks, { turn: { text: 'noon' } }, asks, { turn: { text: 'noon' } });
      await driver.service(client).runWithTools(undefined, request, note as never);
      await taken(driver.service(client).streamWithTools(undefined, request, note as never));
      expect(seen).toEqual(['{}', '{}']);
      const sent = {
        chat: { messages: [{}, { tool_calls: [{ function: { name: 'clock', arguments: '{}' } }] }, {}] },
        messages: { messages: [{}, { content: [{ name: 'clock', input: {} }] }, {}] },
        responses: { input: [{}, { name: 'clock', arguments: '{}' }, {}] },
      };
      for (const at of [3, 5]) expect(fake.requests[at]?.body).toMatchObject(sent[driver.surface]);
    },
  );

  test('code, words and request id in brackets, all in the message', async () => {
    const error = { type: 'rate_limit_error', message: '[1113][Insufficient balance, [really]][2025010112000012ab]' };
    const body = { type: 'error', error };
    fake.answer(driver.operation, { body, status: 429, headers: { 'x-log-id': '' } });
    const whole = await failure(driver.create(clientFor(fake)));
    expect(whole).toMatchObject({
      kind: 'api',
      code: '1113',
      category: 'billing',
      serviceMessage: 'Insufficient balance, [really]',
      retryable: false,
    });
    // Its 429 is not worth a second try, since the code says why.
    expect(fake.requests).toHaveLength(1);
    fake.answer(driver.operation, { frames: [`event: error\ndata: ${JSON.stringify(body)}\n\n`] });
    expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ code: '1113' });
    fake.answer(driver.operation, { body: { type: 'error', error: { ...error, message: '[note] not of that form' } }, status: 400 });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ code: 'rate_limit_error', serviceMessage: '[note] not of that form' });
  });

  test.each([
    ['beside them, in the error', { request_id: 'log-4711' }, {}, 'log-4711'],
    ['beside the error', {}, { request_id: 'log-4711' }, 'log-4711'],
    ['in the brackets alone', {}, {}, '2025010112000012ab'],
  ])('the code, once more in brackets with the words, and the request id %s', async (_place, inner, outer, requestId) => {
    const message = '[1113][Insufficient balance, [really]][2025010112000012ab]';
    const body = { type: 'error', error: { code: '1113', message, ...inner }, ...outer };
    const expected = { kind: 'api', code: '1113', category: 'billing', serviceMessage: 'Insufficient balance, [really]', requestId };
    fake.answer(driver.operation, { body, status: 429, headers: { 'x-log-id': '' } });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject(expected);
    const [event, data] = ['event: error\n', `data: ${JSON.stringify(body)}\n\n`];
    for (const frame of [`${event}${data}`, data]) {
      fake.answer(driver.operation, { frames: [frame], headers: { 'x-log-id': '' } });
      expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ ...expected, status: 200 });
    }
    // The header names the request that support can find.
    fake.answer(driver.operation, { body, status: 429, headers: { 'x-log-id': 'log-of-the-header' } });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ ...expected, requestId: 'log-of-the-header' });
  });

  test.each(['1308', '1310', '1316', '1321'])(
    'code %s says in words when the limit resets: retryAfter has it, and the call is not repeated',
    async (code) => {
      // In an hour, by the clock of the service, UTC+8. `call/service-clock.test.ts` has the exact waits.
      const reset = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
      const words = `Usage limit reached for 5 hour. Your limit will reset at ${reset}`;
      const anHour = expect.toSatisfy((ms) => typeof ms === 'number' && ms >= 0 && ms <= 3_601_000, 'a wait of an hour or less');
      const expected = { kind: 'api', code, category: 'quota', retryable: false, serviceMessage: words, retryAfter: anHour, attempts: 1 };
      for (const message of driver.surface === 'messages' ? [words, `[${code}][${words}][2026112208000012ab]`] : [words])
        for (const error of await bothFail(faults.error(429, code, message))) expect(error).toMatchObject(expected);
      const requests = driver.surface === 'messages' ? 4 : 2;
      expect(fake.requests).toHaveLength(requests);
      fake.answer(driver.operation, { ...faults.eventError(code, words, 2), reply: { turn: { text: ['a', 'b'] } } });
      expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject(expected);
      // A header of the service is more exact than its words.
      const { body } = { body: { error: { code, message: words } } };
      fake.answer(driver.operation, { body, status: 429, headers: { 'retry-after': '7' } });
      expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ code, retryAfter: 7000 });
      fake.answer(driver.operation, faults.error(429, code, 'Usage limit reached.'));
      expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ code, retryAfter: undefined });
      // Only the codes of a window carry the time of its reset.
      fake.answer(driver.operation, faults.error(400, '1210', 'The date 2026-11-22 08:00:45 is not allowed.'));
      expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ code: '1210', retryAfter: undefined });
    },
  );

  test('only a thought, and an empty answer', async () => {
    const reply = { turn: { reasoning: ['so ', 'then'] } };
    fake.answer(driver.operation, reply, reply);
    let text = '';
    for await (const piece of textDeltas(driver.stream(clientFor(fake)) as AsyncIterable<ChatChunk>, { incomplete: 'return' })) text += piece;
    expect(text).toBe('');
    expect(JSON.stringify(await collected(driver, clientFor(fake)))).toContain('so then');
  });

  test("a firewall's page with status 405", async () => {
    for (const error of await bothFail(faults.htmlErrorPage(405))) {
      expect(error).toMatchObject({ kind: 'api', status: 405, code: undefined, category: 'parameter' });
      expect(String(error)).toContain('got an HTML page instead of JSON');
      expect(String(error)).not.toContain('<');
    }
    expect(fake.requests).toHaveLength(2);
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

  test('a call in pieces of one index, each with an id of its own, is one call with the first id, and runs once', async () => {
    const client = newClient(fake.configFor(overrides));
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'weather',
      description: 'w',
      input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: ({ city }, { callId }) => seen.push([callId, city]),
    });
    const frames = [
      { index: 0, id: 'call-a', type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 0, id: 'call-b', type: 'function', function: { name: null, arguments: '{"city":' } },
      { index: 0, id: 'call-c', type: 'function', function: { arguments: '"Paris"}' } },
      { index: 1, id: 'call-d', type: 'function', function: { name: 'weather', arguments: '{"city":"Metz"}' } },
    ].map((call) => ({ id: '1', choices: [{ index: 0, delta: { tool_calls: [call] } }] }));
    const asks = { frames: [...frames, { id: '1', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }, 'data: [DONE]\n\n'] };
    fake.answer('chat.create', asks, { turn: { text: 'ok' } });
    const { error } = await taken(client.chat().streamWithTools(undefined, request, [tool]));
    expect([error, seen]).toEqual([
      undefined,
      [
        ['call-a', 'Paris'],
        ['call-d', 'Metz'],
      ],
    ]);
    expect(fake.requests[1]?.body).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'call-a' }, { id: 'call-d' }] }, { tool_call_id: 'call-a' }, { tool_call_id: 'call-d' }],
    });
  });

  test('arguments in the mark-up of the model reach a typed tool as what they mean', async () => {
    const client = newClient(fake.configFor(overrides));
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'weather',
      description: 'w',
      input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city', 'days'] },
      run: (input) => seen.push(input),
    });
    const marked = '<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>';
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: marked }] } }, { turn: { text: 'ok' } });
    await client.chat().runWithTools(undefined, request, [tool]);
    expect(seen).toEqual([{ city: 'Paris', days: 3 }]);
  });
});
