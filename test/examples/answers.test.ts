import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { bodiesOf, builtExamples, emptyFolder, ended, outcome, root, sentMessages, toolsOf } from './example-process.ts';

const cutOff = 'The call may be billed; repeat the call for a complete answer. If you collected the stream, error.partial has what arrived.';

const start = builtExamples();

describe('chat', () => {
  it('prints the answer and its tokens', async ({ fake }) => {
    fake.chat.reply({ text: 'Air scatters blue light.', usage: { input: 20, output: 5 } });
    expect(await outcome(start('chat', fake, { args: ['Why blue?'] }))).toEqual(ended('Air scatters blue light.\n25 tokens\n'));
    expect(bodiesOf(fake)).toMatchObject([{ messages: [{ role: 'system' }, { content: 'Why blue?' }] }]);
  });

  it('reports an answer that was cut off', async ({ fake }) => {
    fake.chat.reply({ text: 'Air', finish: 'length', usage: { input: 20, output: 1 } });
    const { stderr, ...rest } = await outcome(start('chat', fake));
    expect(rest).toEqual({ code: 1, stdout: 'Air\n21 tokens\n' });
    expect(stderr).toMatch(/^finish reason length: /);
  });
});

describe('stream', () => {
  it('prints the answer, and then its tokens', async ({ fake }) => {
    fake.chat.stream(['Rain', ' falls', '.'], { usage: { input: 9, output: 3 } });
    expect(await outcome(start('stream', fake))).toEqual(ended('Rain falls.\n12 tokens\n'));
  });

  it('reports an answer that was cut off at a limit', async ({ fake }) => {
    fake.chat.stream(['Rain'], { finish: 'length', usage: { input: 9, output: 1 } });
    expect(await outcome(start('stream', fake))).toEqual(
      ended('Rain', 1, '\nfinish reason length: the answer was cut off at the token limit; raise max_tokens\n'),
    );
  });

  it('reports a stream that is cut off, after its text', async ({ fake }) => {
    fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Rain', ' falls', '.', '.'] } } });
    const problem = `\nchat.stream: the stream was cut off after 4 events, before its end. ${cutOff}\n`;
    expect(await outcome(start('stream', fake))).toEqual(ended('Rain falls..', 1, problem));
  });
});

describe('cancel-and-timeout', () => {
  const silent = { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['Once', ' upon'] } } };

  it('prints the complete answer', async ({ fake }) => {
    fake.chat.reply('Once upon a time.');
    expect(await outcome(start('cancel-and-timeout', fake))).toEqual(ended('Once upon a time.\nThe story is complete.\n'));
  });

  it('is canceled by an interrupt', async ({ fake }) => {
    fake.answer('chat.create', silent);
    const program = start('cancel-and-timeout', fake);
    await program.shows('Once');
    program.child.kill('SIGINT');
    expect(await outcome(program)).toEqual(ended('Once\nCanceled.\n', 1));
    await fake.idle();
    expect(fake.requests.map((request) => request.outcome)).toEqual(['left']);
  });

  it('ends at the limit of the complete call', async ({ fake }) => {
    fake.answer('chat.create', silent);
    const { stdout, ...rest } = await outcome(start('cancel-and-timeout', fake, { args: ['0', '1'] }));
    expect(rest).toEqual({ code: 1, stderr: '' });
    // On a slow machine the limit may pass before the first piece.
    expect(stdout).toMatch(/^(Once)?\nThe time is up\.\n$/);
  });

  it('ends at the limit for the response header, without another attempt', async ({ fake }) => {
    fake.answer('chat.create', faults.silentBeforeHeaders());
    expect(await outcome(start('cancel-and-timeout', fake, { args: ['0.2'] }))).toEqual(ended('No response within 200 ms.\n', 1));
    expect(fake.requests).toHaveLength(1);
  });
});

