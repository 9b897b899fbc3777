/**
 * The table "Why not `openai` with a base URL?" of the README: each row with both clients, against the same fake service. It needs no key.
 *
 *     npm install modelsvc openai
 *     npx tsx comparison/why-not-openai.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, collectChat, isApiError, isStreamError, newClient } from 'modelsvc';
import { fakeKey, faults, startFakeService } from 'modelsvc/testing';
import OpenAI from 'openai';

const request = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'Hi' }] };
const parameters = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
const withTool = { ...request, tools: [{ type: 'function' as const, function: { name: 'weather', description: 'The weather.', parameters } }] };

const fake = await startFakeService();
const openai = (options: object = {}) => new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, ...options }).chat.completions;
const modelsvc = (config: Partial<Config> = {}) => newClient(fake.configFor(config)).chat();

/** Prints the outcome of a row with both clients, each with the number of its requests. `answer` scripts the service for one of them. */
async function row(name: string, answer: () => unknown, theirs: () => Promise<unknown>, ours: () => Promise<unknown>): Promise<void> {
  console.log(name);
  for (const [client, call] of Object.entries({ openai: theirs, modelsvc: ours })) {
    fake.reset();
    answer();
    const outcome = await call().catch(wordsOf);
    console.log(`  ${client}: ${outcome} (${fake.requests.length} requests)`);
  }
}

function wordsOf(error: unknown): string {
  if (isStreamError(error)) return `StreamError with ${JSON.stringify(error.partial).includes('one two three') ? 'one two three' : 'nothing'}`;
  if (isApiError(error)) return `ApiError ${error.code}: ${error.advice}`;
  return error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error);
}

await row(
  'truncated stream',
  // The body ends as that of a complete stream would, but without a finish reason and `[DONE]`.
  () =>
    fake.fallback('chat.create', { frames: ['one ', 'two ', 'three'].map((content) => ({ id: '1', choices: [{ index: 0, delta: { content } }] })) }),
  async () => {
    let text = '';
    for await (const { choices } of await openai().create({ ...request, stream: true })) text += choices[0]?.delta.content ?? '';
    return `success with ${text}`;
  },
  () => collectChat(modelsvc().stream(undefined, request)),
);

await row(
  'error inside 200',
  () => fake.fallback('chat.create', faults.embeddedFailure(undefined, '1113')),
  async () => `success with choices ${(await openai().create(request)).choices}`,
  () => modelsvc().create(undefined, request),
);

await row(
  'anyOf in a tool schema',
  () =>
    // As the service does.
    fake.fallback('chat.create', ({ body }) => (JSON.stringify(body).includes('anyOf') ? faults.error(500, '500') : { turn: { text: 'Rain.' } })),
  async () => (await openai().create(withTool)).choices[0]?.message.content,
  async () => (await modelsvc().create(undefined, withTool)).choices[0]?.message.content,
);

await row(
  'timeout of the header',
  () => fake.fallback('chat.create', faults.silentBeforeHeaders()),
  () => openai({ timeout: 100 }).create(request),
  () => modelsvc({ timeout: 100 }).create(undefined, request),
);

/** Makes 40 calls at once. `onFailure` gets the number of failures so far. */
async function forty(call: () => Promise<unknown>, onFailure: (failures: number) => void = () => undefined): Promise<string> {
  let failures = 0;
  const calls = Array.from({ length: 40 }, () => call().catch(() => onFailure(++failures)));
  await Promise.all(calls);
  return `${40 - failures} answers`;
}

const chat = openai();
const limited = modelsvc({ concurrency: 'auto' });
await row(
  '1302 with 40 calls at once',
  () => fake.capacity({ atOnce: 4 }),
  () => {
    // The four accepted calls are answered after the retries of the others.
    const waiting: (() => void)[] = [];
    fake.fallback('chat.create', () => new Promise((resolve) => waiting.push(() => resolve({ turn: { text: 'Hi' } }))));
    return forty(
      () => chat.create(request),
      (failures) => {
        if (failures === 36) for (const answer of waiting) answer();
      },
    );
  },
  () => {
    fake.fallback('chat.create', async () => {
      await sleep(20);
      return { turn: { text: 'Hi' } };
    });
    return forty(() => limited.create(undefined, request));
  },
);

await fake.close();
