import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();
const stop = new Error('of the user');
const rejecting = (): Promise<never> => Promise.reject(stop);
const running = { body: { id: 'task-1', task_status: 'PROCESSING' } };

describe.each(transports)('over $transport', ({ overrides }) => {
  const client = (): ReturnType<typeof newClient> => newClient(fake.configFor(overrides));

  test('an upload goes on if its async onProgress rejects', async () => {
    const rejections = strictRejections();
    const file = new Blob(['{}\n']);
    await client().files().upload(undefined, { file, filename: 'a.jsonl', purpose: 'batch', onProgress: rejecting });
    expect(await rejections.settled()).toEqual([]);
  });

  test('a download goes on if its async onProgress rejects', async () => {
    const rejections = strictRejections();
    fake.answer('files.content', { body: new Uint8Array(1000) });
    const reply = await client().files().content(undefined, 'file-1');
    expect(await reply.bytes({ onProgress: rejecting })).toHaveLength(1000);
    expect(await rejections.settled()).toEqual([]);
  });

  test('a wait rejects with the error of its async onState', async () => {
    const rejections = strictRejections();
    fake.answer('client.getAsyncResult', running);
    const error = await failureOf(() => client().waitForResult(undefined, 'task-1', { onState: rejecting }));
    expect(error).toBe(stop);
    expect(await rejections.settled()).toEqual([]);
  });

  test('an abort and maxWait end a wait whose onState does not settle', async () => {
    const hanging = (): Promise<never> => new Promise(() => {});
    fake.answer('client.getAsyncResult', running, running);
    const controller = new AbortController();
    const onState = (): Promise<never> => {
      controller.abort();
      return hanging();
    };
    expect(await failureOf(() => client().waitForResult(controller.signal, 'task-1', { onState }))).toSatisfy(ofKind('abort'));
    expect(await failureOf(() => client().waitForResult(undefined, 'task-1', { maxWait: 500, onState: hanging }))).toSatisfy(ofKind('task'));
  });
});
