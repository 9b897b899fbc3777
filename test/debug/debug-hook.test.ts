import { describe, expect, test } from 'vitest';
import { type DebugOptions, debugHook } from '../../src/debug/index.ts';
import { type Config, defineTool, newClient, newFunctionTool } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const hello = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'It rains in Rome' }] };

/** A hook that collects its lines; `lines()` has ids counted from 1, and times, request ids and origins masked. */
function log(options: DebugOptions = {}): { hooks: NonNullable<Config['hooks']>; raw: string[]; lines: () => string[] } {
  const raw: string[] = [];
  const masked = (): string[] => {
    const ids = [...new Set(raw.flatMap((line) => line.match(/#\d+/g) ?? []))];
    const numbered = (id: string): string => `#${ids.indexOf(id) + 1}`;
    return raw.map((line) =>
      line
        .replace(/#\d+/g, numbered)
        .replace(/\d+ ms/g, 'T')
        .replace(/request \w{20,}/g, 'request R')
        .replaceAll(new URL(fake.url).origin, 'ORIGIN')
        .replace(/^modelsvc /, ''),
    );
  };
  return { hooks: [debugHook({ write: (line) => raw.push(line), ...options })], raw, lines: masked };
}

onBothWays((driver, clientFor) => {
  const { stop } = driver;
  const route = `POST ${driver.path}`;
  const name = driver.operation;
  const stream = name.replace('create', 'stream');

  test('a call that is retried, then succeeds', async () => {
    const { hooks, lines } = log();
    fake.answer(name, faults.error(429, '1302', 'Too many requests'), { turn: { text: 'hello', usage: { input: 3, output: 4 } } });
    await driver.create(clientFor(fake, { hooks, retryDelay: 0, wholeReplies: true }));
    expect(lines()).toEqual([
      `#1 ${name} start: ${route} at ORIGIN, model glm-5.2, messages [user 2]`,
      `#1 ${name} attempt 1: sent`,
      `#1 ${name} attempt 1: failed after T, ApiError, status 429, code 1302, category rate, request R`,
      `#1 ${name} attempt 1: retry in T`,
      `#1 ${name} attempt 2: sent`,
      `#1 ${name} attempt 2: status 200, request R, header after T, end after T`,
      expect.stringMatching(
        new RegExp(`^#1 ${name} ok: 2 attempts, status 200, request R, model glm-\\S+, finish ${stop}, end after T, 3 tokens in and 4 out, `),
      ),
    ]);
    expect(lines().at(-1)).toMatch(/(choices|content|output) \[assistant 5\]$/);
  });

  test('a whole stream', async () => {
    const { hooks, lines } = log();
    fake.answer(name, { turn: { text: ['a', 'b'], usage: { input: 3, output: 4 } } });
    await taken(driver.stream(clientFor(fake, { hooks })));
    expect(lines()).toEqual([
      `#1 ${stream} start: ${route} at ORIGIN, model glm-5.2, stream, messages [user 2]`,
      `#1 ${stream} attempt 1: sent`,
      `#1 ${stream} attempt 1: status 200, request R, header after T, end after T`,
      expect.stringMatching(
        new RegExp(
          `^#1 ${stream} ok: 1 attempt, status 200, request R, model glm-\\S+, finish ${stop}, first chunk after T, end after T, 3 tokens in and 4 out$`,
        ),
      ),
    ]);
  });

  test('a misspelled field, which a host other than the service gets', async () => {
    const { hooks, lines } = log();
    const client = clientFor(fake, { hooks, serviceRules: false, wholeReplies: true });
    for (const more of [
      { modell: 'glm-5.2', effrt: 'low' },
      { top_k: 1, n: 1, own_field: 1 },
    ])
      await driver.service(client).create(undefined, driver.request('hi', more));
    expect(lines().filter((line) => line.includes('start:'))).toEqual([
      `#1 ${name} start: ${route} at ORIGIN, model glm-5.2, warning: modell is unknown; did you mean model?, messages [user 2]`,
      `#2 ${name} start: ${route} at ORIGIN, model glm-5.2, messages [user 2]`,
    ]);
  });

  test.each([
    ['off', { maxRetries: 0 }, faults.error(500, '500', 'Broken'), 'maxRetries is 0'],
    ['final', {}, faults.error(400, '1211', 'Unknown Model'), 'status 400 is never retried'],
    ['final', {}, faults.error(429, '1113', 'No balance'), 'code 1113 is never retried'],
    ['final', {}, faults.streamForJson(), 'a failure inside status 200 is never retried'],
    ['exhausted', { maxRetries: 1 }, faults.error(500, '500', 'Broken'), 'all retries are used'],
    ['billed', {}, faults.resetMidBody(), 'the service may have done, and billed, the work'],
    ['retry-after', {}, faults.rateLimit({ seconds: 120 }), 'the service asks for a wait of more than 60 s (T)'],
  ] as const)('the rule against a retry: %s', async (why, overrides, fault, words) => {
    const { hooks, lines } = log();
    fake.answer(name, fault, fault);
    await driver.create(clientFor(fake, { hooks, wholeReplies: true, ...overrides })).catch(() => undefined);
    expect(lines().filter((line) => line.includes('no retry'))).toEqual([expect.stringContaining(`no retry (${why}): ${words}`)]);
    expect(lines().at(-1)).toMatch(
      new RegExp(`^#1 ${name} error: \\d attempts?, (ApiError, status \\d+, (code \\S+, )?category \\w+|ConnectionError)`),
    );
  });

  test('a stream that is cut off', async () => {
    const { hooks, lines } = log();
    fake.answer(name, faults.truncatedStream());
    await taken(driver.stream(clientFor(fake, { hooks })));
    expect(lines().slice(2)).toEqual([
      expect.stringMatching(new RegExp(`^#1 ${stream} attempt 1: failed after T, StreamError, (request R, )?${stream}: `)),
      expect.stringMatching(new RegExp(`^#1 ${stream} error: 1 attempt, StreamError, .*first chunk after T, end after T`)),
    ]);
  });

  test('a stream that loses the cut-off head of another answer', async () => {
    const { hooks, lines } = log();
    fake.answer(name, faults.gluedFrames('foreignHead'));
    expect((await taken(driver.stream(clientFor(fake, { hooks })))).error).toBeUndefined();
    expect(lines().at(-1)?.includes(', 1 cut-off head of another answer dropped, end after T')).toBe(driver.surface === 'chat');
  });

  test('an abort between attempts, and a stream that is left', async () => {
    const { hooks, lines } = log();
    const client = clientFor(fake, { hooks, retryDelay: 60_000 });
    const controller = new AbortController();
    fake.answer(name, ...faults.serverErrors(1), { turn: { text: ['a', 'b'] } });
    const waiting = driver.create(client, controller.signal).catch(() => undefined);
    await until(() => lines().some((line) => line.includes('retry in')));
    controller.abort();
    await waiting;
    expect(lines().at(-1)).toBe(`#1 ${name} cancelled: 1 attempt, AbortError, ${name}: aborted by the caller, end after T`);
    for await (const _item of driver.stream(client)) break;
    expect(lines().slice(-2)).toEqual([
      expect.stringMatching(new RegExp(`^#2 ${stream} attempt 1: status 200, request R, header after T, left after T$`)),
      expect.stringMatching(new RegExp(`^#2 ${stream} cancelled: 1 attempt, status 200, request R, .*end after T`)),
    ]);
  });

  test('a hook that cannot write changes no call', async () => {
    const broken: DebugOptions['write'][] = [
      () => {
        throw new Error('disk full');
      },
      () => Promise.reject(new Error('disk full')),
    ];
    for (const write of broken) {
      fake.answer(name, { turn: { text: 'hello' } }, { turn: { text: ['a', 'b'] } });
      const client = clientFor(fake, { hooks: [debugHook({ write, content: 'full' })] });
      expect(JSON.stringify(await driver.create(client))).toContain('hello');
      expect((await taken(driver.stream(client))).error).toBeUndefined();
    }
  });
});

describe('other operations', () => {
  test('a tool loop, its calls and its tools, on both surfaces', async () => {
    const weather = defineTool({
      name: 'weather',
      description: 'Weather of a city',
      input: { type: 'object', properties: { city: { type: 'string' } } },
      run: ({ city }: { city?: string }) => {
        if (city === 'Atlantis') throw new RangeError('no such city');
        return `sunny in ${city}`;
      },
    });
    const { hooks, lines } = log();
    const client = newClient(fake.configFor({ hooks, wholeReplies: true }));
    const call = (city: string) => ({ name: 'weather', arguments: JSON.stringify({ city }) });
    fake.answer('chat.create', { turn: { toolCalls: [call('Rome'), call('Atlantis')] } }, { turn: { text: 'done' } });
    await client.chat().runWithTools(undefined, hello, [weather]);
    const run = 'chat.runWithTools';
    expect(lines().map((line) => line.replace(/, end after.*?out/, ''))).toEqual([
      `#1 ${run} start`,
      `#2 in #1 ${run} start: POST /chat/completions at ORIGIN, model glm-5.2, messages [user 16] tools [weather]`,
      `#2 in #1 ${run} attempt 1: sent`,
      `#2 in #1 ${run} attempt 1: status 200, request R, header after T, end after T`,
      expect.stringMatching(/^#2 in #1 .* ok: .*, finish tool_calls, choices \[assistant \d+ \+ call weather \+ call weather\]$/),
      '#3 in #1 tool weather start: 15 characters',
      '#3 in #1 tool weather ok: end after T, 13 characters',
      '#4 in #1 tool weather start: 19 characters',
      '#4 in #1 tool weather error: threw RangeError, end after T',
      expect.stringMatching(
        /^#5 in #1 .* start: .*messages \[user 16, assistant \d+ \+ call weather \+ call weather, tool 13, tool 19\] tools \[weather\]$/,
      ),
      `#5 in #1 ${run} attempt 1: sent`,
      `#5 in #1 ${run} attempt 1: status 200, request R, header after T, end after T`,
      expect.stringMatching(/^#5 in #1 .* ok: .*finish stop, choices \[assistant 4\]$/),
      `#1 ${run} ok: end after T`,
    ]);
    fake.answer('anthropic.create', { turn: { toolCalls: [call('Rome')] } }, { turn: { text: 'done' } });
    await client.anthropic().runWithTools(undefined, { ...hello, max_tokens: 9, system: 'Be brief.' }, [weather]);
    expect(lines().at(-5)).toMatch(/messages \[system 9, user 16, assistant \d+ \+ call weather, user 0 \+ tool_result\] tools \[weather\]$/);
  });

  test('a wait with its polls, an upload, an invalid request, raw bindings', async () => {
    const { hooks, lines } = log();
    const client = newClient(fake.configFor({ hooks, wholeReplies: true }));
    fake.answer('client.getAsyncResult', { body: { task_status: 'SUCCESS', choices: [{}] } });
    await client.waitForResult(undefined, 'secret-task', { interval: 100 });
    expect(lines().filter((line) => line.includes('start'))).toEqual([
      '#1 waitForResult (wait) start',
      '#2 in #1 waitForResult start: GET /async-result/{id} at ORIGIN',
    ]);
    expect(lines().at(-1)).toBe('#1 waitForResult (wait) ok: end after T');
    await client.files().upload(undefined, { file: new Uint8Array([1]), purpose: 'batch' });
    expect(lines()).toContain('#3 files.upload start: POST /files at ORIGIN');
    await client
      .chat()
      .create(undefined, { model: 'glm-5.2' } as never)
      .catch(() => undefined);
    expect(lines().slice(-2)).toEqual([
      '#4 chat.create start: POST /chat/completions',
      '#4 chat.create error: 0 attempts, ValidationError, chat.create: messages is required, end after T',
    ]);
    await client.bindings('chat').GET('/models');
    expect(lines()).toContain('#5 GET /models start: GET /models at ORIGIN');
    await client.rerank().create(undefined, { model: 'rerank', query: 'abc', documents: ['a', 'b'] });
    expect(lines()).toContain('#6 rerank.create start: POST /rerank at ORIGIN, model rerank, fields [query 3, documents of 2]');
  });

  test('parts and tools by their kinds; only the end of a long conversation', async () => {
    const { hooks, lines } = log();
    const client = newClient(fake.configFor({ hooks, wholeReplies: true }));
    const tools = [newFunctionTool('weather', 'a'), { type: 'web_search' as const, web_search: { search_query: ['x'] } }];
    const many = Array.from({ length: 30 }, () => ({ role: 'user' as const, content: 'abc' }));
    await client
      .chat()
      .create(undefined, { ...hello, messages: [...many, { role: 'user', content: 'Look', images: ['https://example.com/a.png'] }], tools });
    const described = `${Array.from({ length: 19 }, () => 'user 3').join(', ')}, user 4 + image_url`;
    expect(lines()[0]).toContain(`messages [11 more, ${described}] tools [weather, web_search]`);
  });
});

describe('content', () => {
  test('none has no content, full has the cleaned request, result and message on one line, with a limit', async () => {
    const [none, full] = [log({ content: 'none' }), log({ content: 'full' })];
    const client = newClient(fake.configFor({ hooks: [...none.hooks, ...full.hooks], wholeReplies: true }));
    const request = { ...hello, messages: [{ role: 'user' as const, content: `first\nsecond \u001b[31m ${'x'.repeat(10_000)}` }] };
    fake.answer('chat.create', { turn: { text: 'the answer' } }, faults.error(400, '1210', 'The words of the service'));
    await client.chat().create(undefined, request);
    await client
      .chat()
      .create(undefined, hello)
      .catch(() => undefined);
    expect(none.lines()[0]).toBe('#1 chat.create start: POST /chat/completions at ORIGIN, model glm-5.2');
    expect(none.raw.join('\n')).not.toMatch(/answer|user|assistant|words of the service/);
    expect(full.lines()[0]).toMatch(/model glm-5\.2, request \{"model":"glm-5\.2","messages":\[\{"role":"user","content":"first second x+…/);
    expect(full.lines()[0]?.length).toBeLessThan(4300);
    expect(full.lines().find((line) => line.includes('ok:'))).toMatch(/, result \{.*the answer.*\}$/);
    expect(full.lines().at(-1)).toContain('The words of the service');
  });
});
