import { type FakeService, faults } from '../../../src/testing/index.ts';

/** A run of a fence: how the fake answers, and what the process prints. Without a case, the fence must end with status 0. */
export interface FenceCase {
  /** Title, for a fence with several cases. */
  readonly name?: string;
  /** The reason why the fence is not run. A `ts` fence is compiled nevertheless. */
  readonly notRun?: string;
  /** Scripts the fake at the service's hosts, and the one at the local URLs of pages. */
  readonly script?: (fake: FakeService) => void;
  /** Code that runs after the fence; `fence` has its exports. */
  readonly after?: string;
  /** Files in the working folder of the process. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output. Default: the `// → ` comments of the fence, or any without them. */
  readonly output?: string | RegExp;
  /** Part of standard error. Default: any. */
  readonly errors?: RegExp;
  /** Status at the end. Default: 0. */
  readonly code?: number;
  /** Operations that the fake receives, in order. Default: any. */
  readonly operations?: readonly string[];
}

/** A PNG of one pixel. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');
const jsonl =
  '{"custom_id":"1","method":"POST","url":"/v4/chat/completions","body":{"model":"glm-4.6","messages":[{"role":"user","content":"Hi"}]}}\n';

const truncated = (fake: FakeService): FakeService =>
  fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: 'Once upon a time' } } });

const usedUp = {
  status: 429,
  body: { error: { code: '1308', message: 'Usage limit reached for 5 hour. Your limit will reset at 2099-01-01 00:00:00' } },
};
const noPlan = { status: 429, body: { error: { code: '1311', message: 'Not in the plan.' } } };
const wrong = { status: 400, body: { error: { code: '1210', message: 'Wrong parameter.' } } };

/** A call of chat that is answered. */
function answered(turn: Parameters<FakeService['chat']['reply']>[0]): FenceCase {
  return { script: (fake) => fake.chat.reply(turn), operations: ['chat.create'] };
}

/** A framework that asks for a planet on one surface. */
function planet(surface: 'chat' | 'responses'): FenceCase {
  return { script: (fake) => fake[surface].reply('Mars.'), output: 'Mars.\n', operations: [`${surface}.create`] };
}

/** Runs of a program that streams to its page: an answer, one that breaks off, and two failures before it. */
function pageCases(call: string): FenceCase[] {
  const after = `const page = { prompt: 'Hi', messages: [{ role: 'user', content: 'Hi' }] };
const request = new Request('http://page.example/chat', { method: 'POST', body: JSON.stringify(page) });
const response = await ${call};
console.log(response.status, response.headers.get('content-type'), await response.text());`;
  const failed = (type: string, message: string): string => `{"error":{"type":"${type}","message":"${message}"}}`;
  const cases: FenceCase[] = [
    {
      name: 'an answer',
      script: (fake) => fake.chat.stream(['Hello ', 'page']),
      output: '200 text/event-stream data: "Hello "\n\ndata: "page"\n\ndata: [DONE]\n\n\n',
    },
    { name: 'cut off', script: truncated, output: /^200 text[\s\S]*The answer ended early/, errors: /^StreamError: / },
    {
      name: 'a used-up quota',
      script: (fake) => fake.answer('chat.create', usedUp),
      output: `429 application/json ${failed('api', 'No answer came.')}\n`,
      errors: /1308/,
    },
    {
      name: 'a refused request',
      script: (fake) => fake.answer('chat.create', wrong),
      output: `500 application/json ${failed('api', 'No answer came.')}\n`,
      errors: /^ApiError: /,
    },
  ];
  return cases.map((given) => ({ ...given, after }));
}

/** The class below the hook `useChat`, whose requests the handler of the page answers. */
const useChat = `
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
let status;
const transport = new DefaultChatTransport({
  fetch: async (url, init) => {
    const response = await fence.answer(new Request(new URL(url, 'http://page.example'), init));
    status = response.status;
    return response;
  },
});
const chat = new Chat({ transport, onError: () => {} });
await chat.sendMessage({ text: 'Hi' });
console.log(chat.status, chat.error ? chat.error.message : chat.lastMessage.parts.map((part) => part.text ?? '').join(''), status);
`;

/** The old client with the same question, and the field that the new one names for each old spelling. */
const zhipuai = `
import { newClient } from 'modelsvc';
import { ZhipuAI } from 'zhipuai-sdk-nodejs-v4';
const request = { model: 'glm-5.3', messages: [{ role: 'user', content: 'Name a planet.' }] };
// The fake does not know its signed token.
ZhipuAI.prototype.authHeaders = () => ({ Authorization: 'Bearer id.secret' });
const old = new ZhipuAI({ apiKey: 'id.secret' });
console.log((await old.createCompletions({ ...request, maxTokens: 100, topP: 0.9 })).choices[0].message.content);
const c = newClient({ apiKey: 'id.secret' });
const named = (field) => c.chat().create(undefined, { ...request, [field]: 1 }).catch((error) => /did you mean (\\w+)/.exec(error.message)?.[1]);
const fields = ['maxTokens', 'topP', 'doSample', 'requestId', 'toolChoice', 'sensitiveWordCheck'];
console.log((await Promise.all(fields.map(named))).join(' '));
`;

