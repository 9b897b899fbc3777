// The usual programs, each run as a process against the fake: its success, and the ways in which it fails.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type FakeService, faults } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { bodiesOf, builtExamples, emptyFolder, ended, type Outcome, outcome, type Running, sentMessages } from './example-process.ts';

const start = builtExamples();

/** A program that ends by itself: how the fake answers, and what the program then prints. */
interface Usual {
  readonly operation: Parameters<FakeService['answer']>[0];
  readonly script: (fake: FakeService) => void;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdout: string | RegExp;
  /** Files that the program makes. */
  readonly made?: Readonly<Record<string, string>>;
}

const recipe = '{"title":"Pancakes","minutes":20,"ingredients":["flour","eggs"]}';
const pcm = (text: string): object => ({ id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: btoa(text) } }] });
const spoken = { frames: [pcm('one '), pcm('two'), { id: '1', choices: [{ index: 0, finish_reason: 'stop' }] }, 'data: [DONE]\n\n'] };
const image = (fake: FakeService) => ({ body: { created: 1, data: [{ url: fake.host('/a.png', { body: 'the image' }) }] } });
const wav = { body: 'the speech', headers: { 'content-type': 'audio/wav' } };
/** Lines of which each has a vector of its own. */
const lines = Array.from({ length: 130 }, (_, index) => `line ${index}`);
const batchLine = { custom_id: 'Paris', response: { status_code: 200, body: { choices: [{ index: 0, message: { content: 'A city.' } }] } } };

/** Vectors that turn with the number in a text, and a rerank that turns the documents round. */
function searchable(fake: FakeService): void {
  fake.fallback('embeddings.create', ({ body }) => {
    const { input } = body as { input: string[] };
    const angleOf = (text: string): number => Number(/\d+(\.\d)?/.exec(text)?.[0]) / 100;
    return { body: { data: input.map((text, index) => ({ index, embedding: [Math.cos(angleOf(text)), Math.sin(angleOf(text))] })) } };
  });
  fake.fallback('rerank.create', ({ body }) => {
    const { documents, top_n } = body as { documents: string[]; top_n: number };
    const results = documents.map((_, index) => ({ index, relevance_score: index / documents.length }));
    return { body: { id: '1', results: results.reverse().slice(0, top_n), usage: { prompt_tokens: 1, total_tokens: 1 } } };
  });
}

const usual: Readonly<Record<string, Usual>> = {
  agent: {
    operation: 'chat.create',
    script: (fake) =>
      void fake.chat
        .reply({ toolCalls: ['Paris', 'Rome'].map((city) => ({ name: 'get_weather', arguments: { city } })), usage: { input: 10, output: 10 } })
        .reply({ text: 'In Lyon.', usage: { input: 30, output: 5 } }),
    stdout: 'In Lyon.\nanswered after 2 model calls, 55 tokens\n',
  },
  'typed-object': {
    operation: 'chat.create',
    script: (fake) => {
      for (const surface of ['chat', 'messages', 'responses'] as const) fake[surface].reply(recipe);
    },
    stdout: 'Pancakes, 20 minutes: flour, eggs\n'.repeat(3),
  },
  'growing-object': {
    operation: 'chat.create',
    script: (fake) => void fake.chat.reply({ text: recipe.match(/.{1,9}/g) ?? [] }),
    stdout: /^: 0\nPancakes: 0\n[\s\S]*Pancakes: 2\nPancakes, 20 minutes: flour, eggs\n$/,
  },
  rows: {
    operation: 'chat.create',
    files: { 'countries.txt': 'France\r\n\nItaly\nFrance\n' },
    script: (fake) => void fake.fallback('chat.create', ({ body }) => ({ turn: { text: capitalOf(body) } })),
    stdout: '',
    made: { 'capitals.jsonl': '{"row":"France","answer":"Paris"}\n{"row":"Italy","answer":"Rome"}\n' },
  },
  image: {
    operation: 'images.generate',
    script: (fake) => void fake.answer('images.generate', image(fake)),
    stdout: 'lighthouse.png: 9 bytes\n',
    made: { 'lighthouse.png': 'the image' },
  },
  speech: {
    operation: 'audio.speech',
    script: (fake) => void fake.answer('audio.speech', wav, spoken),
    stdout: 'speech.wav: 10 bytes\nspeech.pcm: 7 bytes\n',
    made: { 'speech.wav': 'the speech', 'speech.pcm': 'one two' },
  },
  batch: {
    operation: 'files.upload',
    script: (fake) => {
      fake.fallback('batch.create', { body: { id: 'batch_7', status: 'validating' } });
      fake.fallback('batch.retrieve', { body: { id: 'batch_7', status: 'completed', output_file_id: 'output_7' } });
      fake.fallback('files.content', { body: `${JSON.stringify(batchLine)}\n` });
    },
    stdout: /^batch_7 is completed\nParis: A city\.\nLyon: failed, \w+\nNice: failed, \w+\n$/,
  },
  search: {
    operation: 'embeddings.create',
    args: ['lines.txt', 'What is near 77.3?'],
    files: { 'lines.txt': lines.join('\n') },
    script: searchable,
    // The lines 68 to 87 are nearest, and the fake ranks the farthest of them first.
    stdout: '0.95 line 87\n0.90 line 68\n0.85 line 86\n0.80 line 69\n0.75 line 85\n',
  },
  spans: {
    operation: 'chat.create',
    script: (fake) => void fake.chat.reply({ text: 'Scattering.', usage: { input: 12, output: 5 } }),
    stdout: /name: 'chat glm-5\.3'[\s\S]*'gen_ai\.usage\.input_tokens': 12[\s\S]*\nScattering\.\n[\s\S]*name: 'question'/,
  },
};

