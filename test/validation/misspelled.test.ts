import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { type Client, type Config, defineTool, newClient, RegionChina } from '../../src/overlay/index.ts';
import { misspelled } from '../../src/overlay/validation/misspelled.ts';
import { altered } from '../support/altered.ts';
import { surfaces } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failureOf } from '../support/spec.ts';
import { foreignFields, foreignInnerFields } from './foreign-fields.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const tool = defineTool({ name: 'f', description: 'F.', input: {}, run: () => '' });
const vendor: readonly Partial<Config>[] = [{}, { region: RegionChina }, { baseURL: 'https://api.z.ai/api/coding/paas/v4' }];

/** A client that reaches no host, and the URLs that it asked for. */
function recording(config: Partial<Config>): { client: Client; urls: string[]; bodies: unknown[] } {
  const urls: string[] = [];
  const bodies: unknown[] = [];
  const httpClient: NonNullable<Config['httpClient']> = async (url, { body }) => {
    urls.push(url);
    bodies.push(body);
    throw new Error('no network');
  };
  return { client: newClient({ apiKey: 'any', httpClient, maxRetries: 0, ...config }), urls, bodies };
}

/** Performs an operation with further fields in its request. */
function performed(client: Client, id: string, fields: object): Promise<unknown> {
  const withFields = altered(client, ([ctx, request, ...rest]) => [ctx, { ...(request as object), ...fields }, ...rest]);
  return everyOperation[id]?.perform(withFields) as Promise<unknown>;
}

/** Slips that people make, by operation, each with the name that was meant. */
const slips: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'chat.create': {
    temprature: 'temperature',
    Temperature: 'temperature',
    maxTokens: 'max_tokens',
    max_token: 'max_tokens',
    maxtokens: 'max_tokens',
    'top-p': 'top_p',
    topp: 'top_p',
    tool_choise: 'tool_choice',
    reponse_format: 'response_format',
    stops: 'stop',
    tool: 'tools',
    stream_tool_calls: 'stream_tool_call',
    efort: 'effort',
  },
  'anthropic.create': { stop_sequence: 'stop_sequences', topK: 'top_k', sistem: 'system', service_teir: 'service_tier' },
  'anthropic.countTokens': { messages_: 'messages' },
  'responses.create': { instruction: 'instructions', previous_respose_id: 'previous_response_id', reasonning: 'reasoning' },
  'images.generate': { qualty: 'quality', sise: 'size' },
  'layout.parse': { start_page: 'start_page_id' },
  'rerank.create': { document: 'documents' },
};

const ruled = allRoutes.filter((route) => route.rules?.body);

/** The longest name of each operation with a body, without a letter. */
const made = ruled.map((route) => {
  const name = Object.keys(route.rules?.body?.properties ?? {}).reduce((longest, one) => (one.length > longest.length ? one : longest));
  return [route.id, name.slice(0, 3) + name.slice(4), name] as const;
});
const table = [...made, ...Object.entries(slips).flatMap(([id, names]) => Object.entries(names).map(([slip, meant]) => [id, slip, meant] as const))];

