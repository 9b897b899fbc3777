import { describe, expect, it } from 'vitest';
import { type Client, Client as ClientClass, defineTool, newClient, outputFormat } from '../../src/overlay/index.ts';
import { expectNothingSent } from '../support/altered.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

/** No request is ever sent to it. */
const shared = await sharedFake();
const user = { role: 'user', content: 'hi' };
const chat = { model: 'glm-4.6', messages: [user] };
const message = { ...chat, max_tokens: 64 };
const definition = { name: 'f', description: 'F.', input: { type: 'object' }, run: () => '' };
const tool = defineTool(definition);
const format = outputFormat({ type: 'object' });

const schema = { type: 'object', properties: {} };
const toolForms = {
  chat: { type: 'function', function: { name: 'f', parameters: schema } },
  messages: { name: 'f', input_schema: schema },
  Responses: { type: 'function', name: 'f', parameters: schema },
};

const first = 'ctx comes first: pass a Context and then the request, or the request alone';
const alone = 'the request must be an object: pass ctx first, then the request';
const wait = 'options must be a number of milliseconds, or an object of options';
const simple = 'options must have effort or system: pass a signal as the first argument';
const none = 'ctx must be a Context, an AbortSignal or undefined, and comes first';
const typed = "is made by defineTool: pass tool.as('chat'), or use runWithTools";

// Programs in JavaScript: the compiler refuses nearly all of these calls.
// biome-ignore lint/suspicious/noExplicitAny: what the compiler refuses is called here
type Loose = any;

/** Methods of a request, each called with one value. */
const lone: Readonly<Record<string, readonly [operation: string, call: (client: Loose, value: unknown) => unknown]>> = {
  chat: ['chat.create', (c, value) => c.chat().create(value)],
  'a stream': ['chat.stream', (c, value) => c.chat().stream(value).next()],
  embeddings: ['embeddings.create', (c, value) => c.embeddings().create(value)],
  'an image': ['images.generate', (c, value) => c.images().generate(value)],
  'an agent': ['agents.invoke', (c, value) => c.agents().invoke(value)],
  'a wait': ['agents.wait', (c, value) => c.agents().wait(value)],
};

/** A slip, and the message that names the right word. */
type Slip = readonly [slip: string, call: (client: Loose) => unknown, message: string];

