import { describe, expect } from 'vitest';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { isObject, type Json } from '../../scripts/generate/document/source.ts';
import { type ChatRequest, type Client, newClient, type Tool } from '../../src/overlay/index.ts';
import { altered, expectNothingSent } from '../support/altered.ts';
import { surfaces } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { sharedFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { openapi, schemaBehind } from '../support/openapi.ts';
import { failureOf } from '../support/spec.ts';

/** No request is ever sent to it. */
const shared = await sharedFake();

/** The texts at the top of a request that every request of the operation needs. */
function requiredTexts(schema: Json | undefined): string[] {
  const { required, properties } = schemaBehind(schema) ?? {};
  const isText = (name: Json): boolean => {
    const field = isObject(properties) ? properties[String(name)] : undefined;
    return isObject(field) && field['format'] !== 'binary' && (field['type'] === 'string' || '$ref' in field);
  };
  return Array.isArray(required) ? required.filter(isText).map(String) : [];
}

const texts = readOperations(openapi).flatMap(({ id, body }) => requiredTexts(body?.schema).map((field) => ({ id, field })));

/** The message of the error of a call that must send no request. */
async function refusal(call: (client: Client) => unknown): Promise<string> {
  const error = await failureOf(() => call(newClient(shared.configFor())));
  expect(error).toSatisfy(ofKind('validation'));
  expectNothingSent(shared);
  return (error as Error).message;
}

describe('an empty required text', () => {
  it('is looked for in every service that has one', () => expect(texts.length).toBeGreaterThan(35));

  it.each(texts)('$id refuses an empty $field', async ({ id, field }) => {
    const client = altered(newClient(shared.configFor()), ([ctx, request, ...rest]) => [
      ctx,
      isObject(request) && field in request ? { ...request, [field]: '' } : request,
      ...rest,
    ]);
    const error = await failureOf(() => everyOperation[id]?.perform(client));
    expect(error).toMatchObject({ name: 'ValidationError', operation: id, path: field });
    expect((error as Error).message).toMatch(/must not be empty$/);
    expectNothingSent(shared);
  });

  const user = { role: 'user', content: 'hi' };
  const chat = { model: 'glm-4.6', messages: [user] };
  const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };
  it.each<[string, (client: Client) => unknown]>([
    ['messages[0].content[0].image_url.url', (c) => c.chat().create(undefined, withParts({ type: 'image_url', image_url: { url: '' } }))],
    ['messages[0].content[0].type', (c) => c.chat().create(undefined, withParts({ type: '' }))],
    // In a user's message only: an assistant's parts go back as they came.
    ['messages[0].content[1].text', (c) => c.chat().create(undefined, withParts({ type: 'text', text: 'hi' }, { type: 'text', text: '' }))],
    ['messages[0].role', (c) => c.chat().create(undefined, { ...chat, messages: [{ role: '', content: 'hi' }] })],
    ['tools[0].mcp.server_label', (c) => c.chat().create(undefined, { ...chat, tools: [{ type: 'mcp', mcp: { server_label: '' } }] })],
    ['response_format.type', (c) => c.chat().create(undefined, { ...chat, response_format: { type: '' } })],
    ['system[0].text', (c) => c.anthropic().create(undefined, { ...message, system: [{ type: 'text', text: '' }] })],
    ['tool_choice.name', (c) => c.anthropic().create(undefined, { ...message, tool_choice: { type: 'tool', name: '' } })],
    ['input', (c) => c.moderations().create(undefined, { model: 'moderation', input: '' })],
    ['purpose', (c) => c.files().list(undefined, { purpose: '' })],
    ['file_base64', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file_base64: '' })],
  ])('at %s', async (path, call) => {
    expect(await refusal(call)).toMatch(new RegExp(`: ${path.replaceAll(/[[\].]/g, '\\$&')} must not be empty$`));
  });

  it('passes where a reply may have one, and where a tool returned no text', async ({ fake, client }) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } };
    const parts = [{ type: 'text', text: '' }];
    const messages = [user, { role: 'assistant', content: parts, tool_calls: [call] }, { role: 'tool', tool_call_id: 'call_1', content: '' }];
    await client.chat().create(undefined, { model: 'glm-4.6', messages });
    const blocks = [
      { type: 'text', text: '' },
      { type: 'tool_use', id: 'call_1', name: 'f', input: {} },
    ];
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: '' };
    const turns = [...message.messages, { role: 'assistant' as const, content: blocks }, { role: 'user' as const, content: [result] }];
    await client.anthropic().create(undefined, { ...message, messages: turns });
    expect(fake.requests).toHaveLength(2);
  });
});

