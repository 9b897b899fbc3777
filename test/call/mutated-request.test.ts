import { describe, expect, test } from 'vitest';
import { inputFile } from '../../src/overlay/batch/input.ts';
import { resolveConfig } from '../../src/overlay/call/settings/settings.ts';
import { Files, newClient, newService } from '../../src/overlay/index.ts';
import { turns } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const tool = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: 'Weather.',
    parameters: { type: 'object', properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } } },
  },
});

describe('a request is what it was when the call was made', () => {
  test.each([
    ['chat', false],
    ['chat with tools', true],
  ])('%s', async (_name, withTools) => {
    const messages: { role: 'user' | 'assistant'; content: string }[] = [{ role: 'user', content: 'first' }];
    const tools = withTools ? [tool('weather')] : [];
    const call = newClient(fake.configFor())
      .chat()
      .create(undefined, { model: 'glm-4.6', messages, ...(withTools ? { tools } : {}) });
    messages[0] = { role: 'user', content: 'changed' };
    messages.push({ role: 'assistant', content: 'later' });
    tools.push(tool('later'));
    await call;
    expect(fake.requests[0]?.body).toMatchObject({ messages: [{ role: 'user', content: 'first' }] });
    const { tools: sent } = (fake.requests[0]?.body ?? {}) as { tools?: { function: { name: string } }[] };
    expect(sent?.map((one) => one.function.name)).toEqual(withTools ? ['weather'] : undefined);
  });

  test('a chat job', async () => {
    const messages = [{ role: 'user' as const, content: 'first' }];
    const call = newClient(fake.configFor())
      .chat()
      .createAsync(undefined, { model: 'glm-4.6', messages, tools: [tool('weather')] });
    messages.length = 0;
    await call;
    expect(fake.requests[0]?.body).toMatchObject({ messages: [{ content: 'first' }] });
  });

  test('a message with tools', async () => {
    const messages = [{ role: 'user' as const, content: 'first' }];
    const tools = [
      { name: 'weather', input_schema: { type: 'object' as const, properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } } } },
    ];
    const call = newClient(fake.configFor()).anthropic().create(undefined, { model: 'glm-4.6', max_tokens: 9, messages, tools });
    messages.length = 0;
    tools.length = 0;
    await call;
    expect(fake.requests[0]?.body).toMatchObject({ messages: [{ content: 'first' }], tools: [{ name: 'weather' }] });
  });

  test('a tool run', async () => {
    const messages = [{ role: 'user' as const, content: 'first' }];
    const request = { model: 'glm-4.6', messages, tools: [tool('weather')] };
    const call = newClient(fake.configFor())
      .chat()
      .runWithTools(undefined, request, () => 'rain');
    messages.length = 0;
    request.model = 'changed';
    await call;
    expect(fake.requests[0]?.body).toMatchObject({ model: 'glm-4.6', messages: [{ content: 'first' }] });
  });
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

test('a stream that is left at once sends nothing', async () => {
  const stream = newClient(fake.configFor())
    .chat()
    .stream(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hello' }] });
  const first = stream.next();
  await stream.return();
  await expect(first).resolves.toEqual({ value: undefined, done: true });
  await turns();
  expect(fake.requests).toHaveLength(0);
});

test('the fields of an upload', async () => {
  const request = { file: new Uint8Array([1, 2, 3]), purpose: 'batch' as 'batch' | 'agent', filename: 'first.jsonl' };
  const call = newService(Files, fake.configFor()).upload(undefined, request);
  request.purpose = 'agent';
  request.filename = 'changed.jsonl';
  await call;
  expect(fake.requests[0]?.body).toMatchObject({ purpose: 'batch' });
});

test('raw bindings', async () => {
  const messages = [{ role: 'user' as const, content: 'first' }];
  const call = newClient(fake.configFor())
    .bindings('chat')
    .POST('/chat/completions', { body: { model: 'glm-4.6', messages } });
  messages.push({ role: 'user', content: 'later' });
  await call;
  expect(fake.requests[0]?.body).toMatchObject({ messages: [{ content: 'first' }] });
});

test('a bad request is refused before anything is sent', async () => {
  const bad = newClient(fake.configFor()).chat().create(undefined, { model: 'glm-4.6', messages: [] });
  await expect(bad).rejects.toMatchObject({ name: 'ValidationError', message: expect.stringContaining('chat.create: messages') });
  expect(fake.requests).toHaveLength(0);
});

test('many first calls at once all arrive', async () => {
  const c = newClient(fake.configFor());
  const request = { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'Hello' }] };
  await Promise.all(Array.from({ length: 20 }, () => c.chat().create(undefined, request)));
  expect(fake.requests).toHaveLength(20);
});
