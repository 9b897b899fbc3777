import { describe, expect } from 'vitest';
import { newClient, newFunctionTool } from '../../src/overlay/index.ts';
import { turns } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { collect, failureOf } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('canceling a loop', () => {
  it.each(['chat', 'anthropic'] as const)('canceling stops a %s loop, even when all of the stream has come', async (surface) => {
    const { fake } = await openFake();
    const controller = new AbortController();
    const client = newClient(fake.configFor());
    const text = Array.from({ length: 50 }, (_, index) => `word-${index} `);
    fake.chat.reply({ text });
    fake.messages.reply({ text });
    const stream = surface === 'chat' ? client.chat().stream(controller.signal, hello) : client.anthropic().stream(controller.signal, message);
    let items = 0;
    const loop = async (): Promise<void> => {
      for await (const _ of stream as AsyncIterable<unknown>) {
        items++;
        await fake.idle();
        // Everything that the fake has sent has also arrived.
        await turns();
        controller.abort(new Error('enough'));
      }
    };
    expect(await failureOf(loop)).toMatchObject({ name: 'AbortError', operation: `${surface}.stream`, cause: { message: 'enough' } });
    expect(items).toBe(1);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});

describe('streamed tool calls', () => {
  it('tool calls in pieces come as they are sent with stream_tool_call', async ({ fake }) => {
    fake.chat.toolCall('get_weather', { city: 'Paris', unit: 'celsius', days: 3 });
    const request = { ...hello, stream_tool_call: true, tools: [newFunctionTool('get_weather', 'Weather.')] };
    const { items, error } = await collect(newClient(fake.configFor()).chat().stream(undefined, request));
    expect(error).toBeUndefined();
    const pieces = items.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? []);
    expect(pieces.length).toBeGreaterThan(1);
    const text = pieces.map((piece) => piece.function?.arguments ?? '').join('');
    expect(JSON.parse(text)).toEqual({ city: 'Paris', unit: 'celsius', days: 3 });
  });
});

describe('message events', () => {
  it('unknown event types come through, with their payload', async ({ fake }) => {
    const payloads = [
      { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } },
      { type: 'weather_report', sky: 'blue' },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ];
    fake.messages.stream(payloads);
    const { items, error } = await collect(newClient(fake.configFor()).anthropic().stream(undefined, message));
    expect(error).toBeUndefined();
    expect(items).toEqual(payloads.map((data) => ({ type: data.type, data })));
  });
});
