// A command that has paid and then fails: its advice names a way that is free, and the way works.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type FakeService, fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { withFake } from '../support/in-process.ts';
import { guard, program } from '../support/run.ts';

/** Advice that would make another result. */
const costly = /run the command again|run again|try again|ask for the result|submit|ask again/i;

const posts = (fake: FakeService): number => fake.requests.filter(({ method }) => method === 'POST').length;

/** The words of a command that a program printed. */
const words = (stderr: string): string[] => /Resume with: modelsvc (.+)\n/.exec(stderr)?.[1]?.split(' ') ?? [];

/** A host that has refused connections since the link was made. */
async function closedPort(): Promise<string> {
  const closed = await storageHost();
  await closed.refuse();
  return `${closed.url}/cat.png`;
}

type Broken = readonly [name: string, code: number, link: (storage: Awaited<ReturnType<typeof storageHost>>) => string | Promise<string>];
const broken: readonly Broken[] = [
  ['is down', 7, closedPort],
  ['breaks the connection', 7, (storage) => storage.host('/b.png', { ...faults.lyingLength(1000), reply: { body: 'x' } })],
  ['has lost the file: HTTP 404', 4, (storage) => storage.host('/b.png', faults.htmlErrorPage(404))],
  ['refuses the link: HTTP 403', 4, (storage) => storage.host('/b.png', faults.htmlErrorPage(403))],
  ['fails: HTTP 500', 7, (storage) => storage.host('/b.png', faults.htmlErrorPage(500))],
];

describe.each(broken)('the host of a result %s', (name, exitCode, linkOf) => {
  it.each([
    ['images create', ['images', 'create', 'cat', '--wait'], 'image_result'],
    ['videos create', ['videos', 'create', 'cat'], 'video_result'],
  ])('%s names the wait, which saves the result of the same job', async (_name, args, field) => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const url = await linkOf(storage);
    // `jobs wait` asks for the kind of the job first.
    const answerWith = (link: string, times: number): void => {
      const answer = { body: { id: 'job-1', model: 'x', task_status: 'SUCCESS', [field]: [{ url: link }] } };
      fake.answer('client.getAsyncResult', ...Array.from({ length: times }, () => answer));
    };
    const path = join(await newFolder(), 'cat.bin');
    for (const quiet of [[], ['--quiet']]) {
      answerWith(url, 1);
      const failed = await modelsvc([...args, '-O', path, '--retries', '0', ...quiet]);
      expect(failed).toMatchObject({ code: exitCode });
      expect(failed.stderr).not.toMatch(costly);
      const resume = words(failed.stderr);
      expect(resume.slice(0, 2)).toEqual(['jobs', 'wait']);
      const before = posts(fake);
      answerWith(storage.host('/good', { body: 'the bytes' }), 2);
      expect(await modelsvc(resume)).toMatchObject({ code: 0 });
      expect(posts(fake)).toBe(before);
      expect(await readFile(path, 'utf8')).toBe('the bytes');
      await rm(path);
    }
  });

  it.each([[[]], [['--quiet']], [['--json']]])('images create %j names the link', async (options) => {
    const { fake, modelsvc } = await withFake();
    const url = await linkOf(await storageHost());
    fake.answer('images.generate', { body: { created: 1, id: 'image-1', data: [{ url }] } });
    const { stderr, code } = await modelsvc(['images', 'create', 'cat', '-O', join(await newFolder(), 'cat.png'), '--retries', '0', ...options]);
    expect(code).toBe(exitCode);
    const [, status] = / HTTP (\d+)$/.exec(name) ?? [];
    expect(stderr).toContain(status === undefined ? ' failed: ' : `refused the download with HTTP ${status}`);
    expect(stderr).not.toMatch(costly);
    expect(stderr).toContain(`The result is at ${url}`);
    expect(stderr).toContain('is billed once more');
  });
});

