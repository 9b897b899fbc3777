// Parts of messages in spans with content, the same on all surfaces.
import { expect, test } from 'vitest';
import { otelHook } from '../../src/observe/index.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { telemetry } from '../support/otel.ts';

const fake = await sharedFake({ validate: false });
const seen = telemetry();
const read = (name: string, at = -1): never => JSON.parse(String(seen.spans().at(at)?.attributes[name])) as never;

onBothWays((driver, clientFor) => {
  const tool = (result: unknown) => [defineTool({ name: 'weather', input: { type: 'object' }, run: () => result })] as never;

  test.each([
    ['an object', { sky: 'clear' }, { sky: 'clear' }],
    ['a list', [1, 2], [1, 2]],
    ['a text that is JSON', '{"sky":"clear"}', { sky: 'clear' }],
    ['a text', 'clear', 'clear'],
    ['a number as text', '21', '21'],
  ])('arguments are the object, and a result is its value: %s', async (_name, result, expected) => {
    for (const stream of [false, true]) {
      fake.answer(driver.operation, { turn: { toolCalls: [{ id: 'a', name: 'weather', arguments: { city: 'Rome' } }] } }, { turn: { text: 'ok' } });
      const service = driver.service(clientFor(fake, { hooks: [otelHook({ content: 'span' })] }));
      const given = [undefined, driver.request('hi'), tool(result)] as unknown as [undefined, never, never];
      if (stream) await taken(service.streamWithTools(...given));
      else await service.runWithTools(...given);
      const [run] = seen
        .spans()
        .filter(({ name }) => name === 'execute_tool weather')
        .slice(-1);
      expect(JSON.parse(String(run?.attributes['gen_ai.tool.call.arguments']))).toEqual({ city: 'Rome' });
      expect(JSON.parse(String(run?.attributes['gen_ai.tool.call.result']))).toEqual(expected);
      const last = seen
        .spans()
        .filter(({ attributes }) => String(attributes['gen_ai.input.messages']).includes('tool_call_response'))
        .at(-1);
      const parts = (JSON.parse(String(last?.attributes['gen_ai.input.messages'])) as { parts: object[] }[]).flatMap((one) => one.parts);
      expect(parts).toContainEqual({ type: 'tool_call', id: 'a', name: 'weather', arguments: { city: 'Rome' } });
      expect(parts).toContainEqual({ type: 'tool_call_response', id: 'a', response: expected });
    }
  });

  const link = (name: string): string => `https://example.com/${name}`;
  const parts = {
    chat: [
      { type: 'image_url', image_url: { url: link('a.png') } },
      { type: 'video_url', video_url: { url: link('a.mp4') } },
      { type: 'file_url', file_url: { url: link('a.pdf') } },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ],
    messages: [
      { type: 'image', source: { type: 'url', url: link('a.png') } },
      { type: 'video', source: { type: 'url', url: link('a.mp4') } },
      { type: 'document', source: { type: 'url', url: link('a.pdf') } },
      { type: 'document', source: { type: 'file', file_id: 'file-1' } },
      { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'UklGRg==' } },
    ],
    responses: [
      { type: 'input_image', image_url: link('a.png') },
      { type: 'input_video', video_url: link('a.mp4') },
      { type: 'input_file', file_url: link('a.pdf') },
      { type: 'input_audio', input_audio: { data: 'UklGRg==' } },
    ],
  }[driver.surface];

  test('links and ids of images, videos and files are kept, and data is left out', async () => {
    fake.answer(driver.operation, { turn: { text: 'ok' } });
    const content =
      driver.surface === 'responses'
        ? { input: [{ type: 'message', role: 'user', content: parts }] }
        : { messages: [{ role: 'user', content: parts }] };
    await driver
      .service(clientFor(fake, { hooks: [otelHook({ content: 'span' })], serviceRules: false }))
      .create(undefined, driver.request('', content));
    expect(read('gen_ai.input.messages')).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'uri', modality: 'image', uri: link('a.png') },
          { type: 'uri', modality: 'video', uri: link('a.mp4') },
          { type: 'uri', modality: 'document', uri: link('a.pdf') },
          ...(driver.surface === 'responses' ? [] : [{ type: 'file', modality: 'document', file_id: 'file-1' }]),
          { type: 'blob', modality: 'audio', ...(driver.surface === 'messages' ? { mime_type: 'audio/wav' } : {}), content: '' },
        ],
      },
    ]);
  });
});

test('the summary of a reasoning and a refusal are kept, in a request and in a response', async () => {
  const output = [
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'short' }], content: [{ type: 'reasoning_text', text: 'long' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
  ];
  const kept = [
    { type: 'reasoning', content: 'short' },
    { type: 'reasoning', content: 'long' },
    { type: 'refusal', content: 'I cannot.' },
  ];
  const response = { id: '1', object: 'response', status: 'completed', model: 'glm-5.2', output };
  const completed = { type: 'response.completed', response };
  fake.answer('responses.create', { body: response }, { frames: [completed, 'data: [DONE]\n\n'] });
  const client = newClient(fake.configFor({ hooks: [otelHook({ content: 'span' })] }));
  const input = [{ type: 'message', role: 'user', content: 'hi' }, ...output];
  await client.responses().create(undefined, { model: 'glm-5.2', input } as never);
  expect((read('gen_ai.output.messages') as { parts: object[] }[])[0]?.parts).toEqual(kept);
  expect((read('gen_ai.input.messages') as { parts: object[] }[]).slice(1).flatMap((one) => one.parts)).toEqual(kept);
  await taken(client.responses().stream(undefined, { model: 'glm-5.2', input } as never));
  expect((read('gen_ai.output.messages') as { parts: object[] }[])[0]?.parts).toEqual(kept);

  fake.answer('chat.create', {
    body: { id: '1', choices: [{ index: 0, message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' }] },
  });
  await client.chat().createSimple(undefined, 'glm-5.2', 'hi');
  expect((read('gen_ai.output.messages') as { parts: object[] }[])[0]?.parts).toEqual([{ type: 'refusal', content: 'No.' }]);
});
