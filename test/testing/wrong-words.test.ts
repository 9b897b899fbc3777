import { describe, expect, test } from 'vitest';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeOptions, type FakeService, fakeKey, faults, startFakeService } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

// A wrong word of a test is refused where it is written, because a test proves little if the fake ignores its script.

const fake = await sharedFake({ models: 'known' });

const options: readonly (readonly [given: object, problem: string])[] = [
  [{ keys: 'key' }, 'options.keys must be \'any\' or a list of keys, not "key"'],
  [{ keys: [1] }, "options.keys must be 'any' or a list of keys"],
  [{ validate: 'no' }, 'options.validate must be true or false, not "no"'],
  [{ models: 'unknown' }, "options.models must be 'known', 'any' or a list of ids and rows, not \"unknown\""],
  [{ models: [{ kind: 'chat' }] }, "options.models must be 'known', 'any' or a list of ids and rows"],
  [{ toolResults: 'require' }, 'options.toolResults must be one of any, required; did you mean required?, not "require"'],
  [{ echo: 1 }, 'options.echo must be true or false, not 1'],
  [{ replay: 5 }, 'options.replay must be the path of a file, not 5'],
  [{ keepRequests: -1 }, `options.keepRequests must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, not -1`],
  [{ keepBytes: 1.5 }, `options.keepBytes must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, not 1.5`],
  [{ tls: { cert: '' } }, 'options.tls must have cert and key, in PEM'],
  [{ port: 'x' }, 'options.port must be an integer from 0 to 65535, not "x"'],
  [{ port: 70_000 }, 'options.port must be an integer from 0 to 65535, not 70000'],
  [{ onRefusal: 'log' }, 'options.onRefusal must be a function, not "log"'],
  [{ onEnd: {} }, 'options.onEnd must be a function'],
  [{ keepRequest: 1 }, 'options.keepRequest is unknown; did you mean keepRequests?'],
];

test.each(options)('startFakeService(%j)', async (given, problem) => {
  const error = await failure(startFakeService(given as FakeOptions));
  expect([isModelsvcError(error, 'validation'), (error as Error).message]).toEqual([true, `startFakeService: ${problem}`]);
});

const wrong: Readonly<Record<string, readonly [run: (fake: FakeService) => unknown, problem: string]>> = {
  'capacity, a misspelled limit': [(f) => f.capacity({ atonce: 1 } as never), 'capacity: atonce is unknown; did you mean atOnce?'],
  'capacity, a word': [(f) => f.capacity({ atOnce: 'x' } as never), 'capacity: atOnce must be a number of calls from 0, or a function, not "x"'],
  'capacity, not a number': [(f) => f.capacity({ atOnce: Number.NaN }), 'capacity: atOnce must be a number of calls from 0, or a function, not NaN'],
  'capacity, null': [(f) => f.capacity(null as never), 'capacity: '],
  'capacity, half of a rate': [(f) => f.capacity({ starts: { count: 1 } } as never), 'capacity: starts must have count and perMs'],
  'capacity, a rate of text': [(f) => f.capacity({ starts: { count: '1', perMs: 1 } } as never), 'capacity: starts.count must be an integer'],
  'capacity, a flag': [(f) => f.capacity({ overloaded: 'yes' } as never), 'capacity: overloaded must be true or false, not "yes"'],
  'task, a kind': [
    (f) => f.task({ kind: 'vidio' } as never),
    'task: kind must be one of chat, image, video, agent, parser, batch; did you mean video?',
  ],
  'task, no states': [(f) => f.task({ states: [] }), 'task: states must be a list of one state or more'],
  'task, a result': [(f) => f.task({ result: 'x' } as never), 'task: result must be an object'],
  'answer, null': [(f) => f.answer('chat.create', null as never), 'chat.create: the answer must be a reply, a fault, or a function that returns one'],
  'answer, undefined': [(f) => f.answer('chat.create', undefined as never), 'chat.create: the answer must be a reply'],
  'answer, a text': [(f) => f.answer('chat.create', 'hi' as never), 'chat.create: the answer must be a reply'],
  'answer, no form': [
    (f) => f.answer('chat.create', { text: 'hi' } as never),
    'chat.create: the answer must have turn, example, frames, body, or be a fault',
  ],
  'answer, a status': [(f) => f.answer('chat.create', { body: '', status: 42 }), 'chat.create: status must be an integer from 100 to 999, not 42'],
  'answer, headers': [(f) => f.answer('chat.create', { body: '', headers: { a: 1 } } as never), 'chat.create: headers must have names and strings'],
  'answer, frames': [
    (f) => f.answer('chat.create', { frames: 'x' } as never),
    'chat.create: frames must be a list of texts or objects, or an async iterable',
  ],
  'answer, a field of another form': [(f) => f.answer('chat.create', { turn: {}, status: 500 } as never), 'chat.create: status is unknown'],
  'answer, a fault with a wrong reply': [
    (f) => f.answer('chat.create', { ...faults.gzip(), reply: { turn: { txt: 'a' } } } as never),
    'chat.create: turn.txt is unknown; did you mean text?',
  ],
  'fallback, a number': [(f) => f.fallback('chat.create', 5 as never), 'chat.create: the answer must be a reply'],
  'host, a number': [(f) => f.host(5 as never, { body: '' }), 'host: path must begin with /, not 5'],
  'host, no answer': [(f) => f.host('/a', undefined as never), 'files.content: the answer must be a reply'],
  'chat.reply, a number': [(f) => f.chat.reply(5 as never), 'chat.create: turn must be an object of options'],
  'chat.reply, usage': [(f) => f.chat.reply({ usage: { input: -1 } }), 'chat.create: turn.usage.input must be an integer'],
  'chat.reply, tool calls': [
    (f) => f.chat.reply({ toolCalls: [{}] } as never),
    'chat.create: turn.toolCalls must be a list of calls, each with a name',
  ],
  'messages.stream, a text': [(f) => f.messages.stream('x' as never), 'stream: pieces must be a list of texts or objects, not "x"'],
  'responses.toolCall, no name': [
    (f) => f.responses.toolCall(undefined as never),
    'responses.create: turn.toolCalls must be a list of calls, each with a name',
  ],
};