const slips: readonly Slip[] = [
  ...Object.entries(lone).map(
    ([name, [operation, call]]): Slip => [`a signal alone in ${name}`, (c) => call(c, new AbortController().signal), `${operation}: ${alone}`],
  ),
  ...Object.entries(lone).map(
    ([name, [operation, call]]): Slip => [`a field of ctx alone in ${name}`, (c) => call(c, { timeout: 5, model: 'm' }), `${operation}: ${alone}`],
  ),
  ['an id before a signal', (c) => c.batch().retrieve('b', new AbortController().signal), `batch.retrieve: ${none}`],
  ['an id and the index of a list', (c) => c.batch().retrieve('b', 0, ['b']), `batch.retrieve: ${none}`],
  ['a wait, and a signal after it', (c) => c.batch().wait('b', 5, new AbortController().signal), `batch.wait: ${wait}`],
  [
    'requests, options and a signal',
    (c) => c.batch().start([{ body: chat }], {}, new AbortController().signal),
    'batch.start: options must be an object of options',
  ],
  ['a query before ctx', (c) => c.batch().list({ limit: 5 }, { timeout: 5 }), `batch.list: ${first}`],
  ['a field of ctx in the query', (c) => c.batch().list({ limit: 5, timeout: 5 }), `batch.list: ${first}`],
  ...['chat', 'responses'].flatMap((name): Slip[] => [
    ['a text before a signal', (c) => c[name]().createSimple('m', 'hi', new AbortController().signal), `${name}.createSimple: ${simple}`],
    ['a text, options and a signal', (c) => c[name]().createSimple('m', 'hi', {}, new AbortController().signal), `${name}.createSimple: ${simple}`],
    [
      'a text before ctx',
      (c) => c[name]().createSimple('m', 'hi', { effort: 'low', timeout: 5 }),
      `${name}.createSimple: options.timeout is unknown; use one of effort, system`,
    ],
    [
      'a text before a field',
      (c) => c[name]().createSimple('m', 'hi', { efort: 'low' }),
      `${name}.createSimple: options.efort is unknown; did you mean effort?`,
    ],
    ['a third text', (c) => c[name]().createSimple('m', 'hi', 'Be brief.'), `${name}.createSimple: ${none}`],
    ['a system of no text', (c) => c[name]().createSimple('m', 'hi', { system: 5 }), `${name}.createSimple: options.system must be a string`],
  ]),
  ['a format before a signal', (c) => c.chat().parse(chat, format, new AbortController().signal), 'chat.parse: format must be made by outputFormat'],
  ['tools, options and a signal', (c) => c.chat().runWithTools(chat, [tool], {}, new AbortController().signal), `chat.runWithTools: ${alone}`],
  ['a link before ctx', (c) => c.fetchFile('https://example.com', { timeout: 5 }), `download: ${none}`],
  ['a job, its interval and a signal', (c) => c.waitForResult('id', 5, new AbortController().signal), `waitForResult: ${wait}`],
  ['a run before a signal', (c) => c.agents().wait({ agent_id: 'a', async_id: 'b' }, new AbortController().signal), `agents.wait: ${wait}`],
  ['a job of a parser without a format', (c) => c.fileParser().wait('id'), 'fileParser.wait: format_type is required'],
  ['a video of a model alone', (c) => c.videos().generate({ model: 'cogvideox-3' }), `videos.generate: ${alone}`],
  ['a recording of a model alone', (c) => c.audio().transcribe({ model: 'm' }), `audio.transcribe: ${alone}`],
  ['a request of a model alone', (c) => c.chat().create({ model: 'm' }), 'chat.create: messages is required'],
  ['no argument', (c) => c.chat().create(), `chat.create: ${alone}`],
  ['the request in the place of ctx', (c) => c.chat().create(chat, {}), `chat.create: ${first}`],
  ['ctx after the request', (c) => c.anthropic().create(message, { timeout: 5 }), `anthropic.create: ${first}`],
  ['stream: true', (c) => c.chat().create(undefined, { ...chat, stream: true }), 'chat.create: stream must not be true here: use chat().stream'],
  [
    'stream: true in a message',
    (c) => c.anthropic().create(undefined, { ...message, stream: true }),
    'anthropic.create: stream must not be true here: use anthropic().stream',
  ],
  ['a typed tool', (c) => c.chat().create(undefined, { ...chat, tools: [tool] }), `chat.create: tools[0] ${typed}`],
  ['a typed tool in a message', (c) => c.anthropic().create(undefined, { ...message, tools: [tool] }), `anthropic.create: tools[0] ${typed}`],
  ...['users', 'User', 'usr']
    .map((role) => [`the role ${role}`, (c: Loose) => c.chat().create(undefined, { ...chat, messages: [{ ...user, role }] }), role] as const)
    .map(([slip, call]) => [slip, call, 'chat.create: messages[0].role is unknown; did you mean user?'] as const),
  [
    'a misspelt role after another message',
    (c) => c.chat().create(undefined, { ...chat, messages: [user, { role: 'assistent', content: 'hi' }, user] }),
    'chat.create: messages[1].role is unknown; did you mean assistant?',
  ],
  [
    'a misspelt role in a message',
    (c) => c.anthropic().create(undefined, { ...message, messages: [user, { role: 'asistant', content: 'hi' }] }),
    'anthropic.create: messages[1].role is unknown; did you mean assistant?',
  ],
  ['a request that is a Promise', (c) => c.chat().create(undefined, Promise.resolve(chat)), 'chat.create: the request is a Promise: await it'],
  [
    'messages that are a Promise',
    (c) => c.chat().create(undefined, { ...chat, messages: Promise.resolve([user]) }),
    'chat.create: messages is a Promise: await it',
  ],
  [
    'a content part that is a Promise',
    (c) => c.chat().create(undefined, { ...chat, messages: [{ ...user, content: [Promise.resolve({})] }] }),
    'chat.create: messages[0].content[0] is a Promise: await it',
  ],
  [
    'a reply that is not awaited before parse',
    () => format.parse(Promise.resolve({ choices: [] }) as Loose),
    'outputFormat.parse: the answer is a Promise: await it',
  ],
  ...['chat', 'anthropic', 'responses'].map(
    (name): Slip => [
      `a stream of ${name} in parse`,
      (c) => format.parse(c[name]().stream(message)),
      'outputFormat.parse: the answer is a stream: pass it to format.partial, or pass await collecting(stream).response()',
    ],
  ),
  ...(
    [
      ['chat', 'messages', message],
      ['chat', 'Responses', message],
      ['anthropic', 'chat', message],
      ['responses', 'chat', { model: 'm', input: 'a' }],
      ['responses', 'messages', { model: 'm', input: 'a' }],
    ] as const
  ).map(
    ([service, surface, request]): Slip => [
      `a tool of ${surface} on ${service}`,
      (c) => c[service]().create(undefined, { ...request, tools: [toolForms[surface]] }),
      `${service}.create: tools[0] is a tool of ${surface}: with defineTool you write a tool once for all surfaces`,
    ],
  ),
  [
    'a signal in the request',
    (c) => c.chat().create(undefined, { ...chat, signal: new AbortController().signal }),
    'chat.create: signal is an option of the call: pass { signal } as the first argument',
  ],
  [
    'a signal in a request of embeddings',
    (c) => c.embeddings().create(undefined, { model: 'm', input: 'a', signal: AbortSignal.abort() }),
    'embeddings.create: signal is an option of the call: pass { signal } as the first argument',
  ],
  [
    'parameters for input',
    () => defineTool({ ...definition, input: undefined, parameters: {} } as Loose),
    'defineTool: input is required: name the schema input, not parameters',
  ],
  ['new Client(config)', () => new (ClientClass as Loose)({ apiKey: 'key' }), 'new Client: use newClient(config)'],
  ['new Client()', () => new (ClientClass as Loose)(), 'new Client: use newClient(config)'],
  ['an accessor that is not called', (c) => c.chat.create(undefined, chat), 'c.chat.create is not a function'],
];

