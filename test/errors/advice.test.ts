// The advice of an error is about the request that failed: which host was asked, and with which model.
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/generated/models.ts';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';

const global = 'https://api.z.ai';
const china = 'https://open.bigmodel.cn';

/** A client whose requests to the vendor's hosts are answered here. */
function answered(config: object, status: number, body: unknown, contentType: string = 'application/json'): Client {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const httpClient = (): Promise<Response> => Promise.resolve(new Response(text, { status, headers: { 'content-type': contentType } }));
  return newClient({ apiKey: 'test-key.abc', maxRetries: 0, httpClient, ...config });
}
const coded = (code: string): object => ({ error: { code, message: 'refused' } });
const hi = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'hi' }] };

/** A call, its place, and how to use a key of the other host. */
const places: readonly (readonly [string, (client: Client) => Promise<unknown>, object, string])[] = [
  [
    'chat',
    (c) => c.chat().create(undefined, hi),
    {},
    `this was api.z.ai: for a key of open.bigmodel.cn set baseURL: '${china}/api/paas/v4', region: 'china' (on the command line, --region china)`,
  ],
  [
    'chat with the china region',
    (c) => c.chat().create(undefined, hi),
    { region: 'china' },
    `this was api.z.ai: for a key of open.bigmodel.cn set baseURL: '${china}/api/paas/v4', region: 'china'`,
  ],
  [
    'chat on the coding root',
    (c) => c.chat().create(undefined, hi),
    { baseURL: `${global}/api/coding/paas/v4` },
    `set baseURL: '${china}/api/coding/paas/v4', region: 'china'`,
  ],
  [
    'chat on the china host',
    (c) => c.chat().create(undefined, hi),
    { baseURL: `${china}/api/paas/v4` },
    `this was open.bigmodel.cn: for a key of api.z.ai set baseURL: '${global}/api/paas/v4', region: 'global' (on the command line, --region global)`,
  ],
  [
    'images',
    (c) => c.images().generate(undefined, { model: 'cogview-4', prompt: 'x' }),
    { region: 'china' },
    `set baseURL: '${china}/api/paas/v4', region: 'china'`,
  ],
  [
    'messages',
    (c) => c.anthropic().create(undefined, { ...hi, max_tokens: 9 }),
    {},
    "this was api.z.ai: for a key of open.bigmodel.cn set region: 'china'",
  ],
  [
    'responses',
    (c) => c.responses().create(undefined, { model: 'glm-5.3', input: 'hi' }),
    { region: 'china' },
    "this was open.bigmodel.cn: for a key of api.z.ai set region: 'global'",
  ],
  ['quota', (c) => c.quota().getLimit(undefined), {}, "set region: 'china'"],
  [
    'embeddings',
    (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: 'x' }),
    {},
    'this was open.bigmodel.cn: set chinaAPIKey to a key of it',
  ],
];

describe.each(['401', '1000', '1002', '1004', 'authentication_error', 'invalid_api_key', undefined])('a key refused with %s', (code) => {
  test.each(places)('%s names the host that was asked, and what moves the call', async (_name, call, config, words) => {
    const error = await failure(call(answered(config, 401, code === undefined ? { error: { message: 'no' } } : coded(code))));
    expect(error).toMatchObject({
      kind: 'api',
      category: 'auth',
      advice: expect.stringContaining(`Each host has its own keys, and ${words.startsWith('this') ? words : ''}`),
    });
    expect((error as Error).message).toContain(words);
  });
});

test.each(['1001', '1003', '1005'])('code %s is not about the host', async (code) => {
  expect(await failure(answered({}, 401, coded(code)).chat().create(undefined, hi))).not.toMatchObject({
    message: expect.stringContaining('Each host'),
  });
});

test('a gateway gets no advice about the hosts of the service', async () => {
  const error = await failure(answered({ baseURL: 'https://gateway.example/v1' }, 401, coded('1000')).chat().create(undefined, hi));
  expect((error as Error).message).not.toMatch(/z\.ai|bigmodel/);
});

describe('an empty balance', () => {
  const plan = 'A plan key covers only the models of its plan here.';
  test.each<[string, (client: Client) => Promise<unknown>, object, string]>([
    [
      'chat',
      (c) => c.chat().create(undefined, hi),
      {},
      `For a plan key set baseURL: '${global}/api/coding/paas/v4' (on the command line, --plan-endpoint).`,
    ],
    [
      'a chat stream',
      (c) => c.chat().stream(undefined, hi).next(),
      {},
      `For a plan key set baseURL: '${global}/api/coding/paas/v4' (on the command line, --plan-endpoint).`,
    ],
    [
      'chat on the china host',
      (c) => c.chat().create(undefined, hi),
      { baseURL: `${china}/api/paas/v4` },
      `For a plan key set baseURL: '${china}/api/coding/paas/v4' (on the command line, --plan-endpoint).`,
    ],
    ['chat on the coding root', (c) => c.chat().create(undefined, hi), { baseURL: `${global}/api/coding/paas/v4` }, plan],
    ['messages', (c) => c.anthropic().create(undefined, { ...hi, max_tokens: 9 }), {}, plan],
    ['responses', (c) => c.responses().create(undefined, { model: 'glm-5.3', input: 'hi' }), {}, plan],
    ['chat without waiting', (c) => c.chat().createAsync(undefined, hi), {}, 'No coding plan covers this call.'],
    ['images', (c) => c.images().generate(undefined, { model: 'cogview-4', prompt: 'x' }), {}, 'No coding plan covers this call.'],
    [
      'web search',
      (c) => c.tools().webSearch(undefined, { search_engine: 'search-prime', search_query: 'x' }),
      {},
      'No coding plan covers this call.',
    ],
    ['embeddings', (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: 'x' }), {}, 'No coding plan covers this call.'],
    ['a gateway', (c) => c.chat().create(undefined, hi), { baseURL: 'https://gateway.example/v1' }, 'recharge.'],
  ])('of %s states whether a plan key can do it', async (_name, call, config, words) => {
    const error = await failure(call(answered(config, 429, coded('1113'))));
    expect(error).toMatchObject({
      code: '1113',
      advice: `The balance is empty or no resource package covers this call; recharge.${words === 'recharge.' ? '' : ` ${words}`}`,
    });
  });
});

