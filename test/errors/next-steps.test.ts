// Errors as their readers see them: the name or value that is wrong, the next step, the bill, and no sentence twice.
import { describe, expect, test } from 'vitest';
import {
  type Client,
  type Config,
  defineTool,
  isModelsvcError,
  type ModelsvcError,
  newBudget,
  newClient,
  outputFormat,
} from '../../src/overlay/index.ts';
import { collect } from '../../src/overlay/streams/collecting.ts';
import { configFor, type Fault, faults } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const key = 'test-key.never-printed';
const messages = [{ role: 'user' as const, content: 'a prompt that stays private' }];
const ask = { model: 'glm-5.3', messages };

async function failed(call: (client: Client) => Promise<unknown>, config: Partial<Config> = {}): Promise<ModelsvcError> {
  const client = newClient({ ...configFor(fake.url), maxRetries: 0, retryDelay: 1, timeout: 300, ...config });
  const error = await failure(call(client));
  await client.close();
  if (!isModelsvcError(error)) throw error;
  return error;
}

const create = (client: Client): Promise<unknown> => client.chat().create(ask);
const stream = (client: Client): Promise<unknown> => collect(client.chat().stream(ask));

/** A sentence or clause of a message, for comparison. */
function clauses(message: string): string[] {
  return message
    .toLowerCase()
    .split(/(?:[.;:!?] |\()/)
    .map((clause) => clause.replace(/[^a-z ]/g, '').trim())
    .filter((clause) => clause.includes(' '));
}

function checkSentences({ message }: ModelsvcError): void {
  expect(new Set(clauses(message)).size, message).toBe(clauses(message).length);
  expect(message).not.toMatch(/ {2}|\.\.(?!\.)|\) [A-Z]|[;,]$/);
  for (const secret of [key, 'stays private', configFor(fake.url).apiKey]) expect(message).not.toContain(secret);
}

describe('an error after the service broke the answer has the bill and a next step', () => {
  const whole = { wholeReplies: true };
  const rows: readonly (readonly [string, Fault | readonly Fault[], (client: Client) => Promise<unknown>, Partial<Config>, RegExp])[] = [
    ['a cut stream', faults.truncatedStream(), stream, {}, /may be billed; repeat the call for a complete answer\. .*error\.partial/],
    ['a malformed event', faults.malformedFrame(), stream, {}, /may be billed; repeat the call for a complete answer/],
    ['a reset before the header', faults.resetBeforeHeaders(), create, {}, /may be billed; repeat it only if/],
    [
      'a reset of every attempt',
      [faults.resetBeforeHeaders(), faults.resetBeforeHeaders()],
      create,
      { maxRetries: 1 },
      /One or more of the 2 attempts may be billed; set maxRetries: 0/,
    ],
    ['a reset in the body', faults.resetMidBody(200), create, whole, /may be billed; repeat it only if/],
    ['a silence before the header', faults.silentBeforeHeaders(), create, {}, /raise timeout, in the Config or the context\. The call may be billed/],
    ['an empty body', faults.emptyBody(), create, whole, /may be billed; repeat the call for a complete answer/],
    ['half of the bytes', faults.cutJson(), create, whole, /may be billed; repeat/],
    ['a failure amid a stream', faults.inBandError('1305', 'busy', 2), stream, {}, /The call may be billed\.$/],
  ];
  test.each(rows)('%s', async (_name, given, call, config, words) => {
    fake.reset();
    fake.answer('chat.create', ...[given].flat());
    const error = await failed(call, config);
    expect(error.message).toMatch(words);
    expect(error.billed).toBe('maybe');
    checkSentences(error);
  });

  test('a free call that breaks is not said to be billed', async () => {
    fake.reset();
    fake.answer('models.list', faults.emptyBody());
    const error = await failed((client) => client.models().list());
    expect(error.message).toMatch(/no content\. Repeat the call for a complete answer\.$/);
    expect(error.billed).toBe('no');
  });

  test('a failed job names its last reply, and one that runs on is not to be started again', async () => {
    fake.reset();
    fake.task({ id: 'job-1', states: ['FAIL'] });
    fake.task({ id: 'job-2', states: ['PROCESSING'] });
    const ended = await failed((client) => client.waitForResult('job-1', { interval: 100 }));
    expect(ended.message).toMatch(
      /job job-1 ended with status FAIL.*\. Its last reply is in error\.result\. Start a new job; the failed one may be billed\.$/,
    );
    const late = await failed((client) => client.waitForResult('job-2', { maxWait: 0 }));
    expect(late.message).toMatch(/job-2 is still running after 0 ms\. The job goes on: raise maxWait, or wait for the same id again\./);
    for (const error of [ended, late]) checkSentences(error);
  });

  test('an answer that does not match names the place and the rule, and never the answer', async () => {
    const format = outputFormat({ type: 'object', properties: { year: { type: 'number' } }, required: ['year'] });
    const error = (await failure(format.parse('{"year": "stays private"}'))) as ModelsvcError;
    expect(error.message).toMatch(/schema: year must be number, not string\. The answer is billed; error\.issues has the reason\. Send this back/);
    checkSentences(error);
  });

  test('a budget that is used up names the next step', async () => {
    fake.reset();
    const budget = newBudget({ usd: 0.000001 });
    const client = newClient({ ...configFor(fake.url), budget });
    await client.chat().create(ask);
    const error = (await failure(client.chat().create(ask))) as ModelsvcError;
    await client.close();
    expect(error.message).toMatch(
      /budget used up: \$0\.\d+ of \$0\.0000010 spent; the call was not sent\. Raise usd in newBudget, or use another budget\.$/,
    );
    checkSentences(error);
  });
});