describe('a slip gets a message that names the right word, and no request is sent', () => {
  it.each(slips)('%s', async (_slip, call, text) => {
    const error = await failureOf(async () => call(newClient(shared.configFor())));
    expect((error as Error).message).toBe(text);
    expectNothingSent(shared);
  });
});

describe('no slip', () => {
  const accepted: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    [
      'roles of other services',
      async (c) => {
        for (const role of ['developer', 'function', 'model', 'observation', 'human', 'bot', 'ai', 'critic'])
          await c.chat().create(undefined, { ...chat, messages: [user, { role, content: 'hi' }] });
      },
    ],
    ['a model in ctx', (c) => c.chat().create({ model: 'm', service: 's' }, chat)],
    ['a field that the client does not know', (c) => c.chat().create(undefined, { ...chat, some_new_field: 1 })],
  ];
  it.each(accepted)('%s', async (_name, call) => {
    const { client } = await openFake();
    await call(client);
  });

  it('is a Config with undefined in every field', async () => {
    const { fake } = await openFake();
    const { configFields } = await import('../../src/overlay/config.ts');
    const absent = Object.fromEntries(Object.keys(configFields).map((name) => [name, undefined]));
    const client = newClient({ ...absent, ...fake.configFor() });
    await client.chat().create({ signal: undefined, headers: undefined, timeout: undefined, maxRetries: undefined }, chat);
    await client.close();
  });
});
