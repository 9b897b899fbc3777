/**
 * The table "Why not `openai` with a base URL?" of the README: each row with three clients. It needs no key.
 * Each client of a row has a fake service of its own, with the same script.
 *
 *     npm install modelsvc openai ai @ai-sdk/openai
 *     npx tsx comparison/why-not-openai.ts
 */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import {
  type Config,
  collect,
  isApiError,
  isModelsvcError,
  newClient,
} from 'modelsvc';
import {
  type FakeService,
  fakeKey,
  faults,
  startFakeService,
} from 'modelsvc/testing';
import OpenAI from 'openai';

const request = {
  model: 'glm-5.3',
  messages: [{ role: 'user' as const, content: 'Hi' }],
};
const parameters = {
  type: 'object' as const,
  properties: {
    city: { anyOf: [{ type: 'string' as const }, { type: 'null' as const }] },
  },
};
const withTool = {
  ...request,
  tools: [
    {
      type: 'function' as const,
      function: { name: 'weather', description: 'The weather.', parameters },
    },
  ],
};

const openai = (fake: FakeService, options: object = {}) =>
  new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, ...options })
    .chat.completions;
const ai = (fake: FakeService) => ({
  model: createOpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform }).chat(
    'glm-5.3',
  ),
  prompt: 'Hi',
});
const modelsvc = (fake: FakeService, config: Partial<Config> = {}) =>
  newClient({ apiKey: fakeKey, endpoints: fake.url, ...config }).chat();

/** Long enough for a request to arrive on a busy machine, where all rows run at once. */
const timeout = 4000;

type Calls = Readonly<
  Record<string, (fake: FakeService) => Promise<unknown>>
>;

/** The outcome of a row with each client, and the number of its requests. */
async function row(
  name: string,
  script: (fake: FakeService) => unknown,
  calls: Calls,
): Promise<string> {
  const outcomes = Object.entries(calls).map(async ([client, call]) => {
    const fake = await startFakeService();
    script(fake);
    const outcome = await call(fake).catch(wordsOf);
    const line = `  ${client}: ${outcome} (${fake.requests.length} requests)`;
    await fake.close();
    return line;
  });
  return [name, ...(await Promise.all(outcomes))].join('\n');
}

function wordsOf(error: unknown): string {
  if (isModelsvcError(error, 'stream'))
    return `StreamError with ${JSON.stringify(error.partial).includes('one two three') ? 'one two three' : 'nothing'}`;
  if (isApiError(error)) return `ApiError ${error.code}: ${error.advice}`;
  return error instanceof Error
    ? `${error.name === 'Error' ? error.constructor.name : error.name}: ${error.message}`
    : String(error);
}

/**
 * Makes 40 calls at once, and counts the answers. The service allows four at once: when each open call has sent its request, four are answered
 * and the others refused. If the client sends no more, because it queues its calls, those that came are judged. So no figure depends on the machine.
 */
async function forty(
  fake: FakeService,
  call: () => Promise<unknown>,
): Promise<string> {
  let open = 40;
  let turns = 0;
  const requests: ((isAllowed: boolean) => void)[] = [];
  const judge = (): void => {
    for (const [place, decide] of requests.splice(0).entries())
      decide(place < 4);
  };
  const judgeAll = (): void => void (requests.length >= open && judge());
  fake.fallback('chat.create', () => {
    turns = 0;
    return new Promise((resolve) => {
      requests.push((isAllowed) =>
        resolve(
          isAllowed ? { turn: { text: 'Hi' } } : faults.error(429, '1302'),
        ),
      );
      judgeAll();
    });
  });
  const quiet = setInterval(() => void (++turns % 20 === 0 && judge()), 30);
  const one = async (): Promise<number> => {
    try {
      await call();
      return 1;
    } catch {
      return 0;
    } finally {
      open--;
      judgeAll();
    }
  };
  const ends = await Promise.all(Array.from({ length: 40 }, one));
  clearInterval(quiet);
  return `${ends.reduce((sum, end) => sum + end, 0)} answers`;
}

// At the same time, because `ai` waits for seconds before it tries again.
const rows = [
  row(
    'The stream is cut off',
    // The body ends like a complete stream's, but without a finish reason and `[DONE]`.
    (fake) =>
      fake.fallback('chat.create', {
        frames: ['one ', 'two ', 'three'].map((content) => ({
          id: '1',
          choices: [{ index: 0, delta: { content } }],
        })),
      }),
    {
      openai: async (fake) => {
        let text = '';
        for await (const { choices } of await openai(fake).create({
          ...request,
          stream: true,
        }))
          text += choices[0]?.delta.content ?? '';
        return `success with ${text}`;
      },
      ai: async (fake) => `success with ${await streamText(ai(fake)).text}`,
      modelsvc: (fake) => collect(modelsvc(fake).stream(request)),
    },
  ),
  row(
    'An error inside HTTP 200',
    (fake) =>
      fake.fallback('chat.create', faults.embeddedFailure(undefined, '1113')),
    {
      openai: async (fake) =>
        `success with choices ${(await openai(fake).create(request)).choices}`,
      ai: async (fake) => (await generateText(ai(fake))).text,
      modelsvc: (fake) => modelsvc(fake).create(request),
    },
  ),
  row(
    'A tool schema with anyOf',
    (fake) =>
      // As the service does.
      fake.fallback('chat.create', ({ body }) =>
        JSON.stringify(body).includes('anyOf')
          ? faults.error(500, '500')
          : { turn: { text: 'Rain.' } },
      ),
    {
      openai: async (fake) =>
        (await openai(fake).create(withTool)).choices[0]?.message.content,
      ai: async (fake) =>
        (
          await generateText({
            ...ai(fake),
            tools: { weather: tool({ inputSchema: jsonSchema(parameters) }) },
          })
        ).text,
      modelsvc: async (fake) =>
        (await modelsvc(fake).create(withTool)).choices[0]?.message.content,
    },
  ),
  row(
    'No response header in time',
    (fake) => fake.fallback('chat.create', faults.silentBeforeHeaders()),
    {
      openai: (fake) => openai(fake, { timeout }).create(request),
      ai: (fake) => generateText({ ...ai(fake), timeout }),
      modelsvc: (fake) => modelsvc(fake, { timeout }).create(request),
    },
  ),
  row('40 calls at once, limit 4 (code 1302)', () => undefined, {
    openai: (fake) => {
      const chat = openai(fake);
      return forty(fake, () => chat.create(request));
    },
    ai: (fake) => forty(fake, () => generateText(ai(fake))),
    modelsvc: (fake) => {
      const chat = modelsvc(fake);
      return forty(fake, () => chat.create(request));
    },
  }),
];
for (const outcomes of await Promise.all(rows)) console.log(outcomes);
