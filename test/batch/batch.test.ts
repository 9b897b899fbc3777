import { describe, expect, it } from 'vitest';
import { type Batch, type BatchRequest, batchCounts, isApiError, isModelsvcError, newClient, newFunctionTool } from '../../src/overlay/index.ts';
import type { Batches } from '../../src/services/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { answered, batchEngine, echo, formParts } from '../support/batch-engine.ts';
import { ofKind } from '../support/of-kind.ts';
import { configAt, failureOf, testKey } from '../support/spec.ts';

function batchAt(url: string): Batches {
  return newClient(configAt(url, { maxRetries: 0 })).batch();
}

const ask = (content: string): BatchRequest['body'] => ({ model: 'glm-4.6', messages: [{ role: 'user', content }] });
const quick = { interval: 1 };

describe('bad input is refused before anything is sent', () => {
  const batch = batchAt('http://127.0.0.1:9');
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const cases: [string, () => Promise<unknown>][] = [
    ['batch.retrieve: batch_id must not be blank', () => batch.retrieve(undefined, ' ')],
    ['batch.cancel: batch_id must not be "." or ".."', () => batch.cancel(undefined, '..')],
    ['batch.wait: batch_id must not be empty', () => batch.wait(undefined, '')],
    ['batch.run: requests must be an array', () => batch.run(undefined, undefined as never)],
    ['batch.run: requests must not be empty', () => batch.run(undefined, [])],
    ['batch.run: requests[1] must be an object', () => batch.run(undefined, [{ body: ask('a') }, null as never])],
    ['batch.run: requests[0].body must be an object', () => batch.run(undefined, [{} as never])],
    [
      'batch.run: requests[1].body.model is required',
      () => batch.run(undefined, [{ body: ask('a') }, { body: { messages: ask('b').messages } as never }]),
    ],
    [
      'batch.run: requests[0].body.messages[0].role is required',
      () => batch.run(undefined, [{ body: { model: 'glm-4.6', messages: [{ content: 'x' }, { role: 'user', content: 'y' }] as never } }]),
    ],
    [
      'batch.run: requests[0].body.stream must not be true here: use chat().stream',
      () => batch.run(undefined, [{ body: { ...ask('a'), stream: true } as never }]),
    ],
    [
      'batch.run: requests[0].body cannot be written as JSON: it holds a cycle or a bigint, or is nested too deep',
      () => batch.run(undefined, [{ body: { ...ask('a'), extra: cyclic } as never }]),
    ],
    ['batch.run: requests[0].custom_id must be a non-blank string', () => batch.run(undefined, [{ custom_id: ' ', body: ask('a') }])],
    [
      'batch.run: requests[2].custom_id is already the custom id of an earlier request',
      () => batch.run(undefined, [{ custom_id: 'a', body: ask('a') }, { body: ask('b') }, { custom_id: 'request-1', body: ask('c') }]),
    ],
    ['batch.run: requests must have at most 50000 entries', () => batch.run(undefined, Array(batch.maxRequests + 1).fill({ body: ask('a') }))],
    [
      'batch.run: interval must be a duration from 0 to 20 days; pass a number of milliseconds',
      () => batch.run(undefined, [{ body: ask('a') }], { interval: -1 }),
    ],
    ['batch.run: batch_id must not be empty', () => batch.run(undefined, [{ body: ask('a') }], { resume: '' })],
    ['batch.start: options.filename must be a non-blank string', () => batch.start(undefined, [{ body: ask('a') }], { filename: ' ' })],
    ['batch.run: options.filename must be a non-blank string', () => batch.run(undefined, [{ body: ask('a') }], { filename: 7 as never })],
    ['batch.inputLine: request must be an object', async () => batch.inputLine(null as never)],
    ['batch.inputLine: request.custom_id must be a non-blank string', async () => batch.inputLine({ body: ask('a') })],
    [
      'batch.inputLine: request.body.model is required',
      async () => batch.inputLine({ custom_id: 'a', body: { messages: ask('b').messages } as never }),
    ],
  ];
  it.each(cases)('%s', async (message, call) => {
    const error = await failureOf(call);
    expect(error).toSatisfy(ofKind('validation'));
    expect((error as Error).message).toBe(message);
  });

  it('more than 100 MB, before anything is sent', async () => {
    const megabytes = 'x'.repeat(26 * 1024 * 1024);
    const error = await failureOf(() =>
      batch.run(
        undefined,
        Array.from({ length: 4 }, () => ({ body: ask(megabytes) })),
      ),
    );
    expect(error).toMatchObject({ kind: 'validation', path: 'requests' });
    expect((error as Error).message.length).toBeLessThan(200);
  });
});

