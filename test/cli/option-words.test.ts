import {
  ApiError,
  ConfigError,
  ConnectionError,
  FinishError,
  type ModelsvcError,
  OutputError,
  QueueError,
  StreamError,
  TaskError,
  TimeoutError,
  ValidationError,
} from 'modelsvc';
import { fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { libraryReport } from '../../src/cli/reports/library-report.ts';
import { stoppedClock } from '../support/clock.ts';
import { newUser } from './accounts/support/shell.ts';
import { ends, run, withFake } from './support/in-process.ts';

/** On the hosts of the service. A connection would fail with exit code 7. */
const offline = (args: readonly string[]): ReturnType<typeof run> => run(args, { env: { SVC_API_KEY: fakeKey } });

describe('a value out of its range', () => {
  it.each([
    [['chat', 'hi', '--temperature', '9'], '--temperature must be at most 1, not 9'],
    [['chat', 'hi', '-t', '-1'], '--temperature must be at least 0, not -1'],
    [['messages', 'hi', '--top-p', '5'], '--top-p must be at most 1, not 5'],
    [['chat', 'hi', '--max-tokens', '0'], '--max-tokens must be at least 1, not 0'],
    [['chat', 'hi', '--max-tokens', '-5'], '--max-tokens must be an integer of 0 or more, not "-5"'],
    [['chat', 'hi', ...['a', 'b', 'c', 'd', 'e'].flatMap((one) => ['--stop', one])], '--stop must have at most 4 entries'],
    [['map', '{line}', '-', '--concurrency', '0'], '--concurrency must be at least 1, not 0'],
    [['search', 'x', '--count', '99'], '--count must be at most 50, not 99'],
    [['search', 'x'.repeat(71)], 'QUERY must have at most 70 characters'],
    [['embeddings', 'create', 'x', '--dimensions', '5000'], '--dimensions must be at most 2048, not 5000'],
    [['videos', 'create', 'x', '--duration', '3'], '--duration must be one of 5, 10, not 3'],
    [['audio', 'speak', 'x', '-O', 'x.wav', '--speed', '3'], '--speed must be at most 2, not 3'],
    [['models', 'list', '--retries', '-1'], '--retries must be an integer of 0 or more, not "-1"'],
    [['models', 'list', '--retries', '1.5'], '--retries must be an integer of 0 or more, not "1.5"'],
    [['models', 'list', '--timeout', '30d'], '--timeout must be a duration from 0 to 20 days, not 30d'],
    [['models', 'list', '--timeout', '-1'], '--timeout must be a duration such as 500ms, 30s, 5m or 2h, not "-1"'],
    [['jobs', 'wait', '1', '--interval', '30d'], '--interval must be a duration from 0 to 20 days, not 30d'],
    [['models', 'list', '--base-url', 'here'], '--base-url must be an absolute URL, such as https://gateway.example/v1'],
    [['models', 'list', '--base-url', 'https://a:b@example.com'], '--base-url must not hold credentials; the key goes in --api-key-file'],
  ])('is refused before the network: %j', async (args, text) => {
    const { stdout, stderr, code } = await offline(args);
    expect({ stdout, first: stderr.split('\n')[0], code }).toEqual({ stdout: '', first: `modelsvc: ${text}`, code: 2 });
  });

  it('of a field that a gateway may allow is sent to the gateway', async () => {
    const { fake, modelsvc } = await withFake();
    await modelsvc(['chat', 'hi', '--temperature', '9']);
    expect(fake.requests[0]?.body).toMatchObject({ temperature: 9 });
  });
});

describe('--timeout', () => {
  it('of 0 sets no limit', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('models.list', faults.slowHeaders(1500), faults.slowHeaders(1500));
    expect((await modelsvc(['models', 'list', '--timeout', '1s', '--retries', '0'])).code).toBe(7);
    expect((await modelsvc(['models', 'list', '--timeout', '0', '--retries', '0'])).code).toBe(0);
  });
});