it('thinking prints reasoning and answer of both surfaces', async ({ fake }) => {
  fake.chat.reply({ reasoning: ['7 times 13', ' is 91.'], text: ['No', '.'] });
  fake.messages.reply({ reasoning: '91 is 7 times 13.', text: 'It is not.' });
  expect(await outcome(start('thinking', fake))).toEqual(
    ended(
      'chat thinking: 7 times 13 is 91.\nchat answer: No.\nmessages thinking: 91 is 7 times 13.\nmessages answer: It is not.\n' +
        'effort: {"output_config":{"effort":"low"}} \n',
    ),
  );
  expect(bodiesOf(fake)).toMatchObject([{ reasoning_effort: 'high' }, { output_config: { effort: 'low' } }]);
});

it('image-input sends the file as a part of the message', async ({ fake }) => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const path = join(await emptyFolder(), 'dot.png');
  await writeFile(path, png);
  fake.chat.reply('One pixel.');
  expect(await outcome(start('image-input', fake, { args: [path] }))).toEqual(ended('One pixel.\n'));
  const url = `data:image/png;base64,${png.toString('base64')}`;
  expect(bodiesOf(fake)).toMatchObject([{ messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] }] }]);
});

describe('errors-and-fallback', () => {
  const quota = faults.error(429, '1308', 'The limit is used up.');

  it('retries a failure of the server', async ({ fake }) => {
    fake.answer('chat.create', faults.serverErrors(1), { turn: { text: 'Scattering.' } });
    expect(await outcome(start('errors-and-fallback', fake))).toEqual(ended('glm-5.3: retry 1\nglm-5.3: Scattering.\n'));
  });

  it('uses the next model if the quota of the first is used up', async ({ fake }) => {
    fake.answer('chat.create', quota, { turn: { text: 'Scattering.' } });
    expect(await outcome(start('errors-and-fallback', fake))).toEqual(
      ended('glm-5.3: quota (code 1308) after 1 attempts, next: glm-4.7\nglm-4.7: Scattering.\n'),
    );
  });

  it('ends with the advice of the last error', async ({ fake }) => {
    fake.fallback('chat.create', quota);
    const lines = ['glm-5.3: quota (code 1308) after 1 attempts, next: glm-4.7', 'glm-4.7: quota (code 1308) after 1 attempts, next: glm-4.7-flash'];
    const { stderr, ...rest } = await outcome(start('errors-and-fallback', fake));
    expect(rest).toEqual({ code: 1, stdout: `${lines.join('\n')}\n` });
    expect(stderr).toMatch(/^quota: .+reset time/);
  });

  it('does not ask another model for a wrong key', async () => {
    const { fake } = await openFake(undefined, { keys: ['another-id.another-secret'] });
    const { stderr, ...rest } = await outcome(start('errors-and-fallback', fake));
    expect(rest).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^auth: /);
    expect(fake.requests).toHaveLength(1);
  });
});

describe('responses-stream', () => {
  it('prints the answer, its status and its tokens', async ({ fake }) => {
    fake.responses.stream(['Rain', ' falls', '.'], { usage: { input: 9, output: 3 } });
    expect(await outcome(start('responses-stream', fake, { args: ['Rain?'] }))).toEqual(ended('Rain falls.\ncompleted: 3 tokens\n'));
    expect(bodiesOf(fake)).toMatchObject([{ input: 'Rain?', stream: true, reasoning: { effort: 'low' } }]);
  });

  it('reports an answer that was cut off at a limit', async ({ fake }) => {
    fake.responses.stream(['Rain'], { finish: 'length', usage: { input: 9, output: 1 } });
    expect(await outcome(start('responses-stream', fake))).toEqual(ended('Rain', 1, '\nincomplete: max_output_tokens, 1 tokens\n'));
  });

  it('reports a stream that is cut off, after its text', async ({ fake }) => {
    fake.answer('responses.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Rain', ' falls'] } } });
    const { stderr, ...rest } = await outcome(start('responses-stream', fake));
    expect(rest).toEqual({ code: 1, stdout: 'Rain falls' });
    expect(stderr).toMatch(
      /^\nresponses\.stream: the stream was cut off after \d+ events, before its end\. The call may be billed; .*\n10 characters arrived\n$/,
    );
  });
});