describe('batch.wait', () => {
  it.each(['completed', 'expired', 'cancelled'])('gives back a batch that ended as %s', async (status) => {
    const engine = await batchEngine({ states: ['validating', 'some_new_word', 'cancelling', status] });
    const seen: unknown[] = [];
    const batch = await batchAt(engine.url).wait(undefined, 'batch_1', { ...quick, onState: (state) => seen.push(state.status) });
    expect(batch.status).toBe(status);
    expect(seen).toEqual(['some_new_word', 'cancelling']);
  });

  it('throws a TaskError for a failed batch, with what the service said and no key', async () => {
    const errors = { object: 'list', data: [{ code: 'bad_line', line: 3, message: `Line refused for Bearer ${testKey}` }] };
    const engine = await batchEngine({ states: ['failed'], fields: { errors } });
    const error = await failureOf(() => batchAt(engine.url).wait(undefined, 'batch_1', quick));
    expect(error).toSatisfy(ofKind('task'));
    expect(error).toMatchObject({ operation: 'batch.wait', id: 'batch_1', status: 'failed', result: { errors } });
    expect((error as Error).message).toBe(
      'batch.wait: batch batch_1 failed in line 3: Line refused for Bearer [key] (code bad_line). Its last reply is in error.result. Start a new job; the failed one may be billed.',
    );
  });

  it('outlives polls that get no answer, but not a refusal', async () => {
    let polls = 0;
    const answers = [
      { status: 'in_progress' },
      503,
      502,
      503,
      { status: 'in_progress' },
      429,
      { status: 'completed', output_file_id: 'output_1' },
      { status: 'in_progress' },
      401,
    ];
    const server = await answeringServer(() => {
      const answer = answers[polls++];
      return typeof answer === 'number' ? { status: answer, body: { error: { code: 'x', message: 'No.' } } } : { body: { id: 'batch_1', ...answer } };
    });
    expect((await batchAt(server.url).wait(undefined, 'batch_1', quick)).status).toBe('completed');
    expect(polls).toBe(7);
    expect(await failureOf(() => batchAt(server.url).wait(undefined, 'batch_1', quick))).toMatchObject({ kind: 'api', status: 401 });
  });

  it('throws at once when the first poll gets no answer', async () => {
    const server = await answeringServer(() => ({ status: 503, body: '' }));
    expect(await failureOf(() => batchAt(server.url).wait(undefined, 'batch_1', quick))).toMatchObject({ status: 503 });
    expect(server.asked).toHaveLength(1);
  });
});