function capitalOf(body: unknown): string {
  return /Italy/.test(JSON.stringify(body)) ? 'Rome' : 'Paris';
}

async function run(
  name: string,
  fake: FakeService,
  more: { args?: readonly string[]; files?: Usual['files'] } = {},
): Promise<Outcome & { cwd: string }> {
  const { args = [], files = {} } = { ...usual[name], ...more };
  const cwd = await emptyFolder();
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  return { ...(await outcome(start(name, fake, { args, cwd }))), cwd };
}

describe.each(Object.entries(usual))('%s', (name, { operation, script, stdout, made = {} }) => {
  const succeeds = async (fake: FakeService): Promise<void> => {
    const { cwd, ...rest } = await run(name, fake);
    expect(rest).toEqual({ code: 0, stderr: '', stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout) });
    // Rows are written in the order of their answers.
    const sorted = (text: string): string[] => text.split('\n').sort();
    for (const [file, text] of Object.entries(made)) expect(sorted(await readFile(join(cwd, file), 'utf8'))).toEqual(sorted(text));
  };

  it('succeeds', async () => {
    const { fake } = await openFake();
    script(fake);
    await succeeds(fake);
  });

  it('succeeds after a refusal, a failure of the server and a broken connection', async () => {
    const { fake } = await openFake();
    fake.answer(operation, faults.rateLimit({ ms: 1 }), faults.error(500, '500'), faults.resetBeforeHeaders());
    script(fake);
    await succeeds(fake);
  });

  it('ends with the error, and asks for no more, if the key is refused', async () => {
    const { fake } = await openFake(undefined, { keys: ['another-id.another-secret'] });
    const { code, stderr, cwd } = await run(name, fake);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ApiError: \w+\.\w+: /)]);
    expect(new Set(fake.requests.map((request) => request.operation)).size).toBe(1);
    for (const file of Object.keys(made)) expect(existsSync(join(cwd, file)) && (await readFile(join(cwd, file), 'utf8'))).toBeFalsy();
  });
});

describe('agent', () => {
  const call = (input: number) => ({ toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }], usage: { input, output: 10 } });

  it('gives the model the problem of wrong arguments', async ({ fake }) => {
    usual['agent']?.script(fake);
    await run('agent', fake);
    const results = sentMessages(fake).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(['21', expect.stringMatching(/^error: .*city/)]);
  });

  it.each([
    ['five rounds', Array.from({ length: 6 }, () => call(100)), 'stopped after 5 model calls, 550 tokens'],
    ['20,000 tokens', [call(9000), call(12_000), call(100)], 'stopped after 2 model calls, 21020 tokens'],
  ])('ends at its limit of %s', async (_limit, turns, last) => {
    const { fake } = await openFake();
    for (const turn of turns) fake.chat.reply(turn);
    expect((await run('agent', fake)).stdout).toBe(`\n${last}\n`);
  });
});