describe.runIf(existsSync('/dev/full'))('a full disk after the bill', () => {
  it('audio speak writes a file in the working folder', async () => {
    const { modelsvc } = await withFake();
    const cwd = await newFolder();
    const { stderr, code } = await modelsvc(['audio', 'speak', 'hello', '-O', '/dev/full'], { cwd });
    expect([stderr, code]).toEqual([expect.stringMatching(/cannot write \/dev\/full: .*; the result is in .*speech\.wav\n$/), 0]);
    expect((await readFile(join(cwd, 'speech.wav'))).toString('latin1')).toMatch(/^RIFF/);
  });

  it.each([
    ['ocr layout', ['ocr', 'layout', 'page.png']],
    ['ocr handwriting', ['ocr', 'handwriting', 'page.png']],
    ['parse sync', ['parse', 'sync', 'page.pdf']],
  ])('%s prints the text that it cannot save', async (_, args) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newFolder();
    await writeFile(join(cwd, 'page.png'), Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1'));
    await writeFile(join(cwd, 'page.pdf'), '%PDF-1');
    const good = await modelsvc(args, { cwd });
    for (const options of [[], ['--json']]) {
      const failed = await modelsvc([...args, '-O', '/dev/full', ...options], { cwd });
      expect(failed.code).toBe(1);
      expect(failed.stdout).toContain(options.length === 0 ? good.stdout : '{');
      expect(failed.stderr).toContain('The result is on stdout.');
      expect(failed.stderr).not.toMatch(costly);
    }
    expect(posts(fake)).toBe(3);
  });

  it.each([
    ['images create', ['images', 'create', 'cat'], 'The result is at '],
    ['videos create', ['videos', 'create', 'cat'], 'Resume with: modelsvc jobs wait '],
    ['parse create', ['parse', 'create', 'page.pdf'], 'Resume with: modelsvc jobs wait '],
  ])('%s names the way', async (_, args, way) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newFolder();
    await writeFile(join(cwd, 'page.pdf'), '%PDF-1');
    const storage = await storageHost();
    const url = storage.host('/b.png', { body: 'x' });
    fake.answer('images.generate', { body: { created: 1, id: 'image-1', data: [{ url }] } });
    fake.task({ kind: 'video', id: 'job-1', states: ['SUCCESS'], result: { video_result: [{ url }] } });
    const { stderr, code } = await modelsvc([...args, '-O', '/dev/full'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(way);
    expect(stderr).not.toMatch(costly);
  });

  it.each([
    ['chat', ['chat', 'hi'], 'The part of the answer that had arrived is in the log: `modelsvc logs show`.'],
    ['chat, as JSON', ['chat', 'hi', '-o', 'json'], 'The answer is in the log: `modelsvc logs show`.'],
    ['messages, at once', ['messages', 'hi', '--no-stream'], 'The answer is in the log: `modelsvc logs show`.'],
    ['responses, as YAML', ['responses', 'hi', '-o', 'yaml'], 'The answer is in the log: `modelsvc logs show`.'],
    ['a video', ['videos', 'create', 'cat', '--wait'], 'Resume with: modelsvc jobs wait '],
  ])('%s: a full stdout has its way', async (_, args, way) => {
    const { fake } = await withFake();
    const home = await newFolder();
    fake.task({ kind: 'video', id: 'job-1', states: ['SUCCESS'], result: { video_result: [{ url: 'https://cdn.test/a.mp4' }] } });
    await using full = await open('/dev/full', 'w');
    const env = { PATH: process.env['PATH'], HOME: home, SVC_API_KEY: fakeKey };
    const child = spawn(process.execPath, ['--import', guard(), program, ...args, '--base-url', fake.url], {
      cwd: home,
      env,
      stdio: ['ignore', full.fd, 'pipe'],
    });
    const stderr = await text(child.stderr as Readable);
    expect(stderr).toContain('the disk is full');
    expect(stderr).toContain(way);
    expect(stderr).not.toMatch(costly);
    expect(posts(fake)).toBe(1);
  });
});
