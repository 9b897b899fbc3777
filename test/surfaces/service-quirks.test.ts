import { describe, expect, test } from 'vitest';
import {
  type AnthropicStreamEvent,
  type ChatChunk,
  type Client,
  type Config,
  collectChat,
  collectMessage,
  defineTool,
  finishError,
  isApiError,
  isFinishError,
  newClient,
  textDeltas,
} from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken, textIn, transports } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

// What users report of the service itself, one report each.

const fake = await sharedFake();

type Collected = Awaited<ReturnType<typeof collectChat>> | Awaited<ReturnType<typeof collectMessage>>;

function collected(driver: SurfaceDriver, client: Client): Promise<Collected> {
  const stream = driver.stream(client);
  return driver.surface === 'chat' ? collectChat(stream as AsyncIterable<ChatChunk>) : collectMessage(stream as AsyncIterable<AnthropicStreamEvent>);
}

onBothWays((driver, clientFor) => {
  /** What both a whole call and a stream fail with. */
  async function bothFail(fault: Fault, config: Partial<Config> = {}): Promise<unknown[]> {
    fake.answer(driver.operation, fault);
    const whole = await failure(driver.create(clientFor(fake, config)));
    fake.answer(driver.operation, fault);
    return [whole, (await taken(driver.stream(clientFor(fake, config)))).error];
  }

  test('two frames glued together without a delimiter', async () => {
    fake.answer(driver.operation, { ...faults.gluedFrames('undelimited', 1), reply: { turn: { text: ['a', 'b'] } } });
    expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ kind: 'stream', problem: 'malformed' });
  });

  test('invalid JSON with bare values in the middle of a stream', async () => {
    fake.answer(driver.operation, { ...faults.malformedFrame(3, '{"type":"content_block_delta","delta":{"partial_json":get_weather}}') });
    expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ kind: 'stream', problem: 'malformed' });
  });

  test('status 200 and an empty stream, for a tool schema it did not like', async () => {
    fake.answer(driver.operation, faults.emptyStream());
    expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ kind: 'stream', problem: 'truncated' });
    expect(fake.requests).toHaveLength(1);
  });

  test('status 200 with {"error":{"code":"1305"}} as its body', async () => {
    for (const error of await bothFail(faults.embeddedFailure('platform', '1305')))
      expect(error).toMatchObject({ kind: 'api', status: 200, code: '1305', category: 'rate', retryable: true });
  });

  test('a stream that was asked for is answered with plain JSON, whatever its content type', async () => {
    for (const type of ['application/json', 'text/plain', 'text/event-stream', undefined]) {
      const typed = type === undefined ? faults.missingContentType() : faults.wrongContentType(type);
      fake.answer(driver.operation, faults.all(faults.jsonForStream(), typed));
      const { items, error } = await taken(driver.stream(clientFor(fake)));
      expect(items).toEqual([]);
      expect(isApiError(error) && error.serviceMessage).toContain('got JSON');
    }
  });

  test('whole JSON that was asked for is answered with a stream, whatever its content type', async () => {
    for (const type of ['text/event-stream', 'application/json']) {
      fake.answer(driver.operation, faults.all(faults.streamForJson(), faults.wrongContentType(type)));
      expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ kind: type === 'text/event-stream' ? 'api' : 'stream' });
    }
  });

  test('keep-alives for ever, and never an answer', async () => {
    fake.answer(driver.operation, faults.keepAliveOnly(5));
    const { items, error } = await taken(driver.stream(clientFor(fake, { streamContentTimeout: 60 })));
    expect(textIn(items)).toBe('');
    expect(error).toMatchObject({ kind: 'timeout', phase: 'body', timeoutMs: 60 });
  });

  test('the sentinel, and then an open socket', async () => {
    fake.answer(driver.operation, { ...faults.doneThenOpen(), reply: { turn: { text: 'whole' } } });
    // Who waits for the end of the body waits for ever.
    expect(textIn((await taken(driver.stream(clientFor(fake)))).items)).toBe('whole');
    await fake.idle();
  });

  test('the end of the body without a finish reason and without a sentinel', async () => {
    fake.answer(driver.operation, { ...faults.all(faults.missingFinish(), faults.missingDone()), reply: { turn: { text: ['a', 'b'] } } });
    const { items, error } = await taken(driver.stream(clientFor(fake)));
    expect(textIn(items)).toBe('ab');
    expect(error).toMatchObject({ kind: 'stream', problem: 'truncated' });
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
      expect(isFinishError(error)).toBe(true);
      expect(error).toMatchObject({ category, retryable });
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
    const messages = [{ role: 'user' as const, content: 'What time is it?' }];
    fake.answer(driver.operation, asks);
    const client = clientFor(fake);
    if (driver.surface === 'chat') await client.chat().runWithTools(undefined, { model: 'glm-5.2', messages }, [tool]);
    else await client.anthropic().runWithTools(undefined, { model: 'glm-5.2', max_tokens: 9, messages }, [tool]);
    expect(ran).toEqual([]);
    expect(fake.requests).toHaveLength(1);
  });

  test('a failure in the second round of a streamed loop: thrown after what came before it', async () => {
    const tool = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
    const messages = [{ role: 'user' as const, content: 'What time is it?' }];
    fake.answer(
      driver.operation,
      { turn: { text: 'Let me see.', toolCalls: [{ name: 'clock' }] } },
      { ...faults.inBandError('1234', 'broken', 3), reply: { turn: { text: ['It ', 'is ', 'noon.'] } } },
    );
    const client = clientFor(fake);
    const stream: AsyncIterable<object> =
      driver.surface === 'chat'
        ? client.chat().streamWithTools(undefined, { model: 'glm-5.2', messages }, [tool])
        : client.anthropic().streamWithTools(undefined, { model: 'glm-5.2', max_tokens: 9, messages }, [tool]);
    const { items, error } = await taken(stream);
    expect(textIn(items)).toMatch(/^Let me see\./);
    expect(error).toMatchObject({ kind: 'api', code: '1234' });
    expect(fake.requests).toHaveLength(2);
  });

  test.each(['', '{}', undefined])('a tool call without arguments, sent as %j', async (args) => {
    const reply = { turn: { toolCalls: [{ name: 'clock', ...(args === undefined ? {} : { arguments: args }) }] } };
    fake.answer(driver.operation, reply);
    const answer = (await collected(driver, clientFor(fake))) as unknown as {
      choices?: { message: { tool_calls: { function: object }[] } }[];
      content?: object[];
    };
    if (answer.choices) expect(answer.choices[0]?.message.tool_calls[0]?.function).toEqual({ name: 'clock', arguments: '{}' });
    else expect(answer.content?.[0]).toMatchObject({ name: 'clock', input: {} });
  });

  test.each([1305, '1305'])('error.code %j, a number or a string', async (code) => {
    const frame = `data: ${JSON.stringify({ error: { code, message: 'busy' } })}\n\n`;
    fake.answer(driver.operation, { frames: [frame] });
    expect((await taken(driver.stream(clientFor(fake)))).error).toMatchObject({ kind: 'api', code: '1305', category: 'rate' });
  });

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

  test('only a thought, and an empty answer', async () => {
    const reply = { turn: { reasoning: ['so ', 'then'] } };
    fake.answer(driver.operation, reply, reply);
    let text = '';
    for await (const piece of textDeltas(driver.stream(clientFor(fake)) as AsyncIterable<ChatChunk>)) text += piece;
    expect(text).toBe('');
    expect(JSON.stringify(await collected(driver, clientFor(fake)))).toContain('so then');
  });

  test('a silence in the middle that is longer than timeout, while large arguments are made', async () => {
    const reply = { turn: { toolCalls: [{ name: 'write', arguments: { text: 'x'.repeat(20_000) } }] } };
    const clock = stoppedClock();
    fake.answer(driver.operation, { ...faults.slowDrip(2000, 20), reply });
    const answer = collected(driver, clientFor(fake, { timeout: 40, maxRetries: 0 }));
    await until(() => fake.requests.length === 1);
    // The header has come; what is on its way waits far longer than its bound.
    await turns();
    clock.pass(10_000);
    expect(JSON.stringify(await answer)).toContain('x'.repeat(20_000));
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

  test('arguments that are empty in a whole reply and full in a stream: each as it came', async () => {
    const client = newClient(fake.configFor(overrides));
    fake.answer(
      'chat.create',
      { turn: { toolCalls: [{ name: 'weather', arguments: '' }] } },
      { turn: { toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] } },
    );
    const whole = await client.chat().create(undefined, request);
    const streamed = await collectChat(client.chat().stream(undefined, { ...request, stream_tool_call: true }));
    expect(whole.choices[0]?.message.tool_calls?.[0]?.function?.arguments).toBe('');
    expect(streamed.choices[0]?.message.tool_calls?.[0]?.function?.arguments).toBe('{"city":"Paris"}');
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
