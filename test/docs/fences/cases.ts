import type { FakeService } from '../../../src/testing/index.ts';

/** A run of a fence: how the fake answers, and what the process prints. Without a case, the fence must end with status 0. */
export interface FenceCase {
  /** Title, for a fence with several cases. */
  readonly name?: string;
  /** The reason why the fence is not run. A `ts` fence is compiled nevertheless. */
  readonly notRun?: string;
  /** Scripts the fake behind the service's hosts, and the one behind the local URLs of pages. */
  readonly script?: (fake: FakeService) => void;
  /** A module that runs before the fence, to set the globals that it declares. */
  readonly before?: string;
  /** Code that runs after the fence; `fence` has its exports. */
  readonly after?: string;
  /** Files in the working folder of the process. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output. Default: any. */
  readonly output?: string | RegExp;
  /** Part of standard error. Default: any. */
  readonly errors?: RegExp;
  /** Status at the end. Default: 0. */
  readonly code?: number;
  /** Operations that the fake receives, in order. Default: any. */
  readonly operations?: readonly string[];
}

const usedUp = { status: 429, body: { error: { code: '1308', message: 'Limit reached.' } }, headers: { 'retry-after': '90' } };
const wrong = { status: 400, body: { error: { code: '1210', message: 'Wrong parameter.' } } };

/** Cases by the page and the anchor of its heading; `:2` is the second fence below the same heading. */
export const fenceCases: Readonly<Record<string, FenceCase | readonly FenceCase[]>> = {
  'README.md#quick-start': {
    script: (fake) => {
      fake.chat.reply({ text: 'Rain on the window', usage: { input: 5, output: 37 } }).reply({ text: ['Snow ', 'on the ', 'roof'] });
      fake.messages.reply('No: 7 times 13.');
    },
    output: 'Rain on the window 42\nSnow on the roofNo: 7 times 13.\n',
    operations: ['chat.create', 'chat.create', 'anthropic.create'],
  },
  'README.md#errors': [
    { name: 'is silent after a success', output: '', errors: /^$/, operations: ['chat.create'] },
    {
      name: 'tells a used-up quota from the rest',
      script: (fake) => fake.answer('chat.create', usedUp),
      output: /^wait 90000 chat\.create: Limit reached\./,
    },
    {
      name: 'throws other errors',
      script: (fake) => fake.answer('chat.create', wrong),
      code: 1,
      errors: /ApiError: chat\.create: Wrong parameter\./,
    },
  ],
  'docs/guides/adapter.md#set-up': {
    after: `console.log((await fence.openai.chat.completions.create({ model: 'glm-4.6', messages: [{ role: 'user', content: 'Hi' }] })).choices[0].message.content);`,
    script: (fake) => fake.chat.reply('Hello from chat.'),
    output: 'Hello from chat.\n',
    operations: ['chat.create'],
  },
  'docs/guides/adapter.md#set-up:2': {
    after: `console.log((await fence.anthropic.messages.create({ model: 'glm-4.7', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })).content);`,
    script: (fake) => fake.messages.reply('Hello from messages.'),
    output: /Hello from messages\./,
    operations: ['anthropic.create'],
  },
  'docs/guides/adapter.md#set-up:3': { notRun: 'The AI SDK is not a dependency of the tests; bench/fetch-adapter runs it.' },
  'docs/guides/adapter.md#set-up:4': { notRun: 'LangChain is not a dependency of the tests; bench/fetch-adapter runs it.' },
  'docs/guides/concurrency.md#more-than-one-process': {
    before: 'globalThis.limiter = { acquire: async () => () => undefined };',
  },
  'docs/guides/debugging.md#requests-as-curl-commands': { output: /^curl -X POST 'https:\/\/api\.z\.ai\/api\/anthropic\/v1\/messages'/ },
  'docs/guides/testing.md#the-fake-service': { output: /^Hello! \{[\s\S]*\nIt is sunny in Paris\.\n[\s\S]*\ntruncated\n$/ },
  'docs/guides/testing.md#a-stubbed-fetch': { output: /content: 'hi'|\[Object\]/, operations: [] },
};
