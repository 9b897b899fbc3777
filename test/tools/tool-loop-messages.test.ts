import { describe, expect, it } from 'vitest';
import { type AnthropicMessageRequest, defineTool, toolRun } from '../../src/overlay/index.ts';
import { ofKind } from '../support/of-kind.ts';
import { messageAnswer, scriptedModel } from '../support/scripted-model.ts';

const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] },
  run: ({ city, days }) => ({ city, days, sky: 'clear' }),
});
const request: AnthropicMessageRequest = { model: 'glm-4.6', max_tokens: 100, messages: [{ role: 'user', content: 'Weather in Paris?' }] };
const thinking = { type: 'thinking', thinking: 'hm', signature: 'seal' };
const use = (id: string, input: unknown, name = 'weather'): object => ({ type: 'tool_use', id, name, input });
const bye = messageAnswer([{ type: 'text', text: 'Sunny.' }]);

describe('the tool loop on the message surface', () => {
  it('sends back the blocks as received, without a blank text, and one result a call, errors marked', async () => {
    const asked = [thinking, { type: 'text', text: '' }, use('a', { city: 'Paris', days: '2' }), use('b', { days: 1 }), use('c', {}, 'nope')];
    const { client, requests } = await scriptedModel(messageAnswer(asked, 'tool_use'), bye);
    const reply = await client.anthropic().runWithTools(undefined, request, [weather]);
    expect(reply.text()).toBe('Sunny.');
    expect(requests[0]?.body.tools).toEqual([{ name: 'weather', description: 'The weather of a city', input_schema: weather.jsonSchema }]);
    const [, assistant, results] = requests[1]?.body.messages ?? [];
    expect(assistant).toEqual({ role: 'assistant', content: asked.toSpliced(1, 1) });
    expect(results.role).toBe('user');
    expect(results.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: '{"city":"Paris","days":2,"sky":"clear"}' },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        is_error: true,
        content: 'error: the arguments of weather do not fit: city: is required; expected { city: string (required), days: integer }',
      },
      { type: 'tool_result', tool_use_id: 'c', is_error: true, content: 'error: there is no tool named nope; the tools are: weather' },
    ]);
    expect(toolRun(reply)).toMatchObject({ modelCalls: 2, usage: { input_tokens: 14, output_tokens: 6 } });
  });

  it('goes on after pause_turn with the words it got, which counts as a round', async () => {
    const half = [{ type: 'text', text: 'Let me see' }];
    const { client, requests } = await scriptedModel(messageAnswer(half, 'pause_turn'), bye);
    const reply = await client.anthropic().runWithTools(undefined, request, [weather]);
    expect(reply.text()).toBe('Sunny.');
    expect(requests[1]?.body.messages).toEqual([...request.messages, { role: 'assistant', content: half }]);
    const paused = await scriptedModel(messageAnswer(half, 'pause_turn'));
    await expect(paused.client.anthropic().runWithTools(undefined, request, [weather], { maxRounds: 3 })).rejects.toSatisfy(ofKind('tool-loop'));
    expect(paused.requests).toHaveLength(4);
  });

  it.each(['max_tokens', 'refusal', 'stop_sequence', 'model_context_window_exceeded'])('runs nothing after %s', async (reason) => {
    const { client, requests } = await scriptedModel(messageAnswer([use('a', { city: 'Paris' })], reason));
    expect((await client.anthropic().runWithTools(undefined, request, [weather])).stop_reason).toBe(reason);
    expect(requests).toHaveLength(1);
  });

  it('drops a forced tool after the first round, and keeps one call at a time', async () => {
    const { client, requests } = await scriptedModel(messageAnswer([use('a', { city: 'x' })], 'tool_use'), bye);
    const tool_choice = { type: 'tool', name: 'weather', disable_parallel_tool_use: true };
    await client.anthropic().runWithTools(undefined, { ...request, tool_choice }, [weather]);
    expect(requests.map(({ body }) => body.tool_choice)).toEqual([tool_choice, { type: 'auto', disable_parallel_tool_use: true }]);
  });

  it('gives an executor the input as JSON text, and mends a call without id or input for the way back', async () => {
    const broken = { type: 'tool_use', name: 'weather', input: '{"city": "Pa' };
    const { client, requests } = await scriptedModel(messageAnswer([use('a', { city: 'Paris' }), broken], 'tool_use'), bye);
    const seen: string[] = [];
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
    await client.anthropic().runWithTools(undefined, { ...request, tools }, (_name, args) => {
      seen.push(args);
      return 'ok';
    });
    expect(seen).toEqual(['{"city":"Paris"}', '{"city": "Pa']);
    const [, assistant, results] = requests[1]?.body.messages ?? [];
    expect(assistant.content[1]).toEqual({ type: 'tool_use', id: 'call_1_2', name: 'weather', input: {} });
    expect(results.content[1].tool_use_id).toBe('call_1_2');
  });
});
