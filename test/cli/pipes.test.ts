// A named pipe instead of a user's file: a writer may come late, and a signal ends the wait for it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type FakeService, fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { until } from '../support/clock.ts';
import { ends, newHome, type RunOptions, withFake } from './support/in-process.ts';
import { program } from './support/run.ts';

const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt '), Buffer.alloc(40)]);
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const request = {
  custom_id: 'a',
  method: 'POST',
  url: '/v4/chat/completions',
  body: { model: 'glm-4-plus', messages: [{ role: 'user', content: 'hi' }] },
};

/** Words of a command whose input is the pipe P, and the bytes of a writer. */
const inputs: readonly (readonly [line: string, content: string | Uint8Array])[] = [
  ['chat hi -f P', 'some text'],
  ['chat hi -s @P', 'some text'],
  ['chat hi --schema @P', '{"type":"object"}'],
  ['chat hi --tool P', '{"name":"look","description":"d","parameters":{"type":"object"}}'],
  ['chat hi --api-key-file P', fakeKey],
  ['messages hi -f P', 'some text'],
  ['map @P rows.txt', 'T {line}'],
  ['map T{line} P', 'one\ntwo\n'],
  ['embeddings create -i P', 'one\ntwo\n'],
  ['files upload P', 'some text'],
  ['audio transcribe P.wav', wav],
  ['audio transcribe P', wav],
  ['audio transcribe P --stream', wav],
  ['voices clone anna P --text hello', wav],
  ['ocr handwriting P', png],
  ['ocr layout P', png],
  ['parse sync P --type PDF', '%PDF-1.4 text'],
  ['agents invoke vidu_template_agent -i P hello', png],
  ['parse create P.pdf', '%PDF-1.4 text'],
  ['videos create harbor -i P', png],
  ['tokens count @P', 'some text'],
  ['moderate @P', 'some text'],
  ['api POST /chat/completions -d @P', '{"model":"glm-5.3","messages":[{"role":"user","content":"hi"}]}'],
  ['batches run P -O out.jsonl', `${JSON.stringify(request)}\n`],
  ['accounts import P', '{"accounts":[]}'],
];

interface Bench {
  readonly fake: FakeService;
  readonly cwd: string;
  readonly path: string;
  run(line: string, options?: RunOptions): ReturnType<Awaited<ReturnType<typeof withFake>>['modelsvc']>;
}

async function bench(line = 'P'): Promise<Bench> {
  const { fake, modelsvc } = await withFake();
  const cwd = await newHome();
  const path = join(cwd, `pipe${/P(\.\w+)/.exec(line)?.[1] ?? ''}`);
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
  await writeFile(join(cwd, 'rows.txt'), 'one\n');
  const env = (line: string): Record<string, string> => ({ HOME: cwd, ...(line.includes('--api-key-file') && { SVC_API_KEY: '' }) });
  const words = (line: string): string[] => line.split(' ').map((word) => word.replace(/(?<=^@?)P(\.\w+)?$/, path));
  return { fake, cwd, path, run: (line, options) => modelsvc(words(line), { ...options, cwd, env: env(line) }) };
}

/** Waits until a process has opened a path. Without such a place, a blocked open(2) is waited for by the test's limit. */
async function hasOpen({ pid }: ChildProcess, path: string): Promise<void> {
  const folder = `/proc/${pid}/fd`;
  for (;;) {
    const links = await readdir(folder).then((names) => Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => ''))));
    if (links.includes(path)) return;
  }
}

