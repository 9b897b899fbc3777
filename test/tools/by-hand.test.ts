import { describe, expect, it } from 'vitest';
import { FinishReasonToolCalls, type Message, newClient, newFunctionTool } from '../../src/overlay/index.ts';
import { openFake } from '../support/fake.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('functions without the tool loop', () => {
  it('functions can be called by hand: the calls, then tool messages, then create again', async () => {
    const { fake } = await openFake();
    const client = newClient(fake.configFor());
    fake.chat.toolCall('get_weather', { city: 'Paris' }).reply('It is sunny.');
    const tools = [newFunctionTool('get_weather', 'Weather.', { type: 'object', properties: { city: { type: 'string' } } })];
    const first = await client.chat().create(undefined, { ...hello, tools });
    const asked = first.choices[0];
    expect(asked?.finish_reason).toBe(FinishReasonToolCalls);
    const results = (asked?.message.tool_calls ?? []).map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: 'sunny' }));
    const messages = [...hello.messages, asked?.message as Message, ...results];
    const second = await client.chat().create(undefined, { ...hello, tools, messages });
    expect(second.choices[0]?.message.content).toBe('It is sunny.');
    expect(fake.requests[1]?.body).toMatchObject({ messages });
  });
});