describe('a refusal of the service', () => {
  test.each([
    ['401', '1002', 'Authorization Token is invalid', /is invalid \(status 401, code 1002.*\)\. Check the API key\.$/],
    ['429', '1113', 'Insufficient balance or no resource package. Please recharge.', /Please recharge\. \([^)]*\)$/],
    ['429', '1113', '余额不足或无可用资源包,请充值。', /\)\. The balance is empty or no resource package covers this call; recharge\.$/],
    ['429', '1113', 'no', /\)\. The balance is empty/],
    ['400', '1214', 'The parameter top_k is not allowed.', /\)\. Correct the one that the service names\.$/],
  ])('%s %s %j is followed by a step that does not repeat its sentence', async (status, code, said, words) => {
    fake.reset();
    fake.answer('chat.create', faults.error(Number(status), code, said));
    const error = await failed(create);
    expect(error.message).toMatch(words);
    checkSentences(error);
  });

  test('of a model that always thinks names the field to replace', async () => {
    fake.reset();
    fake.answer(
      'chat.create',
      faults.error(400, '1210', 'This model always engages in thinking and cannot be disabled; please use low, high, or max'),
    );
    const error = await failed((client) => client.chat().create({ ...ask, thinking: { type: 'disabled' } }));
    expect(error.message).toMatch(/\)\. Replace thinking\.type with effort, for instance effort: 'low'\./);
    checkSentences(error);
  });
});

describe('a wrong request names the one thing that is wrong', () => {
  const now = (): ReturnType<typeof defineTool> =>
    defineTool({ name: 'now', description: 'The time', input: { type: 'object', properties: {} }, run: () => 'noon' });
  test.each<[string, (client: Client) => Promise<unknown>, Partial<Config>, string]>([
    ['a tool', (c) => c.chat().runWithTools(ask, [now(), now()]), {}, 'tools[1].name "now" is already used by tools[0]; give each tool its own name'],
    ['a field of the context', (c) => c.chat().create({ signals: [] } as object, ask), {}, 'ctx.signals is unknown; did you mean signal?'],
    ['a field of a long list', (c) => c.chat().create({ banana: 1 } as object, ask), {}, 'ctx.banana is unknown; remove it, or check its name'],
  ])('%s', async (_name, call, config, words) => {
    const error = await failed(call, config);
    expect(error.message).toContain(words);
    checkSentences(error);
  });

  test.each<[Partial<Config>, string]>([
    [{ models: [{ name: 'x' }] } as never, 'models[0].id is required'],
    [{ baseURL: 'nope' }, 'baseURL must be an absolute URL, such as https://gateway.example/v1'],
  ])('%j', (config, words) => {
    expect(() => newClient({ apiKey: key, ...config })).toThrow(words);
  });
});