test.each(Object.entries(wrong))('%s is refused as a ValidationError, and scripts no answer', (_title, [run, problem]) => {
  let error: unknown;
  try {
    run(fake);
  } catch (cause) {
    error = cause;
  }
  expect(isModelsvcError(error, 'validation')).toBe(true);
  expect((error as Error).message).toContain(problem);
  expect(fake.waiting).toBe(0);
});

test('idle, and a limit that a function returns', async () => {
  expect(isModelsvcError(await failure(fake.idle({ timeoutMs: 'x' } as never)), 'validation')).toBe(true);
  fake.capacity({ atOnce: () => Number.NaN });
  const error = await failure(
    newClient(fake.configFor({ maxRetries: 0 }))
      .chat()
      .createSimple(undefined, 'glm-5.2', 'hi'),
  );
  expect(error).toMatchObject({ kind: 'api', status: 500, serviceMessage: expect.stringContaining('the result of atOnce must be a number from 0') });
});

test('right words stay right: undefined fields, 204, an async iterable, a limit without an end', async () => {
  async function* frames(): AsyncGenerator<string> {
    yield 'data: [DONE]\n\n';
  }
  fake.answer('chat.create', { frames: frames() }, { body: undefined, status: 204 }, { body: new Uint8Array(), headers: { 'x-log-id': '' } });
  fake.chat.reply({ text: ['a'], finish: undefined, usage: { cached: 0 } });
  fake.capacity({ atOnce: Number.POSITIVE_INFINITY, starts: undefined }).task({ id: undefined }).fallback('*', undefined);
  expect(fake.waiting).toBe(4);
});

