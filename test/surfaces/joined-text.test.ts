import { describe, expect, it } from 'vitest';
import { collect, defineTool, newClient } from '../../src/overlay/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { transports } from '../support/both-ways.ts';
import { configAt } from '../support/spec.ts';

const request = { model: 'glm-4v-plus-0111', messages: [{ role: 'user', content: 'hi' }] };
const parts = [
  { type: 'text', text: 'Hel' },
  { type: 'text', text: 'lo' },
];

describe('an answer of text parts, as the glm-4v family sends it', () => {
  it('is text in the response of create, and can be sent back', async () => {
    const body = { id: '1', choices: [{ index: 0, message: { role: 'assistant', content: parts }, finish_reason: 'stop' }] };
    const server = await answeringServer(() => ({ body }));
    const client = newClient(configAt(server.url));
    const { choices } = await client.chat().create(undefined, request);
    expect(choices[0]?.message.content).toBe('Hello');
    await client.chat().create(undefined, { ...request, messages: [...request.messages, ...choices.map((one) => one.message)] });
    expect(JSON.parse(server.asked[1]?.text ?? '').messages[1]).toEqual({ role: 'assistant', content: 'Hello' });
  });

  it('is text in the result of a job', async () => {
    const body = { id: '1', task_status: 'SUCCESS', choices: [{ index: 0, message: { role: 'assistant', content: parts } }] };
    const server = await answeringServer(() => ({ body }));
    const { choices } = await newClient(configAt(server.url)).getAsyncResult(undefined, '1');
    expect(choices?.[0]?.message.content).toBe('Hello');
  });

  it('is text in each chunk, and a chunk without choices has an empty list', async () => {
    const frames = [
      { id: '1', choices: [{ index: 0, delta: { content: parts } }] },
      { id: '1', created: 1 },
      { id: '1', choices: null },
      { id: '1', choices: [{ index: 0, delta: { content: '!' }, finish_reason: 'stop' }] },
    ];
    const text = [...frames.map((one) => JSON.stringify(one)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
    const server = await answeringServer(() => ({ headers: { 'content-type': 'text/event-stream' }, body: text }));
    const shown: (string | null)[] = [];
    for await (const chunk of newClient(configAt(server.url)).chat().stream(undefined, request)) shown.push(chunk.choices[0]?.delta.content ?? '');
    expect(shown).toEqual(['Hello', '', '', '!']);
  });

  it.each(transports)('a choice without a delta has an empty one, so that the loop of the docs reads it: $transport', async ({ overrides }) => {
    const frames = [
      { id: '1', choices: [{ index: 0, delta: null }] },
      { id: '1', choices: [null, { index: 0 }] },
      { id: '1', choices: [{ index: 0, delta: { content: 'Hello' } }] },
      { id: '1', choices: [{ index: 0, delta: 'x', finish_reason: 'stop' }], usage: { total_tokens: 3 } },
    ];
    const text = [...frames.map((one) => JSON.stringify(one)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
    const server = await answeringServer(() => ({ headers: { 'content-type': 'text/event-stream' }, body: text }));
    const client = newClient(configAt(server.url, overrides));
    const shown: (string | null)[] = [];
    for await (const chunk of client.chat().stream(undefined, request)) shown.push(chunk.choices[0]?.delta.content ?? '');
    expect(shown).toEqual(['', '', 'Hello', '']);
    const { choices, usage } = await collect(client.chat().stream(undefined, request));
    expect([choices, usage?.total_tokens]).toEqual([[{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }], 3]);
    const looped: (string | null)[] = [];
    const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
    for await (const chunk of client.chat().streamWithTools(undefined, request, [clock])) looped.push(chunk.choices[0]?.delta.content ?? '');
    expect(looped).toEqual(shown);
  });

  it('stays a list if it has parts of other types', async () => {
    const content = [{ type: 'thinking', thinking: 'so' }, ...parts];
    const body = { id: '1', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] };
    const server = await answeringServer(() => ({ body }));
    expect(await newClient(configAt(server.url)).chat().create(undefined, request)).toEqual(body);
  });
});
