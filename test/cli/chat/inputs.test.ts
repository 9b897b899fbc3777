import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import { type FakeService, fakeKey } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty, runInPty } from '../support/pty.ts';
import { program } from '../support/run.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const bodyOf = (fake: FakeService): ChatRequest => fake.requests.at(-1)?.body as ChatRequest;

describe('files of a prompt', () => {
  it('text is a fenced block with its name, an image is a part, and images select a vision model', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'code.md'), '```js\n1\n```');
    await writeFile(join(cwd, 'dot.bin'), png);
    expect((await modelsvc(['chat', 'Look', '-f', 'code.md', '-f', 'dot.bin', '-f', 'https://example.com/a.mp4?x=1'], { cwd })).code).toBe(0);
    expect(bodyOf(fake)).toMatchObject({
      model: 'glm-5.3-flash',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look\n\ncode.md:\n````md\n```js\n1\n```\n````' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
            { type: 'video_url', video_url: { url: 'https://example.com/a.mp4?x=1' } },
          ],
        },
      ],
    });
  });

  it('-f - takes bytes from stdin, and a prompt is then not needed', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['chat', '-f', '-'], { stdin: png })).code).toBe(0);
    expect(bodyOf(fake).messages[0]?.content).toMatchObject([{ type: 'image_url' }]);
  });

  it('on the message surface an image is a block with its media type', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['messages', 'Look', '-f', '-', '-m', 'glm-4.6v'], { stdin: png })).code).toBe(0);
    expect(bodyOf(fake).messages[0]?.content).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
    ]);
  });
});

describe('bad input is exit code 2 with one line and the next step, and sends no request', () => {
  it.each([
    ['an empty prompt', ['chat', ' '], '', /^the prompt is empty$/],
    ['no prompt at all', ['chat'], '', /^the prompt is empty$/],
    ['a missing file', ['chat', 'hi', '-f', 'nope.txt'], '', /^--file: nope\.txt does not exist in \//],
    ['a directory', ['chat', 'hi', '-f', 'folder'], '', /^--file: folder is a directory$/],
    ['a system prompt that is a directory', ['chat', 'hi', '-s', '@folder'], '', /^--system: folder is a directory$/],
    ['a binary file', ['chat', 'hi', '-f', 'a.pdf'], '', /^--file: a\.pdf is a document, which the service takes only by URL$/],
    ['50 MB on stdin', ['chat'], Buffer.alloc(50_000_000, 0x61), /^stdin has more than 33554432 bytes$/],
    ['stdin for two purposes', ['chat', '-', '-f', '-'], 'a', /^stdin is both the prompt and a file$/],
    ['a broken schema', ['chat', 'hi', '--schema', '{"a"'], '', /^--schema is not valid JSON$/],
    ['an empty schema', ['chat', 'hi', '--schema', ' '], '', /^--schema is empty$/],
    ['two types in a schema', ['chat', 'hi', '--schema', 'a b c'], '', /"a b c" is not a field/],
    ['an unknown type in a schema', ['chat', 'hi', '--schema', 'age integ'], '', /^--schema: integ is not a type; use str, int, float or bool$/],
    ['a tool without a name', ['chat', 'hi', '--tool', '@nameless.json'], '', /^--tool: a tool in @nameless\.json has no name$/],
    ['tools and servers', ['chat', 'hi', '--tool', '@tool.json', '--mcp', 'x', '-y'], '', /^--tool and --mcp exclude each other$/],
    ['an unbalanced quote', ['chat', 'hi', '--mcp', "a 'b", '-y'], '', /^--mcp: a quote in "a 'b" is not closed$/],
    ['two conversations', ['chat', 'hi', '-c', '--conversation', 'a'], '', /^--continue and --conversation exclude each other$/],
    ['a name that is a path', ['chat', 'hi', '--save', '../x'], '', /^"\.\.\/x" is not a name$/],
    ['a video on the message surface', ['messages', 'hi', '-f', 'https://example.com/a.mov'], '', /^--file: the message surface takes no videos$/],
    [
      'a video on the Responses surface',
      ['responses', 'hi', '-f', 'https://example.com/a.mov'],
      '',
      /^--file: the Responses surface takes no videos$/,
    ],
    ['two knobs for thinking', ['messages', 'hi', '--thinking', 'on', '--effort', 'low'], '', /^--thinking and --effort exclude each other$/],
    ['a foreign word', ['chat', 'hi', '--effort', 'xhigh'], '', /^--effort must be off, .* or max, not "xhigh"; did you mean high\?$/],
  ])('%s', async (_, args, stdin, text) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await mkdir(join(cwd, 'folder'));
    await writeFile(join(cwd, 'a.pdf'), '%PDF-1.7\n');
    await writeFile(join(cwd, 'nameless.json'), '{}');
    await writeFile(join(cwd, 'tool.json'), '{"name":"a"}');
    const { stdout, stderr, code } = await modelsvc(args, { stdin, cwd });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    const [first = '', next, end] = stderr.split('\n');
    expect(first.replace('modelsvc: ', '')).toMatch(text);
    expect([next, end]).toContain('');
    expect(fake.requests).toEqual([]);
  });

  it.each(['chat', 'messages', 'responses'])('%s refuses, before it sends, a link to this machine', async (command) => {
    const { fake, modelsvc } = await withFake();
    for (const host of ['127.0.0.1:81', 'localhost', 'a.localhost:81', '[::1]:81'])
      expect((await modelsvc([command, 'Look', '-f', `http://${host}/a.png`])).stderr).toContain(`--file: the service cannot reach ${host}`);
    expect((await modelsvc([command, 'Look', '-f', 'https://localhost.example/a.png'])).stderr).not.toContain('--file');
    expect(fake.requests).toHaveLength(5);
  });
});