describe('responses-tools', () => {
  it('sends the results to the stored response, and continues it by its id', async ({ fake }) => {
    fake.responses
      .reply({ toolCalls: [{ id: 'a', name: 'stock', arguments: { item: 'tea' } }], usage: { input: 10, output: 10 } })
      .reply({ text: 'Yes, 12.', usage: { input: 30, output: 5 } })
      .reply('No.');
    expect(await outcome(start('responses-tools', fake))).toEqual(ended('stock: tea\nYes, 12.\n2 model calls, 55 tokens\nNo.\n'));
    const [first, second] = fake.requests.map(({ requestId }) => `resp_${requestId}`);
    expect(bodiesOf(fake)).toMatchObject([
      { store: true, tools: [{ type: 'function', name: 'stock' }] },
      { previous_response_id: first, input: [{ type: 'function_call_output', call_id: 'a', output: '{"item":"tea","count":12}' }] },
      { previous_response_id: second, input: 'Enough for 20 guests?' },
    ]);
  });
});

describe('tools-with-approval', () => {
  it('denies changes without a terminal, and the model gets the denial', async ({ fake }) => {
    fake.chat
      .toolCall('list_files')
      .reply({ text: 'I delete it. ', toolCalls: [{ name: 'delete_file', arguments: { name: 'old.log' } }] })
      .reply('I may not.');
    const lines = ['I delete it. [denied: delete_file {"name":"old.log"}]', 'I may not.', 'files: notes.txt, old.log'];
    expect(await outcome(start('tools-with-approval', fake))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(sentMessages(fake).at(-1)?.content).toBe('error: changes need the approval of a person');
  });
});

describe.skipIf(!existsSync('/usr/bin/script'))('tools-with-approval in a terminal', () => {
  it.each([
    ['y', 'notes.txt', 'deleted'],
    ['n', 'notes.txt, old.log', 'error: the user said no'],
  ])('asks, and obeys the answer %s', async (key, files, result) => {
    const { fake } = await openFake();
    fake.chat.toolCall('delete_file', { name: 'old.log' }).reply('I see.');
    const program = start('tools-with-approval', fake, { terminal: true });
    await program.shows('delete_file {"name":"old.log"}? [y/N] ');
    program.child.stdin.write(`${key}\n`);
    const { code, stdout } = await outcome(program);
    expect(code).toBe(0);
    expect(stdout).toContain(`I see.\r\nfiles: ${files}\r\n`);
    expect(sentMessages(fake).at(-1)?.content).toBe(result);
  });
});

describe('mcp-tools', () => {
  it('lets the model use a real MCP server, and ends it', async ({ fake }) => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'shopping.txt'), 'milk');
    fake.chat.toolCall('list_directory', { path: folder }).reply('There is one file.');
    const server = [process.execPath, `${root}node_modules/@modelcontextprotocol/server-filesystem/dist/index.js`, folder];
    const lines = [`list_directory {"path":${JSON.stringify(folder)}}`, 'There is one file.'];
    expect(await outcome(start('mcp-tools', fake, { args: server }))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(sentMessages(fake).at(-1)?.content).toContain('[FILE] shopping.txt');
    const offered = toolsOf(fake);
    expect(offered).toContain('read_text_file');
    expect(offered.filter((name) => /write|edit|move|create/.test(name))).toEqual([]);
  });
});

