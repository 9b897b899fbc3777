import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, faults } from '../../src/testing/index.ts';
import { emptyFolder } from '../examples/run.ts';
import { sharedFake } from '../support/fake.ts';
import * as ai from './from-ai.ts';
import * as house from './from-anthropic.ts';
import * as desk from './from-openai.ts';

const fake = await sharedFake();

/** Lines of `console.log` and `console.error` while a port runs. */
function logged(): string[] {
  const lines: string[] = [];
  const keep = (...parts: unknown[]): void => void lines.push(parts.join(' '));
  vi.spyOn(console, 'log').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
  return lines;
}

const operations = (service: FakeService): (string | undefined)[] => service.requests.map(({ operation }) => operation);
const bodies = (service: FakeService): unknown[] => service.requests.map(({ body }) => body);
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0);

describe('the port of a support desk from openai', () => {
  const client = desk.connect({ apiKey: fakeKey, endpoints: fake.url, tenant: 'blue' });

  it('streams an answer and keeps it in the history', async () => {
    fake.chat.reply({ text: ['It is', ' on its way.'], usage: { input: 20, output: 5 } });
    const history = [{ role: 'user' as const, content: 'Where is my order?' }];
    const written: string[] = [];
    const reply = await desk.answer(client, history, (text) => written.push(text));
    expect([written, reply]).toEqual([['It is', ' on its way.'], { text: 'It is on its way.', tokens: 25 }]);
    expect(history).toHaveLength(2);
    expect(fake.requests).toMatchObject([
      { operation: 'chat.create', headers: { 'x-tenant': 'blue', 'x-conversation': '1' }, body: { stream: true, temperature: 0.2 } },
    ]);
  });

  it('marks an answer that the token limit cut off', async () => {
    fake.chat.reply({ text: 'It is', finish: 'length' });
    const written: string[] = [];
    await desk.answer(client, [{ role: 'user', content: 'Where is my order?' }], (text) => written.push(text));
    expect(written.join('')).toBe('It is…');
  });

  it('answers with tools, and survives a tool that throws', async () => {
    fake.chat.toolCall('find_order', { orderId: '7' }).toolCall('find_order', { orderId: '8' }).reply('Order 7 is packed.');
    const lines = logged();
    expect(await desk.answerWithOrders(client, 'Where is order 7?', new Map([['7', 'packed']]))).toBe('Order 7 is packed.');
    expect(lines).toEqual(['tool find_order', 'tool find_order', expect.stringMatching(/^tokens of all rounds \d+$/)]);
    const { messages } = bodies(fake)[2] as { messages: { content: string }[] };
    expect([messages[3]?.content, messages[5]?.content]).toEqual(['{"orderId":"7","state":"packed","detail":"short"}', 'error: no order 8']);
  });

  it('parses a ticket, and does not retry', async () => {
    fake.chat.reply('{"title":"Broken","urgency":"high","tags":["lamp"]}');
    expect(await desk.ticketOf(client, 'My lamp is broken!')).toEqual({ title: 'Broken', urgency: 'high', tags: ['lamp'] });
    expect(bodies(fake)).toMatchObject([{ response_format: { type: 'json_schema', json_schema: { name: 'ticket' } } }]);
    fake.answer('chat.create', faults.serverErrors(1));
    await expect(desk.ticketOf(client, 'Again!')).rejects.toThrow();
    expect(fake.requests).toHaveLength(2);
  });

  it('finds the nearest article', async () => {
    const vectors = [
      [1, 0],
      [0, 1],
      [0.9, 0.1],
    ];
    fake.answer('embeddings.create', {
      body: { object: 'list', model: 'embedding-3', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) },
    });
    expect(await desk.nearest(client, 'lamp', ['invoices', 'bulbs'])).toBe('bulbs');
    expect(bodies(fake)).toMatchObject([{ input: ['lamp', 'invoices', 'bulbs'], dimensions: 256 }]);
  });

  it('runs a batch from a file', async () => {
    const path = join(await emptyFolder(), 'day.jsonl');
    await writeFile(path, '{"custom_id":"1","method":"POST","url":"/v4/chat/completions","body":{"model":"glm-4-flash","messages":[]}}\n');
    const batch = { id: 'batch_7', object: 'batch', endpoint: '/v4/chat/completions', input_file_id: 'file_1', completion_window: '24h' };
    fake.answer('batch.create', { body: { ...batch, status: 'validating' } });
    fake.answer(
      'batch.retrieve',
      { body: { ...batch, status: 'in_progress', request_counts: { total: 2, completed: 1 } } },
      { body: { ...batch, status: 'completed', output_file_id: 'file_2' } },
    );
    fake.answer('files.content', { body: '{"custom_id":"1","response":{"status_code":200,"body":{"choices":[{"message":{"content":"Calm."}}]}}}\n' });
    const lines = logged();
    expect(await desk.summarizeDay(client, path, 100)).toEqual(['Calm.']);
    expect(lines).toEqual(['in_progress 1 of 2']);
    expect(operations(fake)).toEqual(['files.upload', 'batch.create', 'batch.retrieve', 'batch.retrieve', 'files.content']);
  });

  it('checks a text, and lists the models', async () => {
    const lines = logged();
    expect(await desk.isHarmless(client, 'hello')).toBe(true);
    expect(lines).toEqual([`checked by ${fake.requests[0]?.requestId}`]);
    expect(await desk.modelNames(client)).toContain('glm-4.6');
    expect(operations(fake)).toEqual(['moderations.create', 'models.list']);
  });

  it('has words for each failure', async () => {
    const words = async (fail: () => void, signal?: AbortSignal, timeout = 60_000): Promise<string> => {
      fail();
      const once = client.with({ maxRetries: 0, timeout });
      return desk.answer(once, [{ role: 'user', content: 'Hi' }], () => undefined, signal).then(() => 'no failure', desk.apology);
    };
    expect(await words(() => undefined, AbortSignal.abort())).toBe('');
    expect(await words(() => fake.answer('chat.create', faults.silentBeforeHeaders()), undefined, 50)).toBe('That took too long.');
    expect(await words(() => fake.answer('chat.create', faults.rateLimit({ seconds: 90 })))).toBe('Please wait 90 seconds.');
    expect(await words(() => fake.answer('chat.create', { body: { error: { code: '1000', message: 'no' } }, status: 401 }))).toBe('We are closed.');
    expect(await words(() => fake.answer('chat.create', { body: { error: { code: '1261', message: 'long' } }, status: 400 }))).toBe(
      'Please rephrase (1261).',
    );
    expect(await words(() => fake.answer('chat.create', faults.serverErrors(1)))).toMatch(/^Our fault: 500, \w+\.$/);
  });
});