describe('batch.run', () => {
  const requests: BatchRequest[] = [
    { custom_id: 'first', body: ask('a') },
    { body: ask('two\nlines \u2028 and é') },
    { custom_id: 'last', body: ask('c') },
  ];

  it('uploads the requests, waits and joins the answers to them, whatever their order', async () => {
    const engine = await batchEngine();
    const created: string[] = [];
    const counts: unknown[] = [];
    const outcome = await batchAt(engine.url).run(undefined, requests, {
      ...quick,
      metadata: { run: '42' },
      auto_delete_input_file: false,
      onCreated: (id) => created.push(id),
      onState: (state) => counts.push(batchCounts(state)),
    });
    expect(engine.lines).toEqual(
      ['first', 'request-1', 'last'].map((custom_id, index) => ({
        custom_id,
        method: 'POST',
        url: '/v4/chat/completions',
        body: requests[index]?.body,
      })),
    );
    expect(outcome.results).toEqual(engine.lines.map((line) => ({ custom_id: line.custom_id, response: echo(line) })));
    expect(outcome).toMatchObject({ batch: { id: 'batch_1', status: 'completed' }, unmatched: [], unreadable: 0 });
    expect(created).toEqual(['batch_1']);
    expect(counts).toEqual([{ total: 3, completed: 1, failed: 0 }]);
    expect(engine.calls).toEqual(['POST /files', 'POST /batches', 'GET /batches/batch_1', 'GET /batches/batch_1', 'GET /files/output_1/content']);
    const upload = engine.asked[0];
    expect(formParts(upload?.text ?? '', upload?.headers['content-type'] ?? '').get('purpose')).toBe('batch');
    expect(upload?.text).toMatch(/filename="[^"]+\.jsonl"/);
    expect(JSON.parse(engine.asked[1]?.text ?? '')).toEqual({
      input_file_id: 'input_1',
      endpoint: '/v4/chat/completions',
      completion_window: '24h',
      metadata: { run: '42' },
      auto_delete_input_file: false,
    });
  });

  it('start gives the new batch without waiting, and another process fetches its results by id', async () => {
    const engine = await batchEngine();
    expect(await batchAt(engine.url).start(undefined, requests, { metadata: { run: '42' } })).toMatchObject({ id: 'batch_1', status: 'validating' });
    expect(engine.calls).toEqual(['POST /files', 'POST /batches']);
    expect(JSON.parse(engine.asked[1]?.text ?? '')).toMatchObject({ input_file_id: 'input_1', metadata: { run: '42' } });
    const { results } = await batchAt(engine.url).run(undefined, requests, { ...quick, resume: 'batch_1' });
    expect(results.map(({ response }) => response?.id)).toEqual(['reply-first', 'reply-request-1', 'reply-last']);
  });

  it.each([
    ['start', (batch: Batches) => batch.start(undefined, requests, { filename: 'rows-42.jsonl', createOnce: true })],
    ['run', (batch: Batches) => batch.run(undefined, requests, { ...quick, filename: 'rows-42.jsonl', createOnce: true })],
  ])('%s with createOnce names the file, retries the upload, and sends the creation once', async (_, call) => {
    const failed = new Set<string>();
    const engine = await batchEngine({
      instead: ({ method, path }) => (method !== 'POST' || failed.size === failed.add(path).size ? undefined : { status: 503, body: {} }),
    });
    const batch = newClient(configAt(engine.url, { maxRetries: 2, retryDelay: 1 })).batch();
    expect(await failureOf(() => call(batch))).toMatchObject({ status: 503, attempts: 1 });
    expect(engine.calls).toEqual(['POST /files', 'POST /files', 'POST /batches']);
    expect(engine.asked[1]?.text).toContain('filename="rows-42.jsonl"');
  });

  it('inputLine gives the line that run would upload', async () => {
    const engine = await batchEngine();
    const batch = batchAt(engine.url);
    await batch.start(undefined, requests);
    const lines = requests.map((request, index) => batch.inputLine({ custom_id: `request-${index}`, ...request }));
    expect(formParts(engine.asked[0]?.text ?? '', engine.asked[0]?.headers['content-type'] ?? '').get('file')).toBe(lines.join(''));
  });

  it('sends each request as chat would, and leaves the caller’s as it is', async () => {
    const engine = await batchEngine();
    const schema = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    const body = {
      model: 'glm-4.6v',
      messages: [{ role: 'user', content: 'What?', images: ['https://example.com/a.png'] }],
      tools: [newFunctionTool('weather', 'The weather.', schema)],
      stream_tool_call: true,
    };
    const before = structuredClone(body);
    await batchAt(engine.url).run(undefined, [{ body }], quick);
    const chat = await answeringServer(() => ({ body: { id: '1', choices: [{}] } }));
    await newClient(configAt(chat.url)).chat().create(undefined, body);
    expect(engine.lines[0]?.body).toEqual(JSON.parse(chat.asked[0]?.text ?? ''));
    expect(body).toEqual(before);
  });

  it('keeps the error of each line, and no other request fails', async () => {
    const refused = { code: '1261', message: 'Prompt too long.' };
    const engine = await batchEngine({
      judge: (line, index) =>
        [
          { output: answered(line) },
          { error: { custom_id: line.custom_id, response: { status_code: 400, request_id: 'r2', body: { error: refused } }, error: null } },
          { error: { custom_id: line.custom_id, response: null, error: { code: '1301', message: 'Unsafe.' } } },
          { output: { custom_id: line.custom_id, response: { status_code: 500, body: 'broken' } } },
          { output: { custom_id: line.custom_id, response: { status_code: 200, body: {} } } },
          {},
        ][index] ?? {},
    });
    const { results } = await batchAt(engine.url).run(
      undefined,
      Array.from('abcdef', (content) => ({ body: ask(content) })),
      quick,
    );
    expect(results[0]?.error).toBeUndefined();
    expect(results.slice(1).every(({ response }) => response === undefined)).toBe(true);
    expect(results[1]?.error).toMatchObject({ kind: 'api', status: 400, code: '1261', category: 'parameter', requestId: 'r2' });
    expect(results[2]?.error).toMatchObject({ kind: 'api', code: '1301', category: 'content', retryable: false });
    expect(results[3]?.error).toMatchObject({ kind: 'api', status: 500, retryable: true });
    expect(results[4]?.error).toMatchObject({ kind: 'reply', problem: 'malformed' });
    expect(results[5]?.error).toMatchObject({ kind: 'reply', problem: 'truncated' });
  });

  it('reads the layouts that are possible, and counts the lines it cannot read', async () => {
    const engine = await batchEngine({
      judge: (line, index) =>
        [
          { output: `\ufeff${JSON.stringify({ custom_id: line.custom_id, response: echo(line) })}\r` },
          { output: { custom_id: line.custom_id, response: { status_code: 200, body: JSON.stringify(echo(line)) } } },
          { output: ` ${JSON.stringify({ ...answered(line), future: [1] })}\r` },
          { output: 'half a li', error: '{"response":{}}' },
          { output: { ...answered(line), custom_id: 'nobody' } },
          { output: '', error: answered(line) },
        ][index] ?? {},
    });
    const { results, unmatched, unreadable } = await batchAt(engine.url).run(
      undefined,
      Array.from('abcdef', (content) => ({ body: ask(content) })),
      quick,
    );
    expect(results.map(({ response }) => response?.choices[0]?.message.content)).toEqual([
      'echo a',
      'echo b',
      'echo c',
      undefined,
      undefined,
      'echo f',
    ]);
    expect(unmatched.map(({ custom_id, response }) => [custom_id, response?.choices[0]?.message.content])).toEqual([['nobody', 'echo e']]);
    expect(unreadable).toBe(2);
  });

  it.each(['expired', 'cancelled'])('gives what there is of a batch that ended as %s', async (status) => {
    const engine = await batchEngine({ states: ['in_progress', status], judge: (line, index) => (index === 0 ? { output: answered(line) } : {}) });
    const { batch, results } = await batchAt(engine.url).run(undefined, requests, quick);
    expect(batch.status).toBe(status);
    expect(results[0]?.response?.choices[0]?.message.content).toBe('echo a');
    expect(results[1]?.error).toSatisfy(ofKind('task'));
    expect(results[2]?.error).toMatchObject({ kind: 'task', id: 'batch_1', status });
  });

  it('goes on by id after a crash, without a second upload or batch', async () => {
    const engine = await batchEngine();
    const crash = new Error('the process died here');
    const kept: string[] = [];
    const died = batchAt(engine.url).run(undefined, requests, {
      ...quick,
      onCreated: async (id) => {
        kept.push(id);
        throw crash;
      },
    });
    expect(await failureOf(() => died)).toBe(crash);
    const outcome = await batchAt(engine.url).run(undefined, requests, { ...quick, resume: kept[0] ?? '' });
    expect(outcome.results.map(({ response }) => response?.choices[0]?.message.content)).toEqual([
      'echo a',
      `echo ${requests[1]?.body.messages[0]?.content}`,
      'echo c',
    ]);
    expect(engine.calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /files', 'POST /batches']);
  });

  it('resumes without the requests too: every result is unmatched then', async () => {
    const engine = await batchEngine();
    await batchAt(engine.url).run(undefined, requests, quick);
    const { results, unmatched } = await batchAt(engine.url).run(undefined, [], { ...quick, resume: 'batch_1' });
    expect(results).toEqual([]);
    expect(unmatched.map(({ custom_id }) => custom_id)).toEqual(['first', 'request-1', 'last']);
  });

  it('throws when the batch as a whole fails, or a result file cannot be had', async () => {
    const failed = await batchEngine({ states: ['validating', 'failed'] });
    expect(await failureOf(() => batchAt(failed.url).run(undefined, requests, quick))).toMatchObject({
      kind: 'task',
      operation: 'batch.run',
      status: 'failed',
    });
    const lost = await batchEngine({ instead: ({ path }) => (path.endsWith('/content') ? { status: 404, body: {} } : undefined) });
    expect(await failureOf(() => batchAt(lost.url).run(undefined, requests, quick))).toMatchObject({ kind: 'api', status: 404 });
  });

  it('stops at once when the caller aborts while it waits', async () => {
    const engine = await batchEngine({ states: ['in_progress'] });
    const controller = new AbortController();
    const running = batchAt(engine.url).run(controller.signal, requests, {
      interval: 60_000,
      onState: () => setImmediate(() => controller.abort()),
    });
    expect(await failureOf(() => running)).toSatisfy(ofKind('abort'));
  });

  it('joins thousands of answers that come in any order', async () => {
    const count = 5000;
    const many = Array.from({ length: count }, (_, index): BatchRequest => ({ custom_id: `id-${index}`, body: ask(`é${index}`) }));
    const engine = await batchEngine({ judge: (line, index) => ({ output: answered({ ...line, custom_id: `id-${count - 1 - index}` }) }) });
    const { results } = await batchAt(engine.url).run(undefined, many, quick);
    expect(results.map(({ custom_id }) => custom_id)).toEqual(many.map(({ custom_id }) => custom_id));
    expect(results.every(({ response }, index) => response?.choices[0]?.message.content === `echo é${count - 1 - index}`)).toBe(true);
  });
});

describe('batchCounts', () => {
  it.each<[string, Partial<Batch>, object]>([
    ['an object', { request_counts: { total: 5, completed: 2, failed: 1 } }, { total: 5, completed: 2, failed: 1 }],
    ['numbers side by side', { request_counts: 5, total: 5, completed: 2, failed: 1 }, { total: 5, completed: 2, failed: 1 }],
    ['one number', { request_counts: 5 }, { total: 5, completed: undefined, failed: undefined }],
    ['null', { request_counts: null }, { total: undefined, completed: undefined, failed: undefined }],
    ['zero', { request_counts: { total: 0, completed: 0, failed: 0 } }, { total: 0, completed: 0, failed: 0 }],
  ])('reads %s', (_name, fields, counts) => {
    expect(batchCounts({ id: 'batch_1', ...fields })).toEqual(counts);
  });
});

describe('a batch that has ended before its result files are there', () => {
  const requests = ['a', 'b'].map((text) => ({ custom_id: text, body: ask(text) }));
  /** Leaves ids of files out of the first polls of an ended batch. */
  const late = (polls: number, ...names: readonly ('output_file_id' | 'error_file_id')[]) => {
    let left = polls;
    const engine = batchEngine({
      states: ['in_progress', 'completed'],
      judge: (line) => (line.custom_id === 'a' ? { output: answered(line) } : { error: { custom_id: 'b', error: { code: '1301', message: 'no' } } }),
      fields: { request_counts: { total: 2, completed: 1, failed: 1 } },
      alter: (batch) =>
        batch['status'] === 'completed' && left-- > 0 ? { ...batch, ...Object.fromEntries(names.map((name) => [name, null])) } : batch,
    });
    return engine;
  };

  it.each([
    ['both', ['output_file_id', 'error_file_id']],
    ['the results', ['output_file_id']],
    ['the errors', ['error_file_id']],
  ] as const)('is sent again: %s', async (_name, names) => {
    const engine = await late(3, ...names);
    const { results } = await batchAt(engine.url).run(undefined, requests, quick);
    expect(results.map(({ response, error }) => [response !== undefined, isApiError(error)])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(engine.calls.filter((call) => call === 'POST /batches')).toHaveLength(1);
  });

  it('wait returns it with its files', async () => {
    const engine = await late(2, 'output_file_id');
    await batchAt(engine.url).start(undefined, requests);
    expect(await batchAt(engine.url).wait(undefined, 'batch_1', quick)).toMatchObject({ output_file_id: 'output_1', error_file_id: 'error_1' });
  });

  it('after a bounded number of polls, run fails with its id, and resumes it once they are there', async () => {
    const engine = await late(8, 'output_file_id', 'error_file_id');
    const error = await failureOf(() => batchAt(engine.url).run(undefined, requests, quick));
    expect(error).toSatisfy(ofKind('reply'));
    expect(error).toMatchObject({ operation: 'batch.run', problem: 'truncated' });
    expect((error as Error).message).toContain('the result files of batch batch_1 have no lines yet');
    const { results } = await batchAt(engine.url).run(undefined, requests, { ...quick, resume: 'batch_1' });
    expect(results[0]?.response).toBeDefined();
    expect(engine.calls.filter((call) => call === 'POST /batches')).toHaveLength(1);
  });

  it('one without a request that is done is not such a batch', async () => {
    const engine = await batchEngine({ states: ['expired'], fields: { output_file_id: '', request_counts: { total: 2, completed: 0, failed: 0 } } });
    const { results } = await batchAt(engine.url).run(undefined, requests, quick);
    expect(results.every(({ error }) => isModelsvcError(error, 'task'))).toBe(true);
    expect(engine.calls).toEqual(['POST /files', 'POST /batches', 'GET /batches/batch_1']);
  });
});

it('isOutsideBatches: chat models of the catalogue that the list of the vendor lacks, and no unknown one', () => {
  const models = newClient({ apiKey: 'key' }).models();
  const ids = ['glm-5.3', 'glm-4.7', 'glm-5.1', 'glm-5-turbo', 'embedding-3', 'glm-99', ''];
  expect(ids.filter((id) => models.isOutsideBatches(id))).toEqual(['glm-5.3', 'glm-4.7']);
});