/** Cases by the page and the anchor of its heading; `:2` is the second fence below the same heading. */
export const fenceCases: Readonly<Record<string, FenceCase | readonly FenceCase[]>> = {
  'skills/modelsvc/SKILL.md#the-lines-that-matter': [
    { script: (fake) => fake.chat.stream(['No: 7 ', 'times 13.']) },
    { name: 'cut off', script: (fake) => fake.chat.reply({ text: 'No', finish: 'length' }), errors: /max_tokens/ },
    { name: 'refused', script: (fake) => fake.answer('chat.create', usedUp), errors: /^quota \S/ },
  ],
  'skills/modelsvc/SKILL.md#the-lines-that-matter:2': {
    script: (fake) => fake.chat.toolCall('get_weather', { city: 'Paris' }).reply('Sunny.'),
    operations: ['chat.create', 'chat.create'],
  },
  // `readme.test.ts` runs it against the mock.
  'README.md#modelsvc': { script: (fake) => fake.chat.reply('mock: you asked "Is 91 a prime number?"'), operations: ['chat.create'] },
  'docs/guides/adapter.md#other-clients-modelsvcfetch': {
    after: `console.log((await fence.openai.chat.completions.create({ model: 'glm-4.6', messages: [{ role: 'user', content: 'Hi' }] })).choices[0].message.content);`,
    script: (fake) => fake.chat.reply('Hello from chat.'),
    output: 'Hello from chat.\n',
    operations: ['chat.create'],
  },
  'docs/guides/adapter.md#other-clients-modelsvcfetch:2': {
    after: `console.log((await fence.anthropic.messages.create({ model: 'glm-4.7', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })).content);`,
    script: (fake) => fake.messages.reply('Hello from messages.'),
    output: /Hello from messages\./,
    operations: ['anthropic.create'],
  },
  'docs/guides/batches.md#batches': { script: (fake) => fake.chat.reply('pain').reply('fromage') },
  'docs/guides/concurrency.md#many-calls': {
    script: (fake) => {
      const french = { bread: 'pain', cheese: 'fromage', wine: 'vin' };
      fake.fallback('chat.create', ({ body }) => {
        const word = Object.entries(french).find(([english]) => JSON.stringify(body).includes(english));
        return { turn: { text: word?.[1] ?? '' } };
      });
    },
  },
  'docs/guides/migrating-from-openai.md#migrating-from-openai': answered({ text: 'Hello! How can I help?', usage: { input: 5, output: 7 } }),
  'docs/guides/migrating-from-ai.md#migrating-from-ai': answered({ text: 'Hello! How can I help?', usage: { input: 5, output: 7 } }),
  'docs/guides/migrating-from-anthropic.md#migrating-from-anthropic-aisdk': {
    script: (fake) => fake.messages.reply({ text: 'Hello! How can I help?', usage: { input: 5, output: 7 } }),
  },
  'docs/guides/messages.md#messages': {
    script: (fake) => fake.messages.reply({ text: 'Air scatters blue light.', usage: { input: 5, output: 7 } }),
  },
  'docs/guides/messages.md#content-blocks': {
    script: (fake) => fake.messages.reply({ text: 'No: 7 times 13.', reasoning: 'Divide by 7.' }),
  },
  'docs/guides/streaming.md#stop-early': { script: (fake) => fake.chat.reply('1, 2, 3, 4, 5') },
  'docs/guides/streaming.md#chunks-and-events': { script: (fake) => fake.chat.reply('No: 7 times 13.') },
  'docs/guides/files-and-jobs.md#files-and-jobs': {
    script: (fake) => fake.task({ states: ['PROCESSING', 'SUCCESS'], result: { video_result: [{ url: 'https://files.example/cat.mp4' }] } }),
  },
  'docs/guides/chat.md#chat': {
    script: (fake) => fake.chat.reply({ text: 'Mars.', usage: { input: 5, output: 2 } }).reply('Venus.'),
  },
  'docs/guides/chat.md#images': { files: { 'photo.png': png }, ...answered('The second one.') },
  'docs/guides/chat.md#web-search': {
    script: (fake) => fake.chat.reply({ text: 'Someone.', webSearch: [{ title: 'Results', link: 'https://example.com' }] }),
  },
  'docs/guides/debugging.md#hooks-of-your-own': {
    operations: ['chat.create'],
  },
  'docs/guides/debugging.md#requests-as-curl-commands': { operations: [] },
  'docs/guides/testing.md#testing-your-code': { output: /^(?:#|ℹ) pass 3$/m },
  'docs/guides/testing.md#frames-of-your-own': { operations: [] },
  'docs/guides/testing.md#a-stubbed-fetch': { output: /content: 'hi'|\[Object\]/, operations: [] },
  'docs/guides/recording.md#recording-tests': {
    script: (fake) => fake.chat.reply('It is.'),
    after: "console.log(JSON.parse((await import('node:fs')).readFileSync('recordings/weather.json', 'utf8')).exchanges.length);",
    output: 'It is.\n1\n',
    operations: ['chat.create'],
  },
  'docs/guides/recording.md#other-clients': {
    script: (fake) => {
      fake.chat.reply('Hello from chat.');
      fake.messages.reply('Hello from messages.');
    },
    operations: ['chat.create', 'anthropic.create'],
  },
  'docs/guides/configuration.md#configuration': answered('Hello! How can I help?'),
  'docs/guides/hosts-and-proxies.md#hosts-gateways-and-proxies': answered('Hello! How can I help?'),
  'docs/guides/limits.md#time-limits-and-cancellation': { script: (fake) => fake.fallback('chat.create', faults.silentBeforeHeaders()) },
  'docs/guides/costs.md#costs': answered({ text: 'Hello!', usage: { input: 1000, output: 1000 } }),
  'docs/guides/costs.md#a-budget': answered({ text: 'Hello!', usage: { input: 1000, output: 1000 } }),
  'docs/guides/error-codes.md#codes-of-errors': { script: (fake) => fake.answer('chat.create', faults.error(400, '1211')) },
  'docs/guides/configuration.md#the-reply-of-a-call': {
    ...answered('Hi'),
  },
  'docs/guides/configuration.md#models-of-your-own': {
    script: (fake) => fake.chat.reply({ text: 'Hi', usage: { input: 1000, output: 1000 } }),
    operations: ['chat.create'],
  },
  'docs/guides/errors.md#errors': [
    { name: 'separates a used-up quota from the rest', script: (fake) => fake.answer('chat.create', usedUp), output: /^wait [1-9]\d+ / },
    { name: 'is silent after a success', output: '', errors: /^$/, operations: ['chat.create'] },
    {
      name: 'throws other errors',
      script: (fake) => fake.answer('chat.create', wrong),
      code: 1,
      errors: /ApiError: chat\.createSimple: Wrong parameter\./,
    },
  ],
  'docs/guides/errors.md#fall-back-to-another-model': [
    {
      name: 'asks the next model',
      script: (fake) => fake.answer('chat.create', noPlan, { turn: { text: 'Hello from the second.' } }),
    },
    {
      name: 'throws what no other model can fix',
      script: (fake) => fake.answer('chat.create', wrong),
      code: 1,
      errors: /ApiError: chat\.create: Wrong parameter/,
    },
  ],
  'docs/guides/errors.md#incomplete-answers': {
    script: (fake) => fake.chat.reply({ text: 'An essay is', finish: 'length' }),
    errors: /^length finish reason length: /,
  },
  'docs/guides/files-and-jobs.md#uploads': { files: { 'requests.jsonl': jsonl }, operations: ['files.upload'] },
  'docs/guides/files-and-jobs.md#images-in-a-prompt': {
    files: { 'photo.png': png },
    script: (fake) => fake.chat.reply('A photo.'),
  },
  'docs/guides/files-and-jobs.md#downloads': {
    script: (fake) => fake.answer('images.generate', { body: { data: [{ url: `data:image/png;base64,${png.toString('base64')}` }] } }),
    output: `lighthouse.png ${png.length}\n`,
  },
  'docs/guides/frameworks.md#frameworks': planet('responses'),
  'docs/guides/frameworks.md#ai-sdk': {
    script: (fake) => {
      for (const surface of ['responses', 'chat', 'messages'] as const) fake[surface].reply('Mars.');
    },
    operations: ['responses.create', 'chat.create', 'anthropic.create'],
  },
  'docs/guides/frameworks.md#usechat-without-the-ai-sdk-on-the-server': [
    { name: 'an answer', script: (fake) => fake.chat.reply('Mars is red.'), after: useChat, output: 'ready Mars is red. 200\n' },
    { name: 'a failure', script: truncated, after: useChat, output: 'error The answer failed. 200\n', errors: /^StreamError: / },
    {
      name: 'a failure before the answer',
      script: (fake) => fake.answer('chat.create', usedUp),
      after: useChat,
      output: 'error {"type":"error","errorText":"The answer failed."} 429\n',
    },
  ],
  'docs/guides/frameworks.md#langchain': {
    script: (fake) => {
      for (const surface of ['chat', 'messages'] as const) fake[surface].reply(surface);
    },
    output: 'chat\nmessages\n',
  },
  'docs/guides/frameworks.md#llamaindex': planet('chat'),
  'docs/guides/frameworks.md#mastra': planet('chat'),
  'docs/guides/frameworks.md#from-zhipuai-sdk-nodejs-v4': {
    script: (fake) => fake.chat.reply('Mars.').reply('Mars.'),
    after: zhipuai,
    output: 'Mars.\nMars.\nmax_tokens top_p do_sample request_id tool_choice sensitive_word_check\n',
    operations: ['chat.create', 'chat.create'],
  },
  'docs/guides/messages.md#web-search': {
    script: (fake) => fake.messages.reply({ text: 'A rider.', webSearch: [{ title: 'The Tour', link: 'https://letour.fr/' }] }),
  },
  'docs/guides/chat-server.md#nextjs': pageCases('fence.POST(request)'),
  'docs/guides/platforms.md#platforms': {
    script: (fake) => fake.chat.reply('Hello function'),
    after: "console.log(await fence.handler({ prompt: 'Hi' }, { getRemainingTimeInMillis: () => 60_000 }));",
    output: 'Hello function\n',
  },
  'docs/guides/responses.md#responses': {
    script: (fake) => fake.responses.reply({ text: 'Air scatters blue light.', usage: { input: 5, output: 7 } }),
    operations: ['responses.create'],
  },
  'docs/guides/responses.md#items': {
    script: (fake) => fake.responses.reply({ reasoning: 'Hm.', text: 'Mars.' }).reply('Venus.'),
    operations: ['responses.create', 'responses.create'],
  },
  'docs/guides/responses.md#stored-responses': {
    script: (fake) => fake.responses.reply('Mars.').reply('Venus.'),
    operations: ['responses.create', 'responses.create', 'responses.get', 'responses.delete'],
  },
  'docs/guides/streaming.md#streaming': {
    script: (fake) => fake.chat.reply({ text: ['Knock ', 'knock.'] }),
  },
  'docs/guides/chat-server.md#a-stream-to-a-page': pageCases('fence.app.fetch(request)'),
  'docs/guides/chat-server.md#express-and-nodehttp': pageCases(`new Promise((resolve) => {
  const server = fence.app.listen(0, '127.0.0.1', () => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    resolve(fetch('http://127.0.0.1:' + server.address().port + '/chat', { method: 'POST', headers, body: JSON.stringify(page) }));
  });
  server.unref();
})`),
  'docs/guides/search.md#search': {
    script: (fake) =>
      fake.answer('rerank.create', {
        body: { results: [0, 2].map((index) => ({ index, relevance_score: index === 0 ? 0.98 : 0.12 })) },
      }),
  },
  'docs/guides/search.md#the-web': { output: /^An introduction to generics https:/, operations: ['tools.webSearch'] },
  'docs/guides/speech-and-pictures.md#speech': { files: { 'speech.wav': 'RIFF' }, operations: ['audio.transcribe'] },
  'docs/guides/structured-output.md#structured-output': {
    script: (fake) => fake.chat.reply('{"city":"Paris","population":2102650}'),
  },
  'docs/guides/structured-output.md#streaming': {
    script: (fake) => fake.chat.reply({ text: ['{"title":"Te', 'a","steps":["Boil', ' water."]}'] }),
    output: "Te []\nTea [ 'Boil' ]\nTea [ 'Boil water.' ]\nTea [ 'Boil water.' ]\n1\n",
  },
  'docs/guides/structured-output.md#when-the-answer-does-not-match': {
    script: (fake) => fake.chat.reply('{"year":"1969"}').reply('{"year":1969}'),
  },
  'docs/guides/tools.md#tools': {
    script: (fake) => fake.chat.toolCall('get_weather', { city: 'Paris' }).reply('It is 21 °C in Paris.'),
    operations: ['chat.create', 'chat.create'],
  },
  'docs/guides/tools.md#approval': {
    script: (fake) => fake.chat.toolCall('delete_file', { path: '/etc/hosts' }).reply('I may not delete it.'),
    operations: ['chat.create', 'chat.create'],
  },
  'docs/guides/tools.md#streaming': {
    script: (fake) =>
      fake.chat
        .toolCall('now', {}, { usage: { input: 600, cached: 0, output: 5 } })
        .reply({ text: 'Noon.', usage: { input: 640, cached: 589, output: 5 } }),
  },
  'docs/guides/tools.md#resume-after-an-error': {
    script: (fake) => fake.chat.toolCall('now', {}).toolCall('now', {}).reply('It is noon.'),
    operations: ['chat.create', 'chat.create', 'chat.create'],
  },
};