describe('a history with a call that is not JSON, refused with 1210', () => {
  const call = (text: unknown): object => ({ id: 'a', type: 'function', function: { name: 'f', arguments: text } });
  const asked = { role: 'user', content: 'hi' };
  /** The request with the arguments of its second call, and their place. */
  const histories: Readonly<Record<string, readonly [request: (text: unknown) => object, place: string]>> = {
    chat: [
      (text) => ({ model: 'glm-5.3', messages: [asked, { role: 'assistant', content: '', tool_calls: [call('{}'), call(text)] }, asked] }),
      'messages[1].tool_calls[1].function.arguments',
    ],
    messages: [
      (text) => {
        const content = [
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'a', name: 'f', input: text },
        ];
        return { model: 'glm-5.3', max_tokens: 9, messages: [asked, { role: 'assistant', content }, asked] };
      },
      'messages[1].content[1].input',
    ],
    responses: [
      (text) => ({
        model: 'glm-5.3',
        input: [
          { type: 'message', ...asked },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: text },
        ],
      }),
      'input[1].arguments',
    ],
  };
  const refused = (client: Client, { surface, service }: (typeof surfaces)[number], text: unknown): Promise<unknown> =>
    failure(service(client).create(undefined, histories[surface]?.[0](text) as never));

  test.each(surfaces)('on $surface names the message, and never quotes it', async (surface) => {
    const place = histories[surface.surface]?.[1];
    for (const text of ['{"secret": 1,}', '{"secret', '```json\n{"secret": 1}\n```', 'secret', '']) {
      const error = (await refused(answered({}, 400, coded('1210')), surface, text)) as Error;
      const words = `${place} is not JSON: send the history of answerOf(reply) instead of the raw message.`;
      expect({ text, advice: Reflect.get(error, 'advice') }).toEqual({
        text,
        advice: `A parameter is wrong; check the request against the documentation. ${words}`,
      });
      expect(error.message).not.toContain('secret');
    }
  });

  test.each(surfaces)('on $surface has no such words for a history that can be read, and for another code', async (surface) => {
    const form = surface.surface === 'messages' ? { a: 1 } : '{"a": 1}';
    for (const [code, text] of [
      ['1210', form],
      ['1214', 'broken'],
      ['1305', 'broken'],
    ] as const)
      expect(((await refused(answered({}, 400, coded(code)), surface, text)) as Error).message).not.toContain('is not JSON');
  });
});

describe('an image that is refused with 1210', () => {
  const url = 'data:image/png;base64,AA==';
  const parts: Readonly<Record<string, (model: string) => object>> = {
    chat: (model) => ({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }),
    messages: (model) => ({
      model,
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] }],
    }),
    responses: (model) => ({ model, input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] }] }),
  };
  const chatModels = catalogue.filter(({ kind, thinking }) => kind === 'chat' && thinking);
  test.each(surfaces)('on $surface names a model that sees, if the model of the call does not', async ({ surface, service }) => {
    const client = answered({}, 400, coded('1210'));
    for (const { id, capabilities } of chatModels) {
      const error = (await failure(service(client).create(undefined, parts[surface]?.(id) as never))) as Error;
      if (capabilities?.includes('vision')) expect(error.message).not.toContain('takes no images');
      else expect(error.message).toContain(`${id} takes no images and videos; glm-5.3-flash does.`);
    }
    const unknown = (await failure(service(client).create(undefined, parts[surface]?.('glm-9') as never))) as Error;
    expect(unknown.message).not.toContain('takes no images');
  });

  test.each(surfaces)('on $surface names the other form, if the model sees', async ({ surface, service }) => {
    const client = answered({}, 400, coded('1210'));
    const sent = JSON.stringify(parts[surface]?.('glm-5.3-flash'));
    const linked = sent
      .replace(url, 'https://example.com/a.png')
      .replace(/\{"type":"base64".*?\}/, '{"type":"url","url":"https://example.com/a.png"}');
    const said = async (text: string): Promise<string> =>
      ((await failure(service(client).create(undefined, JSON.parse(text) as never))) as Error).message;
    expect(await said(sent)).toContain('as base64, send a link to it');
    expect(await said(linked)).toContain('cannot read the link of the picture, send its bytes');
  });

  test('does not mention images without one', async () => {
    const error = (await failure(answered({}, 400, coded('1210')).chat().create(undefined, hi))) as Error;
    expect(error.message).not.toContain('takes no images');
  });
});

test.each([403, 404, 405, 503])('a page with status %d at a right root is not blamed on the base URL', async (status) => {
  for (const { create } of surfaces) {
    const page = await failure(create(answered({}, status, '<!doctype html><title>Blocked</title>', 'text/html')));
    expect(page).toMatchObject({
      status,
      advice: 'A server in front of api.z.ai sent the page: it may be down, or block you. The base URL is right: wait, or use another network.',
    });
  }
});