describe('the port of an agent from @anthropic-ai/sdk', () => {
  const agent = (): house.Agent => new house.Agent(house.connect(fakeKey, fake.url));

  it('thinks, and continues the conversation as a stream', async () => {
    const one = agent();
    fake.messages.reply({ reasoning: 'It is 9.', text: 'Good evening.' }).reply({ text: ['Good', ' night.'], usage: { input: 9, output: 2 } });
    const { requestId, ...rest } = await one.think('Greet me.');
    expect([rest, requestId]).toEqual([{ thought: 'It is 9.', text: 'Good evening.' }, fake.requests[0]?.requestId]);
    const lines = logged();
    const said: string[] = [];
    for await (const text of one.say('And now?')) said.push(text);
    expect(said).toEqual(['Good', ' night.']);
    expect(lines).toEqual([expect.stringMatching(/^message /), 'stop end_turn', 'tokens 9 2']);
    expect(one.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(fake.requests[1]).toMatchObject({
      operation: 'anthropic.create',
      headers: { 'x-house': '12' },
      body: { stream: true, stop_sequences: ['END'], messages: [{}, { content: [{ type: 'thinking' }, { type: 'text' }] }, {}] },
    });
  });

  it('works with tools', async () => {
    fake.messages.toolCall('set_heating', { room: 'hall', celsius: 20 }).reply('Done.');
    const lines = logged();
    const heat = vi.fn(async (room: string, celsius: number) => `${room} has ${celsius}`);
    expect(await agent().work('Heat the hall.', heat)).toBe('Done.');
    expect(heat.mock.calls).toEqual([['hall', 20]]);
    expect(lines[0]).toBe('round tool_use');
  });

  it('works with a loop by hand, and reports a failed tool', async () => {
    fake.messages.toolCall('open_door', { door: 'back' }).reply('It is locked.');
    const open = (): string => {
      throw new Error('locked');
    };
    expect(await agent().workByHand('Open the back door.', open)).toBe('It is locked.');
    expect(bodies(fake)[1]).toMatchObject({
      messages: [{}, { content: [{ type: 'tool_use' }] }, { content: [{ type: 'tool_result', content: 'Error: locked', is_error: true }] }],
    });
  });

  it('looks at a photo, and counts tokens', async () => {
    const path = join(await emptyFolder(), 'door.png');
    await writeFile(path, png);
    fake.messages.reply('The neighbor.');
    expect(await agent().look(path)).toBe('The neighbor.');
    expect(bodies(fake)[0]).toMatchObject({ messages: [{ content: [{ source: { media_type: 'image/png' } }, { type: 'text' }] }] });
    const one = agent();
    one.messages.push({ role: 'user', content: 'Hi' });
    expect(await one.size()).toBeGreaterThan(0);
    expect(operations(fake)).toEqual(['anthropic.create', 'anthropic.countTokens']);
  });

  it('has a remedy for each failure', async () => {
    const remedy = async (fail: () => void, timeout = 60_000): Promise<string> => {
      fail();
      const once = new house.Agent(house.connect(fakeKey, fake.url).with({ maxRetries: 0, timeout }));
      return once.think('Hi').then(() => 'no failure', house.remedy);
    };
    expect(await remedy(() => fake.answer('anthropic.create', faults.silentBeforeHeaders()), 50)).toBe('too slow');
    expect(await remedy(() => fake.answer('anthropic.create', faults.rateLimit({ seconds: 90 })))).toBe('wait');
    expect(await remedy(() => fake.answer('anthropic.create', faults.serverErrors(1)))).toBe('try later');
    const stranger = new house.Agent(newClient({ apiKey: 'wrong-key', endpoints: fake.url }));
    expect(await stranger.think('Hi').then(() => 'no failure', house.remedy)).toBe('check the key');
  });
});

describe('the port of a travel site from ai', () => {
  const client = newClient(fake.configFor());

  it('generates text with settings', async () => {
    const lines = logged();
    fake.chat.reply({ text: 'Paris, always.', usage: { input: 12, output: 3 } });
    expect(await ai.slogan(client, 'Paris')).toBe('Paris, always.');
    expect(lines[0]).toMatch(/^12 3 stop/);
    expect(fake.requests).toMatchObject([
      { headers: { 'x-page': 'city' }, body: { temperature: 0.9, max_tokens: 200, stop: ['\n'], thinking: { type: 'disabled' } } },
    ]);
  });

  it('streams to a page, and logs a failure', async () => {
    const page = (): Request => new Request('http://site.example', { method: 'POST', body: '{"messages":[{"role":"user","content":"Hi"}]}' });
    const lines = logged();
    fake.chat.stream(['Hel', 'lo']);
    const response = await ai.POST(client, page());
    expect([response.headers.get('cache-control'), await response.text()]).toEqual(['no-cache', 'data: "Hel"\n\ndata: "lo"\n\ndata: [DONE]\n\n']);
    expect(lines[0]).toMatch(/^sent 5 \d+$/);
    fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Hel', 'lo', '!'] } } });
    expect(await (await ai.POST(client, page())).text()).toMatch(/^data: "Hel"/);
    expect(lines[1]).toMatch(/^StreamError: /);
    fake.answer('chat.create', faults.rateLimit({ seconds: 70 }));
    expect((await ai.POST(client, page())).status).toBe(429);
  });

  it('streams reasoning and answer', async () => {
    const lines = logged();
    fake.chat.reply({ reasoning: 'Sun.', text: 'Go south.' });
    let text = '';
    for await (const part of ai.parts(client, 'Where to?')) text += part;
    expect(text).toBe('(Sun.)Go south.');
    expect(lines[0]).toMatch(/^stop \d+$/);
  });

  it('plans a trip as data, and reports an answer without it', async () => {
    fake.chat.reply('{"city":"Rome","days":3,"sights":["Forum"]}').reply('I do not know.');
    expect(await ai.plan(client, 'Italy')).toEqual({ city: 'Rome', days: 3, sights: ['Forum'] });
    const lines = logged();
    expect(await ai.plan(client, 'Nowhere')).toBeUndefined();
    expect(lines).toEqual(['no trip in 14 characters']);
  });

  it('books with tools', async () => {
    const lines = logged();
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'free_seats', arguments: { train: 'ICE 1' }, id: 'call_1' }, { name: 'now' }] } });
    fake.chat.reply('Booked.');
    expect(await ai.book(client, 'A seat', new Map([['ICE 1', 4]]))).toMatchObject({ text: 'Booked.', steps: 2, tokens: expect.any(Number) });
    expect(lines).toEqual(['step free_seats {"train":"ICE 1"}', 'step now {}', expect.stringMatching(/^step 2 \d+ tool_calls$/)]);
    const { messages } = bodies(fake)[1] as { messages: { content: string }[] };
    expect(messages.slice(-2).map(({ content }) => content)).toEqual(['{"train":"ICE 1","free":4,"ticket":"call_1"}', '12:00']);
  });

  it('orders cities by likeness', async () => {
    const vectors = [
      [1, 0],
      [0, 1],
      [0.9, 0.1],
    ];
    fake.answer('embeddings.create', { body: { object: 'list', data: vectors.map((embedding, index) => ({ index, embedding })) } });
    expect(await ai.alike(client, ['Lyon', 'Oslo', 'Nice'])).toEqual(['Lyon', 'Nice', 'Oslo']);
  });

  it('draws a poster and hears a message', async () => {
    const folder = await emptyFolder();
    fake.answer('images.generate', { body: { created: 1, data: [{ url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` }] } });
    await ai.poster(client, 'Oslo', join(folder, 'poster.png'));
    expect(new Uint8Array(await readFile(join(folder, 'poster.png')))).toEqual(png);
    await writeFile(join(folder, 'message.wav'), 'RIFF....WAVE');
    expect(await ai.heard(client, join(folder, 'message.wav'))).toEqual(expect.any(String));
    expect(operations(fake)).toEqual(['images.generate', 'audio.transcribe']);
  });

  it('explains failures', async () => {
    fake.answer('chat.create', faults.serverErrors(2), faults.rateLimit({ seconds: 90 }, '1308'));
    expect(await ai.slogan(client, 'Rome').catch(ai.explain)).toBe('500, try again');
    expect(await ai.slogan(client, 'Rome').catch(ai.explain)).toBe('429');
    expect(await ai.slogan(client, 'Rome', AbortSignal.abort()).catch(ai.explain)).toBe('stopped');
  });
});
