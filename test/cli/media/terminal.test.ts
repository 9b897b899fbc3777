import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { withFake } from '../support/in-process.ts';
import { hasPty, openPty, runInPty } from '../support/pty.ts';

const env = { SVC_API_KEY: fakeKey };

describe.runIf(hasPty)('on a terminal', () => {
  it('a wait shows the state, and a download its bytes', async () => {
    const { fake } = await withFake();
    const storage = await storageHost();
    let goOn = (): void => undefined;
    const half = new Promise<void>((resolve) => (goOn = resolve));
    async function* video(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1_000_000);
      await half;
      yield new Uint8Array(1_000_000);
    }
    const url = storage.host('/v.mp4', { body: video(), headers: { 'content-length': '2000000' } });
    fake.task({ kind: 'video', id: 'v1', states: ['PROCESSING', 'PROCESSING', 'SUCCESS'], result: { video_result: [{ url }] } });
    const path = join(await newFolder(), 'v.mp4');
    const terminal = await openPty(['jobs', 'wait', 'v1', '--base-url', fake.url, '-O', path], { env });
    // The rest is sent once the progress is on the screen.
    await terminal.shows('50 %');
    goOn();
    const { screen, code } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).toMatch(/PROCESSING, \d+ s/);
    expect(screen).toContain('downloading v.mp4: 1.0 MB of 2.0 MB, 50 %');
    // The progress line is removed before the path is printed.
    expect(screen.trimEnd().endsWith(`\r\x1b[2K${path}`)).toBe(true);
  });

  it('binary results are refused', async () => {
    const { fake } = await withFake();
    const { screen, code } = await runInPty(['audio', 'speak', 'Hello', '-O', '-', '--base-url', fake.url], { env });
    expect(code).toBe(2);
    expect(screen).toContain('-O -: stdout is a terminal');
    expect(fake.requests).toHaveLength(0);
  });
});
