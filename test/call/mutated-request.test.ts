import { expect, test } from 'vitest';
import { inputFile } from '../../src/overlay/batch/input.ts';
import { resolveConfig } from '../../src/overlay/call/settings/settings.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { altered } from '../support/altered.ts';
import { onBothWays, type SurfaceDriver, taken } from '../support/both-ways.ts';
import { everyWay } from '../support/every-way.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake({ validate: false });

const model = 'glm-4.6';
const messages = [{ role: 'user' as const, content: 'first' }];
const parameters = { type: 'object' as const, properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } } };
const tools = [{ type: 'function' as const, function: { name: 'weather', description: 'Weather.', parameters } }];

const ways: typeof everyWay = [
  ...everyWay,
  ['a chat with tools', (c) => c.chat().create(undefined, { model, messages, tools })],
  ['a chat job with tools', (c) => c.chat().createAsync(undefined, { model, messages, tools })],
  [
    'a message with tools',
    (c) => c.anthropic().create(undefined, { model, max_tokens: 9, messages, tools: [{ name: 'weather', input_schema: parameters }] }),
  ],
  ['a tool run', (c) => c.chat().runWithTools(undefined, { model, messages, tools }, () => 'rain')],
  ['a stream of speech', (c) => taken(c.audio().speechStream(undefined, { model: 'glm-tts', input: 'a', voice: 'tongtong' }))],
  [
    'a stream of a transcription',
    (c) => taken(c.audio().transcribeStream(undefined, { model: 'glm-asr-2512', file: new Uint8Array(4), prompt: 'a' })),
  ],
];

/** Changes every text, number and list of a request, in place. The bytes of a file are not part of it. */
function changeAll(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Date) return;
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'object') changeAll(one);
    else if (typeof one !== 'function') Object.assign(value, { [name]: 'changed' });
  }
  if (Array.isArray(value)) value.push('changed');
}

test.each(ways)('the request of %s is what it was when the call was made', async (_name, perform) => {
  const sentBy = async (meanwhile: (values: unknown[]) => void): Promise<unknown[]> => {
    let given: unknown[] = [];
    const own = ([ctx, ...values]: unknown[]): unknown[] => {
      const [request, ...rest] = values;
      given = [typeof request === 'object' ? structuredClone(request) : request, ...rest];
      return [ctx, ...given];
    };
    const before = fake.requests.length;
    const call = perform(altered(newClient(fake.configFor({ maxRetries: 0 })), own)).catch(() => undefined);
    meanwhile(given);
    await call;
    return fake.requests.slice(before).map(({ operation, parameters, body }) => ({ operation, parameters, body }));
  };
  const unchanged = await sentBy(() => undefined);
  expect(unchanged.length).toBeGreaterThan(0);
  expect(await sentBy(changeAll)).toEqual(unchanged);
});

test('the requests of a batch are what they were when it was started', async () => {
  const body = (content: string) => ({ model: 'glm-4.6', messages: [{ role: 'user' as const, content }] });
  const requests = [{ body: body('first') }, { body: body('second') }];
  const writing = inputFile(requests, ['a', 'b'], resolveConfig({ apiKey: 'k' }));
  requests[1] = { body: body('changed') };
  const lines = (await writing.text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).body.messages[0].content)).toEqual(['first', 'second']);
});

test('a request nested by thousands is a ValidationError, and not a stack overflow', async () => {
  const request = (levels: number) => {
    let schema: Record<string, unknown> = { type: 'string' };
    for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
    const tools = [{ type: 'function' as const, function: { name: 'deep', description: 'Deep.', parameters: schema } }];
    return { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'Hello' }], tools };
  };
  const chat = newClient(fake.configFor()).chat();
  const tooDeep = { name: 'ValidationError', message: expect.stringContaining('nested too deep') };
  await expect(chat.create(undefined, request(20_000))).rejects.toMatchObject(tooDeep);
  expect(fake.requests).toHaveLength(0);
});

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
  test('the request of a tool loop as a stream is the one at the call, in every round', async () => {
    const { request, change } = changing(driver);
    const client = clientFor(fake);
    fake.answer(driver.operation, { turn: { toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] } }, { turn: { text: 'Sunny.' } });
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
      [driver.operation, 'one'],
      [driver.operation, 'one'],
    ]);
    expect(sent()).toContain('clear in Paris');
    expect(sent()).not.toContain('changed');
  });
});