describe('an error of the library', () => {
  it('about a timeout names the option', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', faults.silentBeforeHeaders());
    const { stderr, code } = await modelsvc(['chat', 'hi', '--timeout', '100ms', '--retries', '0']);
    expect([stderr, code]).toEqual([
      'modelsvc: waited 100 ms for the response header\nThe service may still be working. Raise --timeout. The call may be billed; running it again is billed once more.\n',
      7,
    ]);
  });

  it.each([
    ['a refusal', ['chat', 'hi'], 'chat.create', faults.error(429, '1302', 'Config.maxRetries'), /^modelsvc: Config.maxRetries .* try again\.$/m],
    ['a reply that is too large', ['models', 'list'], 'models.list', faults.gzipBomb(), /^modelsvc: the reply has more than \d+ bytes$/m],
    ['a line that is too long', ['chat', 'hi'], 'chat.create', faults.endlessLine(), /^modelsvc: a line .* more than \d+ bytes$/m],
  ] as const)('about %s names no field of the Config of its own', async (_, args, operation, fault, line) => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, fault);
    const { stderr } = await modelsvc([...args, '--retries', '0']);
    expect(stderr).toMatch(line);
  });

  it('about a job that still runs names no function', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-1', states: ['PROCESSING'] });
    expect(await modelsvc(['jobs', 'wait', 'job-1', '--max-wait', '0'])).toMatchObject(
      ends(1, /^modelsvc: job \S+ is still .* after 0 ms\. The job goes on: raise --max-wait, or wait for the same id again\.$/m),
    );
  });

  it('about calls at once names --retries', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('chat.create', faults.error(429, '1302', 'busy'));
    const { stdout } = await modelsvc(['map', '{line}', '--retries', '0'], { stdin: 'a\n' });
    expect(stdout).toContain('Raise --retries, or use a batch.');
    expect(stdout).not.toContain('maxRetries');
  });

  it('in a note about a retry has no advice, which the last error has', async () => {
    const { stderr } = await run(['models', 'list', '--base-url', 'http://127.0.0.1:1', '--retries', '1'], { env: { SVC_API_KEY: 'key' } });
    const [note, report] = stderr.split('\n');
    expect(note).toMatch(/^retrying in \d\.\d s: no connection to 127\.0\.0\.1:1 \(ECONNREFUSED\)$/);
    expect(report).toMatch(/\(ECONNREFUSED\)\. No program accepts connections there: check host and port of the base URL\.$/);
  });

  it('in a note about a retry gives what is left of --retry-for, and --retries 0 with it is a usage error', async () => {
    const { fake, modelsvc } = await withFake();
    const refusal = faults.rateLimit();
    for (const words of ['chat hi', 'messages hi', 'responses hi', 'models list', 'map {line}']) {
      // More than three without --retry-for would end the command. The waits are real, so only one command has them.
      const refusals = Array.from({ length: words === 'chat hi' ? 4 : 1 }, () => refusal);
      fake.reset();
      fake.answer('*', ...refusals);
      const { stderr, code } = await modelsvc([...words.split(' '), '--retry-for', '5m', '--no-log'], {
        stdin: words.startsWith('map') ? 'a\n' : '',
      });
      expect([words, code, fake.requests.length]).toEqual([words, 0, refusals.length + 1]);
      expect(stderr).toMatch(/retrying in \d\.\d s \(5 min left\): /);
    }
    fake.reset();
    const { stderr, code } = await modelsvc(['models', 'list', '--retry-for', '5m', '--retries', '0']);
    expect([code, fake.requests.length]).toEqual([2, 0]);
    expect(stderr).toMatch(/--retry-for .*--retries/);
  });

  it('in notes about calls that run in parallel comes once', async () => {
    const user = await newUser();
    const clock = stoppedClock();
    user.fake.answer('*', ...faults.serverErrors(2, 503));
    const { stderr } = await clock.run(user.add('work'));
    const notes = stderr.split('\n').filter((line) => line.startsWith('retrying in'));
    expect(notes).toEqual([expect.not.stringMatching(/\w\.\w+:/)]);
  });

  it('in a note about a retry is the one of the report', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('models.list', faults.silentBeforeHeaders());
    expect(await modelsvc(['models', 'list', '--timeout', '2s', '-o', 'jsonl'])).toMatchObject(
      ends(0, /^retrying in \d\.\d s: waited [\d.]+ m?s for the response header\n$/),
    );
  });
});

describe('the words of the command line do not depend on a sentence of the library', () => {
  const operation = 'chat.create';
  const failure = { operation, phase: 'headers' } as const;
  const gate = { gate: '1', model: 'glm-5.2', limit: 1, inFlight: 1, waiting: 0 };
  const service = { operation, surface: 'chat', status: 429, code: '1302', category: 'rate', serviceMessage: 'busy', retryable: true } as const;
  const errors: readonly (readonly [ModelsvcError, string])[] = [
    [new ValidationError(operation, 'max_tokens', 'must be at least 1'), '--max-tokens must be at least 1, not 0'],
    [new ValidationError(operation, 'messages', 'must not be empty'), 'messages must not be empty'],
    [
      new ConfigError('must not hold credentials', undefined, 'endpoints', 'the key goes in apiKey'),
      '--base-url must not hold credentials; the key goes in --api-key-file',
    ],
    [
      new ConfigError('must be a duration from 0 to 20 days', undefined, 'timeout', 'pass a number of milliseconds'),
      '--timeout must be a duration from 0 to 20 days',
    ],
    [
      new ApiError({ ...service, advice: 'Try again. Raise maxRetries. Set Config.x.', requestId: undefined, retryAfter: undefined }),
      'busy (status 429, code 1302). Try again. Raise --retries.',
    ],
    [new TimeoutError('waited 5 ms', { ...failure, advice: 'Raise timeout.' }, 5), 'waited 5 ms'],
    [new ConnectionError('the request failed', { ...failure, seeCause: true, cause: new Error('bad header') }), 'the request failed (bad header)'],
    [new StreamError(operation, 'too-large', 'the reply has more than 5 bytes', undefined, 'raise maxReplyBytes'), 'the reply has more than 5 bytes'],
    [new FinishError('length', 'parameter', false, 'cut off', 'raise max_tokens'), 'finish reason length: cut off; raise --max-tokens'],
    [new TaskError('waitForResult', 'a', 'FAIL', {}), 'job a ended with status FAIL. Start a new job'],
    [new OutputError('malformed', 'the answer is not JSON', ''), 'structured output: the answer is not JSON'],
    [new QueueError(operation, 'timeout', 5, gate), 'waited 5 ms for a place among the calls of glm-5.2 (1 at once, 0 more waiting)'],
  ];
  const options: Readonly<Record<string, string>> = {
    max_tokens: '--max-tokens',
    endpoints: '--base-url',
    timeout: '--timeout',
    apiKey: '--api-key-file',
    maxRetries: '--retries',
  };
  const origins = (field: string) =>
    options[field] === undefined ? undefined : { name: options[field], text: field === 'max_tokens' ? '0' : undefined };

  it.each(errors.map(([error, words]) => [`${error.name}: ${words}`, error, words] as const))('%s', (_, error, words) => {
    expect(libraryReport(error, origins).message).toBe(words);
    const before = libraryReport(error, origins);
    error.message = 'Another sentence (see cause). Raise timeout; or maxRetries of Config';
    expect(libraryReport(error, origins)).toEqual(before);
  });
});