describe('on the hosts of the service', () => {
  it.each(table)('%s refuses %s and names %s, before a request', async (id, slip, meant) => {
    for (const config of vendor) {
      const { client, urls } = recording(config);
      const error = await failureOf(() => performed(client, id, { [slip]: 'x' }));
      expect(error).toMatchObject({ kind: 'validation', path: slip, message: `${id}: ${slip} is unknown; did you mean ${meant}?` });
      expect(urls).toEqual([]);
    }
  });

  it.each<[string, (client: Client, more: object) => unknown]>([
    ...surfaces.flatMap(({ operation, service, request }): [string, (client: Client, more: object) => unknown][] => [
      [operation.replace('create', 'stream'), (c, more) => service(c).stream(undefined, request('hi', more)).next()],
      [operation.replace('create', 'runWithTools'), (c, more) => service(c).runWithTools(undefined, request('hi', more), [tool] as never)],
    ]),
    [
      'agents.stream',
      (c, more) =>
        c
          .agents()
          .stream(undefined, { agent_id: 'a', messages, ...more })
          .next(),
    ],
    [
      'audio.speechStream',
      (c, more) =>
        c
          .audio()
          .speechStream(undefined, { model: 'm', input: 'a', voice: 'b', ...more })
          .next(),
    ],
  ])('%s refuses a misspelled field', async (operation, call) => {
    const { client, urls } = recording({});
    expect(await failureOf(() => call(client, { requestid: 'a', outputs: 1, inputs: 'a', message: [] }))).toMatchObject({
      kind: 'validation',
      operation,
      problem: expect.stringMatching(/^is unknown; did you mean (request_id|input|messages)\?$/),
    });
    expect(urls).toEqual([]);
  });

  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  it.each([
    ['messages[1].tool_calls_id', 'tool_call_id', { messages: [...messages, { role: 'tool', content: 'a', tool_calls_id: 'c' }] }],
    ['messages[1].toolCallId', 'tool_call_id', { messages: [...messages, { role: 'tool', content: 'a', toolCallId: 'c' }] }],
    ['messages[0].toolCalls', 'tool_calls', { messages: [{ role: 'assistant', toolCalls: [call] }, ...messages] }],
    ['messages[0].reasoningContent', 'reasoning_content', { messages: [{ role: 'assistant', content: 'a', reasoningContent: 'b' }, ...messages] }],
    ['messages[0].contnet', 'content', { messages: [{ role: 'user', contnet: 'a' }] }],
    ['messages[0].image', 'images', { messages: [{ role: 'user', content: 'a', image: ['https://example.com/a.png'] }] }],
    ['tools[0].webSearch', 'web_search', { tools: [{ type: 'web_search', webSearch: {} }] }],
    ['thinking.clearThinking', 'clear_thinking', { thinking: { type: 'enabled', clearThinking: false } }],
    ['response_format.jsonSchema', 'json_schema', { response_format: { type: 'json_schema', jsonSchema: {} } }],
  ])('%s inside of a request is refused', async (path, meant, fields) => {
    const { client, urls } = recording({});
    const error = await failureOf(() => client.chat().create(undefined, { ...chat, ...fields } as never));
    expect(error).toMatchObject({ path, message: `chat.create: ${path} is unknown; did you mean ${meant}?` });
    expect(urls).toEqual([]);
  });

  it.each([
    ['thinking.budgetTokens', { thinking: { type: 'enabled', budgetTokens: 1024 } }],
    ['tools[0].inputSchema', { tools: [{ name: 'f', inputSchema: {} }] }],
    ['tool_choice.disableParallelToolUse', { tool_choice: { type: 'auto', disableParallelToolUse: true } }],
  ])('%s of a message request is refused', async (path, fields) => {
    const { client } = recording({});
    const error = await failureOf(() => client.anthropic().create(undefined, { ...chat, max_tokens: 2048, ...fields } as never));
    expect(error).toMatchObject({ kind: 'validation', path });
  });

  it('a line of a batch with a misspelled field is refused', async () => {
    const { client, urls } = recording({});
    const error = await failureOf(() => client.batch().run(undefined, [{ body: chat }, { body: { ...chat, ...{ maxTokens: 9 } } }], { maxWait: 0 }));
    expect(error).toMatchObject({ path: 'requests[1].body.maxTokens' });
    expect(urls).toEqual([]);
  });

  it('a field without a value, and a request whose fields cannot be read', async () => {
    const { client, urls } = recording({});
    await failureOf(() => client.chat().create(undefined, { ...chat, ...({ maxTokens: undefined, temprature: null } as object) }));
    expect(urls).toHaveLength(1);
    const unreadable = Object.defineProperty({ model: 'm', input: 'a' }, 'dimension', {
      enumerable: true,
      get: () => Reflect.get(null as never, 'x'),
    });
    expect(await failureOf(() => client.embeddings().create(undefined, unreadable))).toMatchObject({ kind: 'validation', path: '' });
  });

  it('a binding sends a field under any name', async () => {
    const { client, bodies } = recording({});
    const body = { model: 'm', messages, maxTokens: 9 };
    await failureOf(() => client.bindings('chat').POST('/chat/completions', { body: body as never }));
    expect(bodies).toEqual([JSON.stringify(body)]);
  });
});