describe('typed-object', () => {
  it.each([
    ['invalid', { text: recipe.replace('20', '"twenty"') }, /OutputError: .*minutes/],
    ['malformed', { text: 'Take flour.' }, /OutputError: .*not JSON/],
    ['unfinished', { text: '{"title":', finish: 'length' }, /OutputError: [\s\S]*finish reason length/],
  ])('ends with an error, if an answer is %s', async (_problem, turn, words) => {
    const { fake } = await openFake();
    fake.chat.reply(turn);
    const { code, stdout, stderr } = await run('typed-object', fake);
    expect([code, stdout, fake.requests.length]).toEqual([1, '', 1]);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('flour');
  });

  it.each<[string, Parameters<FakeService['answer']>[1], RegExp]>([
    ['breaks off', { ...faults.truncatedStream(), reply: { turn: { text: recipe.match(/.{1,9}/g) ?? [] } } }, /StreamError: /],
    ['ends in a value of another type', { turn: { text: [recipe.slice(0, 30), recipe.slice(30).replace('20', '"x"')] } }, /OutputError: .*minutes/],
    ['has no JSON', { turn: { text: 'Take flour.' } }, /OutputError: .*not JSON/],
  ])('and growing-object end with an error, and no result, if the answer %s', async (_problem, answer, words) => {
    const { fake } = await openFake();
    fake.answer('chat.create', answer);
    const { code, stdout, stderr } = await run('growing-object', fake);
    expect([code, stdout.includes('minutes:'), fake.requests.length]).toEqual([1, false, 1]);
    expect(stderr).toMatch(words);
  });
});

describe('rows', () => {
  const asked = (fake: FakeService): string[] => bodiesOf(fake).map((body) => /of (\w+)/.exec(JSON.stringify(body))?.[1] ?? '');

  it('goes on after a kill, also within a line, and asks for no row twice', async ({ fake }) => {
    const cwd = await emptyFolder();
    const file = join(cwd, 'capitals.jsonl');
    await writeFile(join(cwd, 'countries.txt'), 'France\nItaly');
    fake.fallback('chat.create', ({ body }) => (capitalOf(body) === 'Rome' ? faults.silentBeforeHeaders() : { turn: { text: 'Paris' } }));
    const first = start('rows', fake, { cwd });
    await expect.poll(async () => fake.requests.length === 2 && (await readFile(file, 'utf8')).length).toBeGreaterThan(2);
    first.child.kill('SIGKILL');
    await first.end;
    const paris = await readFile(file, 'utf8');
    await writeFile(file, `${paris}{"row":"Italy","answ`);
    fake.reset().fallback('chat.create', { turn: { text: 'Rome' } });
    expect(await outcome(start('rows', fake, { cwd }))).toEqual(ended(''));
    expect(await readFile(file, 'utf8')).toBe('{"row":"France","answer":"Paris"}\n{"row":"Italy","answer":"Rome"}\n');
    expect(asked(fake)).toEqual(['Italy']);
    expect(await outcome(start('rows', fake, { cwd }))).toEqual(ended(''));
    expect(asked(fake)).toEqual(['Italy']);
  });

  it.each(['important', 'a\nb', '{"row":"France","answer":"Paris"}\nmy own line', '{"other":1}\n{"x"', '[1]\n'])(
    'leaves a file of others as it is: %j',
    async (text) => {
      const { fake } = await openFake();
      const cwd = await emptyFolder();
      await writeFile(join(cwd, 'countries.txt'), 'Italy');
      await writeFile(join(cwd, 'capitals.jsonl'), text);
      const { code, stderr } = await outcome(start('rows', fake, { cwd }));
      expect([code, stderr]).toEqual([1, expect.stringContaining('capitals.jsonl is not a file of this program')]);
      expect(await readFile(join(cwd, 'capitals.jsonl'), 'utf8')).toBe(text);
      expect(fake.requests).toHaveLength(0);
    },
  );

  it.each([
    ['is refused', faults.error(400, '1301', 'unsafe'), /^Italy: ApiError: /],
    ['is cut off', { turn: { text: 'R', finish: 'length' } }, /^Italy: FinishError: /],
  ])('names a row that %s, and asks for it again in the next run', async (_problem, answer, words) => {
    const { fake } = await openFake();
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'countries.txt'), 'Italy\nFrance');
    fake.fallback('chat.create', ({ body }) => (capitalOf(body) === 'Rome' ? answer : { turn: { text: 'Paris' } }));
    const { stderr, ...rest } = await outcome(start('rows', fake, { cwd }));
    expect(rest).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
    fake.reset().fallback('chat.create', { turn: { text: 'Rome' } });
    expect(await outcome(start('rows', fake, { cwd }))).toEqual(ended(''));
    expect([asked(fake), (await readFile(join(cwd, 'capitals.jsonl'), 'utf8')).split('\n').length]).toEqual([['Italy'], 3]);
  });
});

