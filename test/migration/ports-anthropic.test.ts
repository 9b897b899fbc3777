// Ports of the published examples of `@anthropic-ai/sdk`, written from docs/guides/migrating-from-anthropic.md, against the fake service.
import { expect, it } from 'vitest';
import { openPorts, type Script } from './ports.ts';

const { fake, printed } = await openPorts('anthropic');

const weather = '{"city":"SF","forecast":[{"day":"Monday","high":20}]}';

it.each<[name: string, script: Script, prints: string]>([
  ['demo', () => fake.messages.reply('Hey!'), 'assistant Hey!\n'],
  ['count-tokens', () => fake.answer('tools.tokenize', { body: { usage: { prompt_tokens: 8 } } }), '8\n'],
  ['raw-streaming', () => fake.messages.stream(['Hey', '!']), 'Hey!\n'],
  [
    'streaming',
    () => fake.messages.stream(['Hey', '!']),
    'event message_start\nevent ping\nevent content_block_start\nevent content_block_delta\nevent content_block_delta\nevent content_block_stop\nevent message_delta\nevent message_stop\ncontentBlock text\nfinalMessage end_turn\n',
  ],
  ['thinking', () => fake.messages.reply({ reasoning: 'Five, seven.', text: 'A haiku.' }), 'Thinking: Five, seven.\nText: A haiku.\n'],
  ['thinking-stream', () => fake.messages.reply({ reasoning: 'Five.', text: 'A haiku.' }), '(Five.)A haiku. true end_turn\n'],
  ['tools', () => fake.messages.toolCall('get_weather', { location: 'SF' }).reply('It is 73f.'), 'tool_use\nIt is 73f.\n'],
  ['tools-streaming', () => fake.messages.toolCall('get_weather', { location: 'SF' }), 'delta: {"location":"SF"}\ninput: {"location":"SF"}\n'],
  [
    'tools-helpers-advanced',
    () => fake.messages.toolCall('getWeather', { location: 'SF' }).toolCall('getTime', { timezone: 'UTC-8' }).reply('Sunny, 3 PM.'),
    'getWeather({"location":"SF"})\ngetWeather: The weather is sunny in SF.\ngetTime({"timezone":"UTC-8"})\ngetTime: It is 3:00 PM in UTC-8.\nSunny, 3 PM.\n',
  ],
  [
    'tools-helpers-advanced-streaming',
    () => fake.messages.toolCall('getTime', { timezone: 'UTC-8' }).reply('3 PM.'),
    'message assistant\ntool getTime\n{"timezone":"UTC-8"}\nresult It is 3:00 PM in UTC-8.\nmessage assistant\n3 PM.\n2\n',
  ],
  ['tools-helpers-json-schema', () => fake.messages.toolCall('calculate', { operator: 'multiply', a: 6, b: 7 }).reply('42'), '42\n'],
  ['structured-outputs-zod', () => fake.messages.reply('{"primes":[2,3,5]}'), 'Prime numbers: 2,3,5\n'],
  ['structured-outputs-json-schema', () => fake.messages.reply('{"answer":"738 * 5678"}'), '738 * 5678\n'],
  ['structured-outputs-streaming', () => fake.messages.stream([weather.slice(0, 9), weather.slice(9)]), `${weather}\nCity: SF 1\n`],
  ['batch-results', () => fake.task({ kind: 'batch', states: ['completed'] }).chat.reply('Hi!'), 'one Hi!\n'],
  [
    'web-search',
    () => fake.messages.reply({ text: 'Rain.', webSearch: [{ title: 'Weather', link: 'https://weather.example' }] }),
    'Rain. true 1\nWeather https://weather.example\n',
  ],
  ['fallbacks', () => fake.messages.reply({ text: '', finish: 'refusal' }).reply('Better.'), 'served by: glm-4.7 Better.\n'],
])('%s', async (name, script, prints) => {
  expect(await printed(name, script)).toEqual([prints, prints]);
});

it.each([
  ['break', ['unwrap', 'never'], 'use std unwrap done\n'],
  ['a signal', ['never', 'unwrap'], 'use std unwrap aborted\n'],
])('cancellation, by %s', async (_, words, prints) => {
  const script: Script = () => {
    fake.messages.stream(['use', ' std', ' unwrap', ' end']);
    return words;
  };
  expect(await printed('cancellation', script)).toEqual([prints, prints]);
});

it('middleware', async () => {
  const script: Script = () => {
    fake.messages.reply({ text: 'Hey!', usage: { input: 9, output: 2 } });
    return [fake.configFor()];
  };
  const prints = '-> POST /v1/messages (retry 0)\n<- 200\nusage: 9 in\nHey!\n';
  expect(await printed('middleware', script)).toEqual([prints, prints]);
  expect(fake.requests[0]?.headers['x-my-app']).toBe('demo');
});