function withParts(...content: { type: string; text?: string; image_url?: { url: string } }[]): ChatRequest {
  return { model: 'glm-4.6v', messages: [{ role: 'user', content }] };
}

describe('a choice among no tools', () => {
  const chat = { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'hi' }] };
  const message = { ...chat, max_tokens: 64 };
  const responses = { model: 'glm-4.6', input: 'hi' };
  const fields = { tools: [], tool_choice: 'auto' } as never as object;
  const typed = { tools: [], tool_choice: { type: 'auto' } };
  it.each(surfaces)('is refused by $surface', async (driver) => {
    const request = driver.request('hi', driver.surface === 'messages' ? typed : fields);
    const name = driver.operation.replace('create', '');
    expect(await refusal((c) => driver.service(c).create(undefined, request))).toBe(`${name}create: tools must not be empty`);
    expect(await refusal((c) => driver.service(c).stream(undefined, request).next())).toBe(`${name}stream: tools must not be empty`);
  });

  it('is refused by chat.createAsync', async () => {
    expect(await refusal((c) => c.chat().createAsync(undefined, { ...chat, ...fields }))).toBe('chat.createAsync: tools must not be empty');
  });

  it('passes without a choice, without the list, and in a loop next to a tool of the service', async ({ fake, client }) => {
    const search: Tool = { type: 'web_search', web_search: { enable: true, search_engine: 'search-prime' } };
    await client.chat().create(undefined, { ...chat, tools: [], tool_choice: null });
    await client.chat().create(undefined, { ...chat, tool_choice: 'auto' });
    await client.anthropic().create(undefined, { ...message, tools: [] });
    await client.responses().create(undefined, { ...responses, tools: [] });
    await client.chat().runWithTools(undefined, { ...chat, tools: [search], tool_choice: 'auto' }, []);
    const page = { type: 'web_search_20260209', name: 'web_search' };
    await client.anthropic().runWithTools(undefined, { ...message, tools: [page], tool_choice: { type: 'auto' } }, []);
    await client.responses().runWithTools(undefined, { ...responses, tools: [{ type: 'web_search' }], tool_choice: 'auto' }, []);
    expect(fake.requests).toHaveLength(7);
  });
});

describe('a form without its file', () => {
  it('that has another form of it names both', async () => {
    for (const file of [null, undefined])
      expect(await refusal((client) => client.audio().transcribe(undefined, { file, model: 'glm-asr-2512' } as never))).toBe(
        'audio.transcribe: file or file_base64 is required',
      );
  });

  it('null in its options counts as absent', async ({ fake, client }) => {
    const options = { filename: null, contentType: null, onProgress: null } as object;
    await client.files().upload(undefined, { file: new File(['{}'], 'a.jsonl'), purpose: 'batch', ...options });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a tool with another payload than its type names', () => {
  const payloads = {
    function: { name: 'f' },
    retrieval: { knowledge_id: 'k' },
    web_search: { enable: true },
    mcp: { server_label: 's' },
  };
  const types = Object.keys(payloads) as (keyof typeof payloads)[];
  const create = (client: Client, tool: object): unknown =>
    client.chat().create(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], tools: [tool as Tool] });

  it.each(types.flatMap((type) => types.filter((other) => other !== type).map((other) => ({ type, other }))))(
    '$type with $other',
    async ({ type, other }) => {
      const tool = { type, [type]: payloads[type], [other]: payloads[other] };
      expect(await refusal((client) => create(client, tool))).toBe(`chat.create: tools[0].${other} must not be set here, except to null`);
      const without = { type, [other]: payloads[other] };
      expect(await refusal((client) => create(client, without))).toBe(`chat.create: tools[0].${type} is required`);
    },
  );
});

describe('tools of the tokenizer', () => {
  it('are functions only', async () => {
    const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'web_search', web_search: {} }] };
    expect(await refusal((client) => client.tools().tokenize(undefined, request as never))).toBe('tools.tokenize: tools[0].type must be function');
  });
});
