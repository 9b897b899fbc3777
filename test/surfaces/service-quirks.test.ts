import { describe, expect, test } from 'vitest';
import {
  type AnthropicReply,
  type ChatResponse,
  type Client,
  type Config,
  defineTool,
  finishError,
  isApiError,
  isModelsvcError,
  newClient,
  type ResponsesReply,
} from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { collectedOf, onBothWays, type SurfaceDriver, taken, transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

// Reports of users about the service itself, one report each.

const fake = await sharedFake();

type Collected = ChatResponse | AnthropicReply | ResponsesReply;

/** The reason of an answer as it is on the wire. */
function reasonOf(answer: Collected): unknown {
  if ('choices' in answer) return answer.choices[0]?.finish_reason;
  return 'output' in answer ? answer.incomplete_details?.reason : answer.stop_reason;
}

function collected(driver: SurfaceDriver, client: Client): Promise<Collected> {
  return collectedOf(driver.stream(client)) as Promise<Collected>;
}

onBothWays((driver, clientFor) => {
  /** The errors of a call and of a stream. */
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
  ])('finish reason %s: the answer is complete on the wire, and finishError judges it', async (finish, category, retryable) => {
    const reply = { turn: { text: 'half of', finish } };
    fake.answer(driver.operation, reply, reply);
    for (const answer of [await driver.create(clientFor(fake)), await collected(driver, clientFor(fake))]) {
      const error = finishError(answer as Collected);
      expect(isModelsvcError(error, 'finish')).toBe(true);
      expect(error).toMatchObject({ name: 'FinishError', reason: reasonOf(answer as Collected), category, retryable });
    }
  });

  test.each(['stop', 'tool_calls', 'a_new_reason'])('finish reason %s is not a failure', async (finish) => {
    fake.answer(driver.operation, { turn: { text: 'x', finish } });
    expect(finishError(await collected(driver, clientFor(fake)))).toBeUndefined();
  });

  test('finish reason stop although tools are asked for: the loop ends, and the calls are in the response', async () => {
    const ran: unknown[] = [];
    const tool = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: (input) => ran.push(input) });
    const asks = { turn: { toolCalls: [{ name: 'clock' }], finish: 'stop' } };
    fake.answer(driver.operation, asks);
    await driver.service(clientFor(fake)).runWithTools(undefined, driver.request('What time is it?'), [tool] as never);
    // A response of the Responses surface has no finish reason in addition to its status.
    expect(ran).toEqual(driver.surface === 'responses' ? [{}] : []);
    if (driver.surface === 'responses') return;
    expect(fake.requests).toHaveLength(1);
  });

  test.each([
    ['next to them, in the error', { code: '1113', request_id: 'log-4711' }, {}, 'log-4711'],
    ['next to the error', { code: '1113' }, { request_id: 'log-4711' }, 'log-4711'],
    ['in the brackets alone', { code: '1113' }, {}, '2025010112000012ab'],
    ['in the brackets alone, as the code is', { type: 'rate_limit_error' }, {}, '2025010112000012ab'],
  ])('a message has code, words and request id in brackets, and the request id is %s', async (_place, inner, outer, requestId) => {
    const message = '[1113][Insufficient balance, [really]][2025010112000012ab]';
    const body = { type: 'error', error: { message, ...inner }, ...outer };
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
    'code %s has a text with the time when the limit resets: retryAfter has it, and the call is not repeated',
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
});

describe.each(transports)('$transport', ({ overrides }) => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

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
