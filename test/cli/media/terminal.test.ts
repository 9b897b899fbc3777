import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeKey } from '../../../src/testing/index.ts';
import { program, withFake } from '../support/run.ts';
import { fileHost, newFolder } from './support.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs the program in a pseudo-terminal of `script`. */
async function inTerminal(args: readonly string[], onOutput: (output: string) => void = () => undefined): Promise<string> {
  const command = ['stty cols 80;', 'exec', process.execPath, program, ...args].join(' ');
  const env = { PATH: process.env['PATH'] ?? '', HOME: await newFolder(), SVC_API_KEY: fakeKey, TERM: 'xterm' };
  const child: ChildProcessWithoutNullStreams = spawn('script', ['-qec', command, '/dev/null'], { env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput(output);
  });
  await new Promise((resolve) => child.on('close', resolve));
  return output;
}

describe.skipIf(!hasScript)('on a terminal', () => {
  it('a wait shows the state, and a download its bytes', async () => {
    const { fake } = await withFake();
    let held: ServerResponse | undefined;
    const host = await fileHost((_request, response) => {
      response.writeHead(200, { 'content-length': '2000000' });
      response.write(new Uint8Array(1_000_000));
      held = response;
    });
    fake.task({ kind: 'video', id: 'v1', states: ['PROCESSING', 'PROCESSING', 'SUCCESS'], result: { video_result: [{ url: `${host.url}/v.mp4` }] } });
    const path = join(await newFolder(), 'v.mp4');
    const output = await inTerminal(['videos', 'wait', 'v1', '--base-url', fake.url, '-O', path], (text) => {
      // The rest is sent once the progress is on the screen.
      if (text.includes('50 %')) held?.end(new Uint8Array(1_000_000));
    });
    expect(output).toMatch(/PROCESSING, \d+ s/);
    expect(output).toContain('downloading v.mp4: 1.0 MB of 2.0 MB, 50 %');
    // The progress line is removed before the path is printed.
    expect(output.trimEnd().endsWith(`\r\x1b[2K${path}`)).toBe(true);
  });

  it('binary results are refused', async () => {
    const { fake } = await withFake();
    expect(await inTerminal(['audio', 'speak', 'Hello', '-O', '-', '--base-url', fake.url])).toContain('modelsvc: -O -: stdout is a terminal');
    expect(fake.requests).toHaveLength(0);
  });

  it('control characters of a job are removed', async () => {
    const { fake } = await withFake();
    fake.task({
      kind: 'chat',
      id: 'c1',
      states: ['SUCCESS'],
      result: { choices: [{ index: 0, message: { role: 'assistant', content: 'a\x1b[2Jb' } }] },
    });
    expect(await inTerminal(['wait', 'c1', '--base-url', fake.url])).toBe('ab\r\n');
  });
});