describe('models that do not exist', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const c = newClient(fake.configFor({ maxRetries: 0 }));
  const calls: Readonly<Record<string, readonly [right: string, near: string, call: (model: string) => Promise<unknown>]>> = {
    chat: ['glm-5.2', 'glm-5.22', (model) => c.chat().create(undefined, { model, messages })],
    'chat.createAsync': ['glm-5.2', 'glm-5.22', (model) => c.chat().createAsync(undefined, { model, messages })],
    messages: ['glm-5.2', 'glm-5.22', (model) => c.anthropic().create(undefined, { model, messages, max_tokens: 9 })],
    responses: ['glm-5.2', 'glm-5.22', (model) => c.responses().create(undefined, { model, input: 'hi' })],
    tokenize: ['glm-4.6', 'glm-4.66', (model) => c.tools().tokenize(undefined, { model, messages })],
    embeddings: ['embedding-3', 'embedding-33', (model) => c.embeddings().create(undefined, { model, input: 'hi' })],
    rerank: ['rerank', 'reranc', (model) => c.rerank().create(undefined, { model, query: 'a', documents: ['a'] })],
    moderations: ['moderation', 'moderatio', (model) => c.moderations().create(undefined, { model, input: 'hi' })],
    images: ['glm-image', 'glm-imag', (model) => c.images().generate(undefined, { model, prompt: 'hi' })],
    videos: ['cogvideox-3', 'cogvideox-33', (model) => c.videos().generate(undefined, { model, prompt: 'hi' })],
    speech: ['glm-tts', 'glm-ttt', async (model) => (await c.audio().speech(undefined, { model, input: 'hi', voice: 'tongtong' })).bytes()],
    transcribe: ['glm-asr-2512', 'glm-asr-2511', (model) => c.audio().transcribe(undefined, { model, file: new Uint8Array([1]) })],
    layout: ['glm-ocr', 'glm-ocx', (model) => c.layout().parse(undefined, { model, file: 'https://example.com/a.pdf' })],
  };

  test.each(Object.entries(calls))('%s: 1211, whose reason has both ways and the nearest id', async (_name, [right, near, call]) => {
    await call(right);
    expect(fake.refusals).toEqual([]);
    for (const upper of [right.toUpperCase()]) await call(upper);
    expect(fake.refusals).toEqual([]);
    const error = await failure(call(near));
    expect(JSON.stringify(error)).toMatch(/Unknown Model|model_not_found/);
    const { refusal } = fake.refusals[0] ?? {};
    expect([refusal?.status, refusal?.code]).toEqual([400, '1211']);
    expect(refusal?.reason).toContain(`did you mean ${right}?`);
    expect(refusal?.reason).toContain(`pass models: ['${near}'] or models: 'any' to startFakeService, or --models any to the mock`);
  });

  test('a model of another kind does not exist for an operation', async () => {
    await failure(c.chat().createSimple(undefined, 'embedding-3', 'hi'));
    expect(fake.refusals[0]?.refusal?.reason).toContain('the catalogue has no chat model embedding-3');
  });

  test('messages maps the names of Anthropic, and chat does not', async () => {
    await c.anthropic().create(undefined, { model: 'claude-sonnet-5', messages, max_tokens: 9 });
    expect(fake.refusals).toEqual([]);
    await failure(c.chat().createSimple(undefined, 'claude-sonnet-5', 'hi'));
    expect(fake.refusals).toHaveLength(1);
  });

  test.each<[string, FakeOptions['models'], readonly string[]]>([
    ['any', 'any', []],
    ['ids that are added', ['glm-99'], []],
    ['rows of Config.models', [{ id: 'glm-99', family: 'GLM-9' }], []],
    ['a row of another kind', [{ id: 'glm-99', kind: 'image' }], ['glm-99']],
    ['the catalogue', 'known', ['glm-99']],
    ['the default', undefined, ['glm-99']],
  ])('models: %s', async (_title, models, refused) => {
    const own = await startFakeService({ models });
    const client = newClient(own.configFor({ maxRetries: 0 }));
    for (const model of ['glm-99', 'glm-5.2'])
      await client
        .chat()
        .createSimple(undefined, model, 'hi')
        .catch(() => undefined);
    expect(own.refusals.map(({ body }) => (body as { model: string }).model)).toEqual(refused);
    expect(own.requests.flatMap(({ warnings }) => warnings)).toEqual(
      models === 'any' ? ['the catalogue has no chat model glm-99; did you mean glm-5?'] : [],
    );
    await own.close();
  });
});

test("a key other than the fake's: the reason names configFor", async () => {
  const c = newClient({ apiKey: 'a-key-of-production', endpoints: fake.url, maxRetries: 0 });
  expect(await failure(c.chat().createSimple(undefined, 'glm-5.2', 'hi'))).toMatchObject({ status: 401 });
  expect(fake.refusals[0]?.refusal?.reason).toContain('fake.configFor()');
});

test.each([256, undefined])('vectors are sent as asked, base64 too: %s numbers', async (dimensions) => {
  const ask = async (more: object): Promise<unknown> => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' } };
    const body = JSON.stringify({ model: 'embedding-3', input: 'rain', ...(dimensions && { dimensions }), ...more });
    const { data } = (await (await fetch(`${fake.url}/embeddings`, { ...init, body })).json()) as { data: { embedding: unknown }[] };
    return data[0]?.embedding;
  };
  const numbers = (await ask({ encoding_format: 'float' })) as number[];
  expect([numbers.length, await ask({})]).toEqual([dimensions ?? 2048, numbers]);
  const bytes = Buffer.from((await ask({ encoding_format: 'base64' })) as string, 'base64');
  expect(Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), (one) => Number(one.toFixed(6)))).toEqual(numbers);
});
