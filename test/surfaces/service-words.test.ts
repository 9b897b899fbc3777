import { describe, expect, test } from 'vitest';
import { debugHook } from '../../src/debug/index.ts';
import { serviceFetch } from '../../src/fetch/index.ts';
import { type Client, type Config, defineTool, type Hook, isApiError, newClient, outputFormat } from '../../src/overlay/index.ts';
import { ask, askings } from '../fetch/support.ts';
import { surfaces, taken, transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

// The role and the field of other services, and models that will retire.

const fake = await sharedFake();
const messages = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'hi' },
  { role: 'critic', content: 'unknown' },
];
const asSent = messages.map((message, index) => (index === 0 ? { ...message, role: 'system' } : message));
const request = Object.freeze({ model: 'glm-5.2', messages: Object.freeze(messages.map((one) => Object.freeze(one))), max_completion_tokens: 9 });
const tools = [defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' })];
const format = outputFormat({ type: 'object' });

const ways: Readonly<Record<string, (c: Client) => Promise<unknown>>> = {
  create: (c) => c.chat().create(undefined, request),
  stream: (c) => taken(c.chat().stream(undefined, request)),
  createAsync: (c) => c.chat().createAsync(undefined, request),
  parse: (c) => c.chat().parse(undefined, request, format),
  runWithTools: (c) => c.chat().runWithTools(undefined, request, tools),
  streamWithTools: (c) => taken(c.chat().streamWithTools(undefined, request, tools)),
  tokenize: (c) => c.tools().tokenize(undefined, { ...request, messages: [...request.messages] }),
  'batch.run': (c) => c.batch().start(undefined, [{ body: request }]),
};

/** The messages of the request that was sent, in a batch of its only line. */
function sentBody(): { messages: { role: string }[]; max_tokens?: number; max_completion_tokens?: number } {
  const { body } = fake.requests[0] ?? {};
  const file = (body as { file?: { bytes: Uint8Array } }).file;
  return (file ? (JSON.parse(new TextDecoder().decode(file.bytes)) as { body: unknown }).body : body) as never;
}

describe.each(transports)('$transport', ({ overrides }) => {
  test.each(Object.entries(ways))('%s sends the words of the service in a copy, and the words of the caller elsewhere', async (name, way) => {
    fake.fallback('chat.create', { turn: { text: '{}' } });
    await way(newClient(fake.configFor(overrides)));
    const sent = sentBody();
    expect(sent.messages.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual(['user', 'critic']);
    expect(JSON.stringify(sent.messages)).toContain('Be brief.');
    expect(sent.max_completion_tokens).toBe(9);
    expect(request.messages[0]?.role).toBe('developer');
    expect(fake.refusals).toEqual([]);
    fake.reset();
    await Promise.resolve(way(newClient(fake.configFor({ ...overrides, serviceRules: false })))).catch(() => undefined);
    expect(sentBody().messages.map(({ role }) => role)).toContain('developer');
    expect(sentBody().max_completion_tokens).toBe(9);
    if (name !== 'tokenize' && name !== 'batch.run') expect(fake.refusals[0]?.refusal).toMatchObject({ status: 400, code: '1214' });
  });

  test.each(askings)('modelsvc/fetch, $surface: only chat changes, and only by the rules of the service', async (asking) => {
    const own = asking.surface === 'responses' ? { input: messages } : { messages };
    for (const serviceRules of [true, undefined, false]) {
      const options = { ...(overrides.httpClient && { httpClient: overrides.httpClient }), ...(serviceRules !== undefined && { serviceRules }) };
      const response = await ask(fake, asking, options, { body: { ...own, max_completion_tokens: 9 } });
      await response.body?.cancel();
      const isChanged = asking.surface === 'chat' && serviceRules === true;
      expect([asking.surface, serviceRules, fake.requests.at(-1)?.body]).toEqual([
        asking.surface,
        serviceRules,
        isChanged ? { ...asking.body, messages: asSent, max_tokens: 9 } : { ...asking.body, ...own, max_completion_tokens: 9 },
      ]);
      expect([asking.surface, response.status]).toEqual([asking.surface, asking.surface === 'chat' && !isChanged ? 400 : 200]);
    }
  });
});

test('on the hosts of the service the adapter needs no option', async () => {
  let sent: unknown;
  const httpClient: typeof fetch = async (_url, init) => {
    sent = JSON.parse(String(init?.body));
    return Response.json({ choices: [{ message: { content: 'x' } }] });
  };
  for (const root of ['https://api.z.ai/api/paas/v4', 'https://open.bigmodel.cn/api/coding/paas/v4']) {
    const init = { method: 'POST', headers: { authorization: 'Bearer k', 'content-type': 'application/json' } };
    await serviceFetch({ httpClient })(`${root}/chat/completions`, { ...init, body: JSON.stringify({ model: 'glm-5.2', messages }) });
    expect(sent).toEqual({ model: 'glm-5.2', messages: asSent });
  }
});

test('modelsvc/fetch: a max_tokens of the caller stays, and so does a request without foreign words', async () => {
  const [chat] = askings;
  for (const more of [{ max_tokens: 5, max_completion_tokens: 9 }, { max_completion_tokens: null }, {}]) {
    if (chat) await (await ask(fake, chat, { serviceRules: true }, { body: more })).body?.cancel();
    expect(fake.requests.at(-1)?.body).toEqual({ ...chat?.body, ...more });
  }
});

type Told = Parameters<NonNullable<Hook['onNote']>>[1];

/** A config whose hook collects its notes, and the debug hook's. */
function hearing(overrides: Partial<Config> = {}): { config: Config; notes: Told[]; lines: string[] } {
  const notes: Told[] = [];
  const lines: string[] = [];
  const hooks: Hook[] = [{ onNote: (_meta, note) => void notes.push(note) }, debugHook({ write: (line) => void lines.push(line) })];
  return { config: fake.configFor({ hooks, ...overrides }), notes, lines };
}

test('hooks get each word once for a client', async () => {
  const { config, notes, lines } = hearing();
  const c = newClient(config);
  await c.chat().create(undefined, request);
  await taken(c.chat().stream(undefined, request));
  expect(notes).toEqual([{ kind: 'renamed', given: 'role developer', sent: 'system' }]);
  expect(notes.every(Object.isFrozen)).toBe(true);
  expect(lines.filter((line) => line.includes(' note: ')).map((line) => line.replace(/^.* note: /, ''))).toEqual([
    'role developer is sent as system',
  ]);
});

describe.each(surfaces)('a model that will retire, $surface', (driver) => {
  const asks = async (c: Client, model: string): Promise<void> => {
    await driver.service(c).create(undefined, driver.request('hi', { model }));
    await taken(driver.service(c).stream(undefined, driver.request('hi', { model })));
  };
  const leaving = (model: string, until?: string): Told => ({ kind: 'leaving', model, until });

  test.each<[string, Partial<Config>, Told[]]>([
    ['the rows of the catalogue, once for each client and model', {}, [leaving('glm-4.5'), leaving('glm-4.5-flash')]],
    ['no rows on another host', { serviceRules: false }, []],
    [
      'own rows, with their day',
      {
        models: [
          { id: 'glm-4.5', status: 'current' },
          { id: 'glm-5.3', status: 'leaving', until: '2027-03-31' },
        ],
      },
      [leaving('glm-4.5-flash'), leaving('glm-5.3', '2027-03-31')],
    ],
  ])('%s', async (_title, overrides, expected) => {
    const { config, notes, lines } = hearing(overrides);
    const c = newClient(config);
    for (const model of ['glm-4.5', 'glm-4.5-air', 'glm-4.5-flash', 'glm-5.3', 'glm-4.5']) await asks(c, model);
    expect(notes).toEqual(expected);
    expect(lines.filter((line) => line.includes('will retire'))).toHaveLength(expected.length);
  });
});

test('a hook that throws in onNote does not fail the call', async () => {
  const onNote = (): never => {
    throw new Error('hook');
  };
  const reply = await newClient(fake.configFor({ hooks: [{ onNote }] }))
    .chat()
    .create(undefined, request);
  expect(reply.choices).toHaveLength(1);
});

test('the refusal of the fake is an ApiError that the caller can judge', async () => {
  const c = newClient(fake.configFor({ serviceRules: false }));
  const error: unknown = await c
    .chat()
    .create(undefined, request)
    .catch((cause: unknown) => cause);
  expect(isApiError(error) && [error.status, error.code, error.category]).toEqual([400, '1214', 'parameter']);
  expect(fake.refusals[0]?.refusal?.reason).toBe('messages[0].role is developer; send system, as the client and modelsvc/fetch do with serviceRules');
});