describe.skipIf(process.platform !== 'linux')('a named pipe', () => {
  it.each(inputs)('%s: a writer that comes late is read', async (line, content) => {
    const { fake, path, run } = await bench(line);
    const ended = run(line, {
      onStart: (child) =>
        void hasOpen(child, path).then(() => {
          const writer = spawn('sh', ['-c', 'cat > "$1"', 'sh', path], { stdio: ['pipe', 'ignore', 'ignore'] });
          writer.stdin.end(content);
        }),
    });
    // The fake's reply to the content is not tested here.
    const { stderr } = await ended;
    expect(stderr).not.toMatch(/is empty|must be a|could not be read|EAGAIN|ENXIO|interrupted/);
    if (!line.startsWith('accounts')) expect(fake.requests.length).toBeGreaterThan(0);
  });

  const signals = inputs.flatMap(([line], at) => [['SIGINT', 130, line] as const, ...(at < 2 ? [['SIGTERM', 143, line] as const] : [])]);
  it.each(signals)('%s (%i) ends %s while there is no writer', async (signal, code, line) => {
    const { path, run } = await bench(line);
    const ended = run(line, { onStart: (child) => void hasOpen(child, path).then(() => child.kill(signal)) });
    expect((await ended).code).toBe(code);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command that waits for a reader of -O', async (signal) => {
    const { fake, run } = await bench();
    const ended = run('audio speak hello -O P', {
      onStart: (child) => void until(() => fake.requests.some(({ outcome }) => outcome === 'answered')).then(() => child.kill(signal)),
    });
    expect((await ended).code).toBe(signal === 'SIGINT' ? 130 : 143);
  });

  it('-O: a reader that comes late gets every byte', async () => {
    const { fake, path, run } = await bench();
    const ended = run('audio speak hello -O P', { isProcess: true });
    await until(() => fake.requests.some(({ outcome }) => outcome === 'answered'));
    const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const bytes = text(reader.stdout);
    expect(await ended).toMatchObject({ code: 0 });
    expect((await bytes).length).toBeGreaterThan(0);
  });

  it('of a shell is read: a pipe at /dev/fd', async () => {
    const { fake, cwd } = await bench();
    fake.chat.reply('Done.');
    const command = `(sleep 0.1; echo one; sleep 0.1; echo two) | "$0" "$1" chat hi -f /dev/fd/0 --base-url ${fake.url}`;
    const child = spawn('sh', ['-c', command, process.execPath, program], {
      cwd,
      env: { SVC_API_KEY: fakeKey, HOME: cwd, PATH: process.env['PATH'] },
    });
    expect(await text(child.stdout)).toBe('Done.\n');
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('one\\ntwo');
  });

  it.each(['.config/modelsvc/config.json', '.config/modelsvc/models.yaml', '.config/modelsvc/accounts.json'])('%s: is refused', async (name) => {
    const { cwd, run } = await bench();
    await mkdir(dirname(join(cwd, name)), { recursive: true, mode: 0o700 });
    execFileSync('sh', ['-c', 'mkfifo -m 600 "$1"', 'sh', join(cwd, name)]);
    expect(await run('chat hi', { isProcess: true })).toMatchObject(ends(name.endsWith('accounts.json') ? 0 : 2, ''));
  });

  it.each([1, 2])('%i × SIGINT ends a process with a thread that no signal ends, such as the lookup of a name', async (count) => {
    const { fake, cwd, path } = await bench();
    fake.fallback('chat.create', () => faults.silentBeforeHeaders());
    const stuck = `data:text/javascript,import fs from 'node:fs'; fs.open(${JSON.stringify(path)}, 'r', () => undefined)`;
    const words = ['--import', stuck, program, 'chat', 'hi', '--base-url', fake.url];
    const child = spawn(process.execPath, words, { cwd, env: { SVC_API_KEY: fakeKey, HOME: cwd }, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)));
    await until(() => fake.requests.length === 1);
    child.kill('SIGINT');
    await until(() => fake.exchanges === 0);
    if (count === 2) child.kill('SIGINT');
    expect(await ended).toBe('SIGINT');
  });

  it.each(['mock --log P --port 0', 'mock --replay P --port 0'])('%s is refused: it would stop the whole process', async (line) => {
    const { run } = await bench();
    expect((await run(line, { isProcess: true })).code).toBe(2);
  });
});