describe('image', () => {
  it('pays for no image, if the file exists', async ({ fake }) => {
    const { code, stderr } = await run('image', fake, { files: { 'lighthouse.png': 'old' } });
    expect([code, fake.requests.length]).toEqual([1, 0]);
    expect(stderr).toMatch(/lighthouse\.png exists already/);
  });

  it.each([
    ['the prompt is refused', () => faults.error(400, '1301', 'unsafe'), /ApiError: images\.generate: unsafe/],
    [
      'the link has expired',
      (fake: FakeService) => ({ body: { data: [{ url: fake.host('/a.png', { status: 404, body: '' }) }] } }),
      /ApiError: .*404/,
    ],
    [
      'the file breaks off',
      (fake: FakeService) => ({ body: { data: [{ url: fake.host('/a.png', { ...faults.resetMidBody(), reply: { body: 'the image' } }) }] } }),
      /ConnectionError/,
    ],
  ])('leaves no file, if %s', async (_problem, answer, words) => {
    const { fake } = await openFake();
    fake.answer('images.generate', answer(fake));
    const { code, stderr, cwd } = await run('image', fake);
    expect([code, existsSync(join(cwd, 'lighthouse.png'))]).toEqual([1, false]);
    expect(stderr).toMatch(words);
  });
});

it('speech leaves no file of a stream that breaks off', async ({ fake }) => {
  fake.answer('audio.speech', wav, { frames: [pcm('one ')] });
  const { code, stderr, cwd } = await run('speech', fake);
  expect([code, existsSync(join(cwd, 'speech.wav')), existsSync(join(cwd, 'speech.pcm'))]).toEqual([1, true, false]);
  expect(stderr).toMatch(/StreamError: audio\.speechStream: .*cut off/);
});

it('search sends 64 texts a request, and ranks twenty lines', async ({ fake }) => {
  searchable(fake);
  await run('search', fake);
  const inputs = bodiesOf(fake).map((body) =>
    'input' in body ? (body.input as string[]).length : (body as { documents: string[] }).documents.length,
  );
  expect(inputs.toSorted((a, b) => b - a)).toEqual([64, 64, 20, 2, 1]);
});

describe('spans', () => {
  it('has the retries of a call as events', async ({ fake }) => {
    fake.answer('chat.create', faults.rateLimit({ ms: 1 }), { turn: { text: 'Scattering.' } });
    expect((await run('spans', fake)).stdout).toMatch(/name: 'modelsvc\.retry'[\s\S]*'error\.type': '1302'/);
  });

  it('ends both spans of a failed call', async ({ fake }) => {
    fake.answer('chat.create', faults.error(400, '1210'));
    const { code, stdout } = await run('spans', fake);
    expect([code, stdout.match(/^ {2}name: '(chat glm-5\.3|question)'/gm)?.length]).toEqual([1, 2]);
    expect(stdout).toMatch(/'error\.type': '1210'/);
  });
});

describe('recording.test', () => {
  const runTest = (service: FakeService | string, cwd: string, env = {}): Running =>
    start('recording.test', service, { cwd, env: { CI: '', ...env }, flags: ['--test-reporter=tap'] });
  const closed = 'http://127.0.0.1:9';

  it('records in its first run, and later needs no service', async ({ fake }) => {
    const cwd = await emptyFolder();
    fake.chat.reply('Paris.');
    expect((await outcome(runTest(fake, cwd))).code).toBe(0);
    expect((await outcome(runTest(closed, cwd, { CI: 'true' }))).code).toBe(0);
    expect(fake.requests).toHaveLength(1);
  });

  it('fails in CI without a recording, and if the program asks something else', async ({ fake }) => {
    const cwd = await emptyFolder();
    const missing = await outcome(runTest(fake, cwd, { CI: 'true' }));
    expect([missing.code, fake.requests.length]).toEqual([1, 0]);
    expect(missing.stdout).toMatch(/recordings\/capital\.json/);
    fake.chat.reply('Paris.');
    await outcome(runTest(fake, cwd));
    const file = join(cwd, 'recordings/capital.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('France', 'Italy'));
    const other = await outcome(runTest(closed, cwd, { CI: 'true' }));
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/body\.messages\[0\]\.content differs/);
  });
});
