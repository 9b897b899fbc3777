import { expect, test } from 'vitest';
import { defineTool } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `clear in ${city}`,
});

interface Plain {
  model: string;
  [conversation: string]: unknown;
}

/** A request that its owner changes everywhere after the call. */
function changing({ request: made }: Pick<SurfaceDriver, 'request'>): { request: never; change: () => void } {
  const request: Plain = made('as it was');
  const change = (): void => {
    request.model = 'changed';
    const conversation = (request['messages'] ?? request['input']) as { role: string; content: string }[];
    for (const message of conversation) message.content = 'changed';
    conversation.push({ role: 'user', content: 'changed' });
  };
  return { request: request as never, change };
}

const sent = (): string => JSON.stringify(fake.requests.map(({ body }) => body));

onBothWays((driver, clientFor) => {
  const { surface, operation } = driver;

  test('the request of a stream is the one at the call', async () => {
    const { request, change } = changing(driver);
    const client = clientFor(fake);
    const stream = driver.service(client).stream(undefined, request);
    change();
    await taken(stream);
    expect(sent()).toContain('as it was');
    expect(sent()).not.toContain('changed');
  });

  test('the request of a tool loop as a stream is the one at the call, in every round', async () => {
    const { request, change } = changing(driver);
    const client = clientFor(fake);
    fake.answer(operation, { turn: { toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] } }, { turn: { text: 'Sunny.' } });
    const tools = [weather];
    const headers = { 'x-turn': 'one' };
    const ctx = { headers };
    const stream = driver.service(client).streamWithTools(ctx, request, tools as never);
    change();
    tools.pop();
    headers['x-turn'] = 'changed';
    const { error } = await taken(stream);
    expect(error).toBeUndefined();
    expect(fake.requests.map((one) => [one.operation, one.headers['x-turn']])).toEqual([
      [operation, 'one'],
      [operation, 'one'],
    ]);
    expect(sent()).toContain('clear in Paris');
    expect(sent()).not.toContain('changed');
  });

  test('a request that was wrong at the call stays wrong, and its error comes with the first item', async () => {
    const request = driver.request('', { messages: 'none', input: [] });
    const client = clientFor(fake);
    const stream = driver.service(client).stream(undefined, request);
    Object.assign(request, driver.request('mended too late'));
    expect((await taken(stream)).error).toMatchObject({ kind: 'validation' });
    expect(fake.requests).toHaveLength(0);
  });

  test('pings and empty deltas are no content, and the error names streamContentTimeout', async () => {
    const empty = driver.piece('');
    const starts = {
      chat: [],
      messages: [
        { type: 'message_start', message: { id: '1', type: 'message', role: 'assistant', content: [], model: 'm' } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ],
      responses: [{ type: 'response.created', response: { id: '1' } }],
    };
    const start: object[] = starts[surface];
    // So many that they last longer than the bound; then silence.
    const frames = [...start, ...Array.from({ length: 100_000 }, () => empty)];
    fake.answer(operation, { ...faults.slowDrip(400, 5), reply: { frames } });
    const drip = await taken(driver.stream(clientFor(fake, { streamContentTimeout: 120 })));
    expect(drip.error).toMatchObject({ kind: 'timeout', timeoutMs: 120 });
    expect(String(drip.error)).toMatch(/streamContentTimeout/);
    fake.answer(operation, faults.keepAliveOnly(5));
    const pings = await taken(driver.stream(clientFor(fake, { streamContentTimeout: 120 })));
    expect(String(pings.error)).toMatch(/streamContentTimeout/);
  });
});
