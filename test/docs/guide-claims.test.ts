// Sentences of the first screens of guides, each with its proof. Programs of the pages are run by `fences.test.ts`.
import { readdirSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import OpenAI from 'openai';
import { expect, vi } from 'vitest';
import { wiredTools } from '../../src/cli/coding/tools/index.ts';
import { debugHook } from '../../src/debug/index.ts';
import { fileFromPath } from '../../src/node/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import { type Config, collecting, mapCalls, newClient, newClientFromEnv, outputFormat, textDeltas } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, faults } from '../../src/testing/index.ts';
import { turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { ask, claim, flat, question, quick } from './claim.ts';
import { cellsOf, root, textOf } from './snippets.ts';

/** Keys that a client sends to the service: with `undefined` as its key, and with an empty text. */
async function keysOf(call: (apiKey: string | undefined, send: typeof fetch) => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  for (const apiKey of [undefined, ''])
    await call(apiKey, async (_url, init) => {
      const headers = new Headers(init?.headers);
      sent.push(`${headers.get('authorization') ?? ''}${headers.get('x-api-key') ?? ''}`);
      return new Response('{}', { status: 400 });
    }).catch(() => undefined);
  return sent;
}

claim(
  'docs/guides/adapter.md',
  'both clients read a variable of their own vendor, such as `OPENAI_API_KEY`, instead of an undefined key, and would send it to this service',
  async () => {
    vi.stubEnv('OPENAI_API_KEY', 'vendor-key-1');
    vi.stubEnv('ANTHROPIC_API_KEY', 'vendor-key-2');
    const options = { maxRetries: 0, dangerouslyAllowBrowser: true };
    const openai = await keysOf(async (apiKey, send) =>
      new OpenAI({ ...options, apiKey, baseURL: 'https://api.z.ai/api/paas/v4', fetch: send }).chat.completions.create(question),
    );
    const anthropic = await keysOf(async (apiKey, send) =>
      new Anthropic({ ...options, apiKey, baseURL: 'https://api.z.ai/api/anthropic', fetch: send }).messages.create({ ...question, max_tokens: 9 }),
    );
    expect([openai[0], anthropic[0]]).toEqual([expect.stringContaining('vendor-key-1'), expect.stringContaining('vendor-key-2')]);
    expect([openai[1], anthropic[1]].join()).not.toContain('vendor');
  },
);

claim('docs/guides/batches.md', 'an error begins with `batch.run: requests[3].body`', async ({ fake, client }) => {
  const body = { model: 'glm-5.1', messages: question.messages };
  const error = await failure(client.batch().run(undefined, [{ body }, { body }, { body }, { body: { model: '', messages: [] } }]));
  expect([String(error), fake.requests.length]).toEqual([expect.stringContaining(': batch.run: requests[3].body.'), 0]);
});

claim('docs/guides/batches.md', 'The library does not check it.', async ({ fake, client }) => {
  await client.batch().start(undefined, [{ body: question }]);
  expect(fake.requests.map(({ operation }) => operation)).toEqual(['files.upload', 'batch.create']);
});

claim('docs/guides/coding-tools.md', 'every tool of the table', () => {
  const protocols = { anthropic: 'Anthropic', chat: 'OpenAI chat', responses: 'OpenAI Responses' };
  const keys = { helper: 'command', env: 'variable', plain: 'file' };
  const rows = textOf('docs/guides/coding-tools.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cellsOf);
  expect(rows.map(([id, , ...rest]) => [id, ...rest])).toEqual(
    wiredTools.map(({ id, surface, keyModes, isListed }) => [`\`${id}\``, protocols[surface], keys[keyModes[0] ?? 'plain'], isListed ? 'yes' : 'no']),
  );
});

claim(
  'docs/guides/concurrency.md',
  'If you do not pass `ctx` on, leaving the loop cannot cancel the call, and `mapCalls` runs `ahead` calls at once.',
  async ({ fake }) => {
    const client = quick(fake, { concurrency: 9 });
    let open = 0;
    let aborted = 0;
    fake.fallback('chat.create', ({ headers }) => {
      open++;
      return new Promise(() => headers);
    });
    const items = mapCalls(Array.from({ length: 20 }), () => ask(client).catch(() => aborted++), { ahead: 3 })[Symbol.asyncIterator]();
    void items.next();
    await until(() => open >= 3);
    await turns();
    await items.return?.();
    await turns();
    expect([open, aborted]).toEqual([3, 0]);
    client.close();
  },
);

/** Answers of 40 calls at once, and the requests of each round: when the open calls have sent theirs, four are answered and the others refused. */
async function forty(fake: FakeService, config: Partial<Config>): Promise<{ answers: number; sent: number[] }> {
  let open = 40;
  let turns = 0;
  const sent: number[] = [];
  const requests: ((isAllowed: boolean) => void)[] = [];
  const judge = (): void => {
    if (requests.length > 0) sent.push(requests.length);
    for (const [place, decide] of requests.splice(0).entries()) decide(place < 4);
  };
  const judgeAll = (): void => void (requests.length >= open && judge());
  fake.reset().fallback('chat.create', () => {
    turns = 0;
    return new Promise((resolve) => {
      requests.push((isAllowed) => resolve(isAllowed ? { turn: { text: 'Hi' } } : faults.error(429, '1302')));
      judgeAll();
    });
  });
  // Calls that wait for each other send no more: then those that came are judged.
  const quiet = setInterval(() => void (++turns % 5 === 0 && judge()), 20);
  const client = quick(fake, config);
  const one = () =>
    ask(client)
      .catch(() => undefined)
      .finally(() => {
        open--;
        judgeAll();
      });
  const replies = await Promise.all(Array.from({ length: 40 }, one));
  clearInterval(quiet);
  return { answers: replies.filter(Boolean).length, sent };
}

claim('docs/guides/concurrency.md', '40 calls at once, if the service accepts 4 and refuses the rest.', async ({ fake }) => {
  const [, picture = ''] = /```text\n(round [\s\S]*?)```/.exec(textOf('docs/guides/concurrency.md')) ?? [];
  const numbers = (line = ''): number[] => [...line.matchAll(/(?<=\s{2})\d+(?=\s|$)(?! calls)/g)].map(Number);
  const [, ...lines] = picture.trimEnd().split('\n');
  const shown = [0, 2, 4].map((at) => ({ sent: numbers(lines[at]), answered: numbers(lines[at + 1]) }));
  const settings: readonly Partial<Config>[] = [{ concurrency: false }, {}, { concurrency: 'auto' }];
  for (const [at, { sent, answered }] of shown.entries()) {
    let sum = 0;
    expect(answered).toEqual(sent.map((count) => (sum += Math.min(count, 4))));
    const run = await forty(fake, settings[at] ?? {});
    expect(run.answers).toBe(answered.at(-1));
    if (at === 0) expect(run.sent).toEqual(sent);
    // The later rounds of a queue depend on its pauses.
    else expect(run.sent[0]).toBe(sent[0]);
  }
  expect(shown.map(({ sent }) => sent.length)).toEqual([4, 10, 11]);
});

claim('docs/guides/configuration.md', 'reads neither variable. A client sends no request when it is made.', async ({ fake }) => {
  vi.stubEnv('SVC_API_KEY', 'other-key');
  vi.stubEnv('SVC_API_BASE_URL', 'http://127.0.0.1:9/');
  const client = newClient({ apiKey: fakeKey, endpoints: fake.url });
  await turns();
  expect(fake.requests).toEqual([]);
  expect(await ask(client)).toMatchObject({ object: expect.any(String) });
});

claim('docs/guides/configuration.md', '`baseUrl is unknown; did you mean baseURL?`', () => {
  expect(() => newClient({ apiKey: 'any', baseUrl: 'https://api.z.ai' } as never)).toThrow('baseUrl is unknown; did you mean baseURL?');
});

claim('docs/guides/debugging.md', 'each cut to 4,000 characters', async ({ fake }) => {
  const lines: string[] = [];
  const text = 'x'.repeat(5000);
  fake.chat.reply(text);
  fake.answer('chat.create', faults.error(400, '1210', text));
  const client = quick(fake, { hooks: [debugHook({ content: 'full', write: (line) => lines.push(line) })] });
  for (let call = 0; call < 2; call++)
    await client
      .chat()
      .createSimple(undefined, 'glm-5.3', text)
      .catch(() => undefined);
  const long = lines.filter((line) => line.includes('xxx'));
  expect(long.length).toBeGreaterThan(2);
  expect(long.filter((line) => (/x+/.exec(line)?.[0].length ?? 0) > 4000)).toEqual([]);
});

claim('docs/guides/errors.md', "it throws an `AbortError` whose `cause` is the signal's `TimeoutError`", async ({ fake }) => {
  fake.fallback('chat.create', faults.silentBeforeHeaders());
  expect(await failure(ask(quick(fake), AbortSignal.timeout(20)))).toMatchObject({ name: 'AbortError', cause: { name: 'TimeoutError' } });
});

claim(
  'docs/guides/errors.md',
  'A file that `fileFromPath` cannot read is a `ValidationError`, whose `cause` is the error of the file system.',
  () => {
    const read = () => fileFromPath('/nowhere/speech.wav');
    expect(read).toThrow(expect.objectContaining({ name: 'ValidationError', cause: expect.objectContaining({ code: 'ENOENT' }) }));
  },
);

claim('docs/guides/errors.md', '`chat.create: messages[0].content is required`', async ({ fake, client }) => {
  const error = await failure(client.chat().create(undefined, { model: 'glm-5.3', messages: [{ role: 'user' } as never] }));
  expect([String(error), fake.requests.length]).toEqual(['ValidationError: chat.create: messages[0].content is required', 0]);
});

claim('docs/guides/frameworks.md', '@openai/agents 0.20, ai 7.0, @langchain/openai 1.6, @llamaindex/openai 0.4 and @mastra/core 1.71', () => {
  const { dependencies } = JSON.parse(textOf('bench/fetch-adapter/package.json')) as { dependencies: Record<string, string> };
  const [, list = ''] = /program with (@openai.*?)\. /.exec(flat('docs/guides/frameworks.md')) ?? [];
  const named = list.split(/, | and /).map((one) => one.split(' '));
  expect(named).toHaveLength(5);
  expect(named.filter(([name = '', version = '']) => !dependencies[name]?.startsWith(`${version}.`))).toEqual([]);
});

claim('docs/guides/job-queue.md', 'contains the 400 lines to copy', () => {
  const lines = readdirSync(`${root}examples/many-workers`).reduce(
    (sum, file) => sum + textOf(`examples/many-workers/${file}`).split('\n').length - 1,
    0,
  );
  expect(Math.round(lines / 100) * 100).toBe(400);
});

claim('docs/guides/limits.md', '| you want | context of the call |', async ({ fake }) => {
  const [, table = ''] = textOf('docs/guides/limits.md').split('| you want | context of the call |');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  expect(rows).toHaveLength(6);
  for (const row of rows) {
    const [, cell = ''] = cellsOf(row);
    const settings = [...cell.matchAll(/`(\{[^`]*\})`/g)].map(([, code]) => new Function('stop', `return ${code}`)(new AbortController()));
    expect(settings.length).toBeGreaterThan(0);
    for (const given of settings) {
      const call = cell.includes('in the Config') ? ask(quick(fake, given)) : ask(quick(fake), given);
      expect([cell, await call]).toEqual([cell, expect.objectContaining({ choices: expect.any(Array) })]);
    }
  }
});

claim('docs/guides/messages.md', 'They are not enumerable', async ({ fake, client }) => {
  fake.messages.reply({ text: 'Blue.', reasoning: 'Rayleigh.' });
  const reply = await client.anthropic().create(undefined, { ...question, max_tokens: 9 });
  expect([reply.text(), reply.thinking(), 'text' in JSON.parse(JSON.stringify(reply))]).toEqual(['Blue.', 'Rayleigh.', false]);
});

claim('docs/guides/migrating-from-anthropic.md', '`ANTHROPIC_API_KEY` and other variables of Anthropic are not read.', async ({ fake }) => {
  for (const name of ['API_KEY', 'AUTH_TOKEN']) vi.stubEnv(`ANTHROPIC_${name}`, 'vendor-key');
  vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/');
  vi.stubEnv('SVC_API_KEY', '');
  expect(() => newClientFromEnv()).toThrow('SVC_API_KEY is not set');
  await newClient(fake.configFor())
    .anthropic()
    .create(undefined, { ...question, max_tokens: 9 });
  expect(JSON.stringify(fake.requests[0]?.headers)).not.toContain('vendor');
});

claim('docs/guides/responses.md', 'No recorded traffic of this surface exists.', () => {
  expect(readdirSync(`${root}test/recorded`, { recursive: true }).filter((file) => String(file).includes('responses'))).toEqual([]);
  expect(
    textOf('docs/evidence.json')
      .split('\n')
      .filter((line) => line.includes('"operation:responses.') && line.includes('"recorded"')),
  ).toEqual([]);
});

claim('docs/guides/streaming.md', 'The request is sent when you read the first chunk.', async ({ fake, client }) => {
  const stream = client.chat().stream(undefined, question);
  await turns();
  expect(fake.requests).toHaveLength(0);
  await stream[Symbol.asyncIterator]().next();
  expect(fake.requests).toHaveLength(1);
});

claim('docs/guides/streaming.md', '`textDeltas` yields the text of the first choice, without reasoning.', async ({ fake, client }) => {
  const delta = (index: number, fields: object) => ({ id: '1', choices: [{ index, delta: fields }] });
  fake.answer('chat.create', {
    frames: [delta(0, { reasoning_content: 'Hm.' }), delta(1, { content: 'second' }), delta(0, { content: 'first' })],
  });
  const texts: string[] = [];
  await failure(
    (async () => {
      for await (const text of textDeltas(client.chat().stream(undefined, question))) texts.push(text);
    })(),
  );
  expect(texts.join('')).toBe('first');
});

claim('docs/guides/streaming.md', 'After `break` it throws a `StreamError`.', async ({ fake, client }) => {
  fake.chat.stream(['one ', 'two']);
  const stream = collecting(client.chat().stream(undefined, question));
  for await (const _ of stream) break;
  expect(await failure(stream.response())).toMatchObject({ name: 'StreamError' });
});

claim('docs/guides/structured-output.md', 'Options of `outputFormat` are `name`, `type` and `strict`.', () => {
  expect(() => outputFormat({ type: 'object' }, { name: 'a', type: 'json_object', strict: true })).not.toThrow();
  expect(() => outputFormat({ type: 'object' }, { types: 'json_object' } as never)).toThrow(/types is unknown/);
});

claim(
  'docs/guides/structured-output.md',
  'It removes a code fence, a thought in `<think>` and words around the JSON. It rejects a cut-off answer, and one with two JSON values.',
  async ({ fake, client }) => {
    const format = outputFormat({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
    const text = '<think>{"a":1}</think>Here: ```json\n{"city":"Metz"}\n``` Enjoy.';
    for (const surface of ['chat', 'messages', 'responses'] as const) fake[surface].reply(text);
    const { chat, anthropic, responses } = { chat: client.chat(), anthropic: client.anthropic(), responses: client.responses() };
    const replies = [
      text,
      await chat.create(undefined, question),
      await anthropic.create(undefined, { ...question, max_tokens: 9 }),
      await responses.create(undefined, { model: 'glm-5.3', input: 'Hi' }),
    ];
    for (const reply of replies) expect(await format.parse(reply)).toEqual({ city: 'Metz' });
    for (const wrong of ['{"city":"Me', '{"city":"Metz"} {"city":"Nancy"}'])
      expect(await failure(format.parse(wrong))).toBeInstanceOf(modelsvc.ModelsvcError);
  },
);

claim(
  'docs/guides/tools.md',
  'A string is the result as it is; other values are sent as JSON. If `run` throws, the model receives `error: <message>`, and the loop continues.',
  async ({ fake, client }) => {
    const results: readonly [run: () => unknown, sent: string][] = [
      [() => 'as "it" is', 'as "it" is'],
      [() => ({ a: [1] }), '{"a":[1]}'],
      [
        () => {
          throw new Error('no weather');
        },
        'error: no weather',
      ],
    ];
    for (const [run, sent] of results) {
      fake.reset().chat.toolCall('get', {}).reply('Done.');
      const tool = modelsvc.defineTool({ name: 'get', description: 'Get.', input: { type: 'object' }, run: async () => run() });
      const reply = await client.chat().runWithTools(undefined, question, [tool]);
      expect([reply.choices[0]?.message.content, Object(fake.requests[1]?.body).messages.at(-1).content]).toEqual(['Done.', sent]);
    }
  },
);

claim(
  'docs/guides/testing.md',
  'For a requested schema it honors types, `required`, `enum`, `const`, limits, `allOf`, one branch of `anyOf` and `oneOf`, and references. It honors a `pattern` if a date, a number or a word fits. A request with a schema gets a warning.',
  async ({ fake, client }) => {
    const one = { type: 'integer', minimum: 7, multipleOf: 5 };
    const properties = {
      a: { enum: ['x', 'y'] },
      b: { const: 4 },
      c: { allOf: [{ type: 'string', minLength: 9 }, { maxLength: 12 }] },
      d: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/one' }, minItems: 2 }, { type: 'null' }] },
      e: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    };
    const followed = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, $defs: { one } };
    const others = [{ not: {} }, { minProperties: 9 }, { dependentRequired: { a: ['z'] } }, { propertyNames: { minLength: 9 } }];
    for (const [schema, fits] of [[followed, true], ...others.map((other) => [{ ...followed, ...other }, false])] as [object, boolean][]) {
      const response_format = { type: 'json_schema' as const, json_schema: { name: 'any', schema } };
      const reply = await client.chat().create(undefined, { ...question, response_format });
      const isValid = new Ajv2020({ strict: false }).validate(schema, JSON.parse(String(reply.choices[0]?.message.content)));
      expect([schema, isValid, fake.requests.at(-1)?.warnings.length]).toEqual([schema, fits, 1]);
    }
  },
);