describe('a stdin that stays open', () => {
  const open = (
    args: readonly string[],
    fake: FakeService,
    home: string,
    onStart: (child: ReturnType<typeof spawn>) => void,
  ): Promise<number | null> => {
    const child = spawn(process.execPath, [program, ...args, '--base-url', fake.url], {
      stdio: 'pipe',
      env: { SVC_API_KEY: 'fake-id.fake-secret', HOME: home },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.on('error', () => undefined).write('row\n');
    onStart(child);
    return new Promise((resolve) => child.on('close', resolve));
  };

  it('does not keep the program after Ctrl-C', async () => {
    const { fake } = await withFake();
    const home = await newHome();
    fake.chat.reply('one');
    // The first row is answered while map waits for the second.
    const code = await open(['map', '{line}', '--concurrency', '1'], fake, home, (child) => child.stdout?.once('data', () => child.kill('SIGINT')));
    expect(code).toBe(130);
  });

  it('does not keep the program after its reader is gone', async () => {
    const { fake } = await withFake();
    fake.chat.reply('one').reply('two');
    const code = await open(['map', '{line}', '--concurrency', '1'], fake, await newHome(), (child) =>
      child.stdout?.once('data', () => {
        child.stdout?.destroy();
        child.stdin?.write('next\n');
      }),
    );
    expect(code).toBe(0);
  });

  it('does not keep the program after wrong usage', async () => {
    const { fake } = await withFake();
    expect(await open(['map', 'no field'], fake, await newHome(), () => undefined)).toBe(2);
  });
});

it.runIf(hasPty)('a prompt that gets a file of stdin with it prints a note on a terminal', async () => {
  const { fake } = await withFake();
  fake.chat.reply('fine').reply('fine');
  const home = await newHome();
  const stdinFile = join(home, 'lines.txt');
  await writeFile(stdinFile, 'two\nthree\n');
  const asks = (file: string): ReturnType<typeof runInPty> =>
    runInPty(['chat', 'one', '--base-url', fake.url], { env: { HOME: home, SVC_API_KEY: fakeKey }, stdinFile: file });
  expect((await asks(stdinFile)).screen.replace(/\s+/g, ' ')).toContain('write `< /dev/null` after the command.');
  expect((await asks('/dev/null')).screen).not.toContain('stdin');
  expect(fake.requests.map(({ body }) => (body as { messages: unknown[] }).messages)).toEqual([
    [{ role: 'user', content: 'one\n\n<stdin>\ntwo\nthree\n</stdin>' }],
    [{ role: 'user', content: 'one' }],
  ]);
});

it('a pipe that stays open without a word is named, once, by each command that reads it', async () => {
  const { fake } = await withFake();
  const home = await newHome();
  const lines = ['chat', 'map T{line}', 'accounts add w --no-validate', 'chat hi --api-key-stdin', 'batches run - -O out', 'files upload - --name a'];
  const waits = lines.map(async (line) => {
    const hasKey = /accounts|--api-key/.test(line);
    const child = spawn(process.execPath, [program, ...line.split(' '), '--base-url', fake.url], {
      cwd: home,
      env: { HOME: home, ...(!hasKey && { SVC_API_KEY: fakeKey }) },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += String(data);
      if (stderr.includes('Waiting')) child.stdin.end();
    });
    await new Promise((resolve) => child.on('close', resolve));
    return [line, stderr.match(/Waiting for stdin\. Pass < \/dev\/null if it has no input\./g)?.length];
  });
  expect(await Promise.all(waits)).toEqual(lines.map((line) => [line, 1]));
});
