// Ports of the published examples of `ai`, written from docs/guides/migrating-from-ai.md, against the fake service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../examples/example-process.ts';
import { openPorts, type Script } from './ports.ts';

const { fake, printed } = await openPorts('ai');

it.each<[name: string, script: Script, prints: string]>([
  [
    'stream-fullstream',
    () => fake.answer('chat.create', { turn: { reasoning: 'A tool.', toolCalls: [{ name: 'weather', arguments: { location: 'SF' } }] } }),
    'REASONING A\nREASONING  tool.\nFINISH tool_calls\nTOOL CALL weather {"location":"SF"}\n',
  ],
  [
    'stream-on-finish',
    () => fake.chat.reply({ text: ['Sock', ' Day'], usage: { input: 9, output: 2 } }),
    'Sock Day\nToken usage: 9 2\nFinish reason: stop\nText: Sock Day\n',
  ],
  ['output-array', () => fake.chat.reply('{"elements":[{"location":"SF","temperature":20}]}').reply('{"result":"raincoat"}'), 'SF 20\nraincoat\n'],
  ['output-object-repair', () => fake.chat.reply('{"content":"a bridge"'), 'after manual repair: a bridge\n'],
  ['prepare-step', () => fake.chat.toolCall('weather', { location: 'SF' }).reply('A coat.'), 'A coat.\n'],
  [
    'listen-to-events',
    () => fake.chat.toolCall('getWeather', { location: 'Atlantis' }).reply('No.'),
    'onStepFinish 1 tool_calls\nonToolExecutionStart getWeather {"location":"Atlantis"}\nonToolExecutionEnd getWeather true true error: no such place\nonEnd No. 2\n',
  ],
  ['embed-many', () => undefined, 'alike: true true\n'],
  ['rerank', () => undefined, '1 true\n'],
  [
    'generate-video',
    () => fake.task({ states: ['SUCCESS'], result: { video_result: [{ url: 'https://example.com/cat.mp4' }] } }),
    'https://example.com/cat.mp4\n',
  ],
  ['subagent', () => fake.chat.toolCall('research', { task: 'Vercel' }).reply('A company.').reply('It is a company.'), 'It is a company.\n'],
])('%s', async (name, script, prints) => {
  expect(await printed(name, script)).toEqual([prints, prints]);
});

const chatbot = 'Warm. (4 messages)\nYou are welcome. (6 messages)\n';
const rejected = { status: 400, body: { error: { code: '1211', message: 'Unknown Model' } } };
const pixels = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0);

it.each<[name: string, arrange: Script, prints: string | RegExp]>([
  [
    'stream-chatbot',
    () => {
      fake.chat.toolCall('weather', { location: 'Kiel' }).reply('Warm.').reply('You are welcome.');
      return [['Weather in Kiel?', 'Thanks.']];
    },
    chatbot,
  ],
  [
    'stream-chatbot',
    () => {
      fake.answer('chat.create', rejected);
      return [['Weather in Kiel?']];
    },
    'onError 1211\n',
  ],
  [
    'stream-abort',
    () => {
      fake.chat.stream(['Once', ' upon']);
      const stop = new AbortController();
      return [stop.signal, () => stop.abort()];
    },
    'Once\nAbortError: The run was aborted.\n',
  ],
  [
    'timeout',
    () => {
      const stop = new AbortController();
      fake.answer('chat.create', async () => {
        stop.abort(new DOMException('late', 'TimeoutError'));
        return { turn: { text: 'late' } };
      });
      return [stop.signal];
    },
    'timed out\n',
  ],
  [
    'request-body',
    () => {
      fake.chat.reply('Sock Day.');
      return [fake.configFor()];
    },
    /^URL .*\/chat\/completions\nBODY \{.*"Invent a new holiday\.".*\}\nSTATUS 200\nSock Day\.\n$/,
  ],
  [
    'image',
    async () => {
      const path = join(await emptyFolder(), 'cat.png');
      await writeFile(path, pixels);
      fake.chat.reply('A cat.').reply('A cat too.');
      return [path];
    },
    'A cat.\nA cat too.\n',
  ],
  ['speech-and-transcript', async () => [join(await emptyFolder(), 'hello.wav')], /^.+\n$/],
])('%s', async (name, arrange, prints) => {
  const expected = typeof prints === 'string' ? prints : expect.stringMatching(prints);
  expect(await printed(name, arrange)).toEqual([expected, expected]);
});

it('tool-approval', async () => {
  const questions: string[] = [];
  const script: Script = () => {
    const toolCalls = ['San Francisco', 'New York'].map((location) => ({ name: 'weather', arguments: { location } }));
    fake.answer('chat.create', { turn: { toolCalls } });
    fake.chat.reply('It is 72 in SF.');
    return [
      async (question: string): Promise<boolean> => {
        questions.push(question);
        return false;
      },
    ];
  };
  expect(await printed('tool-approval', script)).toEqual(['It is 72 in SF.\n', 'It is 72 in SF.\n']);
  expect(questions).toEqual(['Weather of New York?', 'Weather of New York?']);
  const { messages } = Object(fake.requests[1]?.body) as { messages: { content: string }[] };
  expect(messages.slice(-2).map(({ content }) => content)).toEqual([
    '{"location":"San Francisco","temperature":72}',
    'error: the user did not approve',
  ]);
});