describe('batch', () => {
  const line = (city: string): string =>
    JSON.stringify({
      custom_id: city,
      response: { status_code: 200, body: { choices: [{ index: 0, message: { content: `${city} is a city.` } }] } },
    });
  const failedLine = JSON.stringify({ custom_id: 'Nice', response: { status_code: 400, body: { error: { code: '1301', message: 'no' } } } });

  it('survives a kill: the next run continues with the same batch', async ({ fake }) => {
    const cwd = await emptyFolder();
    let killed = false;
    const batch = {
      id: 'batch_7',
      object: 'batch',
      endpoint: '/v4/chat/completions',
      input_file_id: 'input_7',
      request_counts: { total: 3, completed: 1, failed: 0 },
    };
    fake.fallback('batch.create', { body: { ...batch, status: 'validating' } });
    fake.fallback('batch.retrieve', () => ({
      body: { ...batch, ...(killed ? { status: 'completed', output_file_id: 'output_7' } : { status: 'in_progress' }) },
    }));
    fake.fallback('files.content', { body: `${line('Lyon')}\n${line('Paris')}\n${failedLine}\n` });

    const first = start('batch', fake, { cwd });
    await first.shows('batch_7 is in_progress, 1 of 3 done\n');
    first.child.kill('SIGKILL');
    expect(await first.end).toBe('SIGKILL');
    expect(await readFile(join(cwd, 'batch.state'), 'utf8')).toBe('batch_7');

    killed = true;
    const lines = ['continue with batch_7', 'batch_7 is completed', 'Paris: Paris is a city.', 'Lyon: Lyon is a city.', 'Nice: failed, ApiError'];
    expect(await outcome(start('batch', fake, { cwd }))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(fake.requests.filter(({ operation }) => operation === 'batch.create')).toHaveLength(1);
    expect(existsSync(join(cwd, 'batch.state'))).toBe(false);
  });
});

describe('video', () => {
  it('prints the progress of the job, and downloads its file', async ({ fake }) => {
    const cwd = await emptyFolder();
    fake.task({ kind: 'video', result: { video_result: [{ url: fake.host('/b.mp4', { body: 'a video' }) }] } });
    expect(await outcome(start('video', fake, { cwd }))).toEqual(ended('PROCESSING\nvideo.mp4: 7 bytes\n'));
    expect(readFileSync(join(cwd, 'video.mp4'), 'utf8')).toBe('a video');
  });

  it('reports a failed job', async ({ fake }) => {
    fake.task({ kind: 'video', states: ['FAIL'] });
    expect(await outcome(start('video', fake, { cwd: await emptyFolder() }))).toEqual(ended('FAIL\n', 1));
  });
});

it('tokens-cost-quota prints tokens, cost and the windows of the plan', async ({ fake }) => {
  fake.answer('tools.tokenize', { body: { id: '1', usage: { prompt_tokens: 11, total_tokens: 11 } } });
  fake.chat.reply({ text: 'Rain.', usage: { input: 1000, output: 100 } });
  const limits = [
    { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 42, nextResetTime: Date.UTC(2030, 0, 2, 3, 4, 5) },
    { type: 'TIME_LIMIT', unit: 5, number: 1 },
  ];
  fake.answer('quota.getLimit', { body: { code: 200, success: true, data: { limits } } });
  const lines = [
    'prompt: 11 tokens',
    'call: 1100 tokens, $0.001840',
    'all model calls: 1000 input tokens, 100 output tokens',
    'five-hour: 42 % used, resets at 2030-01-02T03:04:05.000Z',
    'monthly-tools: unknown use, not started',
  ];
  expect(await outcome(start('tokens-cost-quota', fake))).toEqual(ended(`${lines.join('\n')}\n`));
});

it('fake-service.test passes, without a service', async () => {
  const { code, stdout, stderr } = await outcome(start('fake-service.test', 'http://127.0.0.1:9', { flags: ['--test-reporter=tap'] }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^(not )?ok .*$/gm)).toEqual([
    'ok 1 - sends the text and returns the summary',
    'ok 2 - survives two failures of the server',
    'ok 3 - reports a used-up quota without a retry',
    'ok 4 - notices a stream that is cut off',
  ]);
});
