import { afterEach, describe, expect, vi } from 'vitest';
import { collect, defineTool, newClient } from '../../src/overlay/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { test as it } from '../support/fixture.ts';

const model = 'glm-5.2';
const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
const day = 24 * 60 * 60 * 1000;
const unknown = { kind: 'api', status: 404, code: 'invalid_request', category: 'parameter', attempts: 1 };

afterEach(() => void vi.useRealTimers());

describe('a response created with store', () => {
  it.for(['whole', 'streamed'])('%s is kept as it was answered, with its input items, until it is deleted', async (how, { fake, client }) => {
    fake.responses.reply({ reasoning: 'so then', text: 'Hello.', toolCalls: [{ id: 'a', name: 'clock' }] });
    const input = [
      { type: 'message', role: 'user', content: 'Say hello.' },
      { type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
    ];
    const request = { model, input, store: true };
    const responses = client.responses();
    const created = how === 'whole' ? await responses.create(undefined, request) : await collect(responses.stream(undefined, request));
    expect(await responses.get(undefined, created.id)).toEqual(created);
    expect(await responses.inputItems(undefined, created.id)).toEqual({ object: 'list', data: input, has_more: false });
    expect(await responses.delete(undefined, created.id)).toEqual({ id: created.id, object: 'response', deleted: true });
    for (const operation of ['get', 'inputItems', 'delete'] as const)
      expect(await failure(responses[operation](undefined, created.id))).toMatchObject(unknown);
    expect(fake.refusals.map(({ refusal }) => refusal?.reason)).toEqual(new Array(3).fill(`The response ${created.id} was not found.`));
  });

  it('has a text as its only input item', async ({ client }) => {
    const { id } = await client.responses().create(undefined, { model, input: 'Say hello.', store: true });
    expect((await client.responses().inputItems(undefined, id)).data).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] },
    ]);
  });

  it('can be continued for 7 days', async ({ fake, client }) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    fake.responses.reply('One.').reply('Two.');
    const { id } = await client.responses().create(undefined, { model, input: 'Count.', store: true });
    const next = { model, input: 'Go on.', previous_response_id: id };
    vi.setSystemTime(Date.now() + 7 * day - 1);
    expect((await client.responses().create(undefined, next)).text()).toBe('Two.');
    vi.setSystemTime(Date.now() + 1);
    expect(await failure(client.responses().create(undefined, next))).toMatchObject({ ...unknown, status: 400 });
    expect(await failure(client.responses().get(undefined, id))).toMatchObject(unknown);
  });

  it('is forgotten by a reset, and other fakes do not have it', async ({ fake, client }) => {
    fake.fallback('responses.create', { turn: { text: 'One.' } });
    const { id } = await client.responses().create(undefined, { model, input: 'Count.', store: true });
    fake.reset();
    const next = { model, input: 'Go on.', previous_response_id: id };
    expect(await failure(client.responses().create(undefined, next))).toMatchObject({ ...unknown, status: 400 });
  });
});

it('a response created without store is not kept, and continues no conversation', async ({ fake, client }) => {
  fake.responses.reply('One.').reply('Two.');
  await client.responses().create(undefined, { model, input: 'Keep this.', store: true });
  const { id } = await client.responses().create(undefined, { model, input: 'Not this.' });
  expect(await failure(client.responses().get(undefined, id))).toMatchObject(unknown);
  const stream = client.responses().stream(undefined, { model, input: 'Go on.', previous_response_id: id });
  expect(await failure(collect(stream))).toMatchObject({ ...unknown, status: 400 });
});

it('a scripted answer comes before the kept response', async ({ fake, client }) => {
  const { id } = await client.responses().create(undefined, { model, input: 'Count.', store: true });
  const failed = { id, object: 'response', status: 'failed', error: { code: 'server_error', message: 'No.' }, output: [] };
  fake.answer('responses.get', { body: failed });
  expect((await client.responses().get(undefined, id)).status).toBe('failed');
  expect((await client.responses().get(undefined, id)).status).toBe('completed');
});

it('a tool loop with store continues the response before', async ({ fake, client }) => {
  fake.responses.toolCall('clock', {}).reply('Noon.');
  const response = await client.responses().runWithTools(undefined, { model, input: 'The time?', store: true }, [clock]);
  expect(response.text()).toBe('Noon.');
  expect(fake.refusals).toEqual([]);
  const { data } = await client.responses().inputItems(undefined, response.id);
  expect(data).toMatchObject([{ type: 'function_call_output', output: 'noon' }]);
});

describe('the model list of the Responses root', () => {
  const listed = async (root: string, key: string): Promise<unknown> =>
    (await fetch(`${root}/models?client_version=0.169.0`, { headers: { authorization: `Bearer ${key}` } })).json();

  it('has the form that Codex reads, and the limits of the catalogue', async ({ fake }) => {
    const { models } = (await listed(fake.roots.responses, fakeKey)) as { models: Record<string, unknown>[] };
    expect(models.map(({ slug }) => slug)).toEqual(['glm-5.3', 'glm-5.3-flash', 'glm-5-turbo']);
    expect(models[0]).toMatchObject({
      display_name: 'GLM-5.3',
      context_window: 1_048_576,
      max_context_window: 1_048_576,
      default_reasoning_level: 'max',
      supported_reasoning_levels: [{ effort: 'low' }, { effort: 'high' }, { effort: 'max' }],
      input_modalities: ['text'],
      supported_in_api: true,
      supports_parallel_tool_calls: true,
    });
    expect(models[1]).toMatchObject({ input_modalities: ['text', 'image'] });
    expect(fake.refusals).toEqual([]);
  });

  it('refuses a wrong key as the root does, with status 200', async ({ fake }) => {
    expect(await listed(fake.roots.responses, 'wrong-key')).toMatchObject({ code: 1000, success: false });
  });

  it('is not the list of the platform', async ({ fake }) => {
    expect(await listed(fake.roots.platform, fakeKey)).toMatchObject({ object: 'list' });
    expect((await newClient(fake.configFor()).models().list(undefined)).data).toHaveLength(11);
  });
});

it('a request as Codex 0.169 sends it is accepted, with the result of its tool', async ({ fake }) => {
  fake.responses.reply('Done.');
  const part = (text: string) => [{ type: 'input_text', text }];
  const named = { description: 'A tool', strict: false, parameters: { type: 'object', properties: {} } };
  const body = {
    model: 'glm-5.3',
    stream: true,
    input: [
      { type: 'message', id: 'msg_1', role: 'developer', content: part('You are a coding agent.') },
      { type: 'message', id: 'msg_2', role: 'user', content: part('List the files.') },
      { type: 'function_call', status: 'completed', id: 'fc_call_1', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'call_1' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'Output:\nREADME.md\n' },
    ],
    tools: [
      { type: 'function', name: 'exec_command', ...named },
      { type: 'namespace', name: 'multi_agent_v1', description: 'Agents', tools: [{ type: 'function', name: 'close_agent', ...named }] },
      { type: 'custom', name: 'apply_patch', description: 'Edit files', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'a',
    client_metadata: { thread_id: 'a' },
  };
  const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json', accept: 'text/event-stream' };
  const reply = await fetch(`${fake.roots.responses}/responses`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(await reply.text()).toContain('event: response.completed');
  expect(fake.refusals).toEqual([]);
});
