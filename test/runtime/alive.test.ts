import { expect, onTestFinished, test } from 'vitest';
import { fakeKey, startFakeService } from '../../src/testing/index.ts';
import { childOutcome } from '../support/child.ts';

const chunk = (delta: object, ending?: string): object => ({ id: '1', choices: [{ index: 0, delta, finish_reason: ending ?? null }] });

/** A service whose stream stops after one frame, and the URL that makes it go on: its reader has stopped by then. */
async function service(): Promise<{ readonly url: string; readonly goOnUrl: string }> {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  let goOn = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (goOn = resolve));
  async function* frames(): AsyncGenerator<string | object> {
    yield chunk({ content: 'hi' });
    await isAsked;
    yield chunk({}, 'stop');
    yield 'data: [DONE]\n\n';
  }
  fake.answer('chat.create', { frames: frames() }, { turn: { text: 'hi' } });
  return { url: fake.url, goOnUrl: fake.host('/go-on', () => void goOn()) };
}

test.each([30_000, 0])('a call that waits for the socket of an unread stream keeps its process alive, with a timeout of %d', async (timeout) => {
  const { url, goOnUrl } = await service();
  const { stdout } = await childOutcome(`
    import { spawn } from 'node:child_process';
    const client = newClient({ apiKey: '${fakeKey}', baseURL: '${url}', maxSockets: 1, timeout: ${timeout} });
    const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
    const stream = client.chat().stream(undefined, request);
    await stream.next();
    const reply = client.chat().create(undefined, request);
    // A process of its own, which does not keep this one alive either, ends the stream.
    spawn(process.execPath, ['-e', 'fetch("${goOnUrl}")'], { stdio: 'ignore' }).unref();
    console.log((await reply).choices[0].message.content);
    for await (const item of stream) console.log(item.choices[0].finish_reason);
  `);
  expect(stdout).toBe('hi\nstop\n');
});