it.each(table)('another host gets the request of %s with %s', async (id, slip) => {
  const { client, urls } = recording({ endpoints: 'http://127.0.0.1:9' });
  await failureOf(() => performed(client, id, { [slip]: 'x' }));
  expect(urls).toHaveLength(1);
});

describe('no slip', () => {
  const known = [...new Set(ruled.flatMap((route) => Object.keys(route.rules?.body?.properties ?? {})))];

  it.each(ruled.map((route) => [route.id, route] as const))('is a name of any operation, service or engine, in %s', (_id, route) => {
    for (const name of [...known, ...foreignFields]) expect(misspelled(route, { [name]: 1 })?.message).toBeUndefined();
  });

  it.each(ruled.map((route) => [route.id, route] as const))(
    'is a name of another API or of a program, in the messages and tools of %s',
    (_id, route) => {
      const fields = Object.fromEntries(foreignInnerFields.map((name) => [name, 1]));
      for (const name of Object.keys(route.rules?.body?.properties ?? {}))
        for (const value of [fields, [fields]]) expect(misspelled(route, { [name]: value })?.message).toBeUndefined();
    },
  );

  it('is a name in free JSON', () => {
    const free = { userId: 1, modell: 1, messages: [{ contnet: 1 }], tool_calls_id: 1 };
    const parameters = { type: 'object', properties: { maxTokens: { type: 'number' } }, requierd: [] };
    const fields = {
      ...chat,
      metadata: free,
      custom_variables: free,
      tools: [
        { type: 'function', function: { name: 'f', parameters } },
        { name: 'f', input_schema: parameters },
      ],
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: free }] }],
      input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify(free) }],
    };
    for (const route of ruled) {
      const own = Object.fromEntries(Object.entries(fields).filter(([name]) => route.rules?.body?.properties?.[name]));
      if (/^(chat|tools)\./.test(route.id)) own['tools'] = fields.tools.slice(0, 1);
      if (/^anthropic\./.test(route.id)) own['tools'] = fields.tools.slice(1);
      expect(misspelled(route, own)?.message).toBeUndefined();
    }
  });

  it('is a name that resembles none', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'bghjkqvwxyz'), minLength: 6, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...ruled), letters, (route, name) => {
        expect(misspelled(route, { [name]: 1, messages: [{ [name]: 1 }] })).toBeUndefined();
      }),
    );
  });
});

it('one letter too few, one too many, two swapped, and the camel-case form of each longer name are found', () => {
  const altered: readonly ((name: string, at: number) => string)[] = [
    (name, at) => name.slice(0, at) + name.slice(at + 1),
    (name, at) => name.slice(0, at) + name.slice(at, at + 1) + name.slice(at),
    (name, at) => name.slice(0, at) + name.slice(at + 1, at + 2) + name.slice(at, at + 1) + name.slice(at + 2),
    (name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ];
  const cases: [Route, string][] = ruled.flatMap((route) =>
    Object.keys(route.rules?.body?.properties ?? {})
      .filter((name) => name.length > 4)
      .map((name): [Route, string] => [route, name]),
  );
  fc.assert(
    fc.property(fc.constantFrom(...cases), fc.nat(), fc.constantFrom(...altered), ([route, name], at, alter) => {
      const slip = alter(name, at % name.length);
      const names = [...Object.keys(route.rules?.body?.properties ?? {}), ...foreignFields];
      fc.pre(!names.includes(slip));
      expect(misspelled(route, { [slip]: 1 })?.message).toMatch(/ is unknown; did you mean \w+\?$/);
    }),
    { numRuns: 500 },
  );
});
