// A host that serves results of the service, and folders for the files of a test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FakeService, startFakeService } from '../../src/testing/index.ts';

/** A second fake service, for files alone: another origin than the service, which must not get the key. It closes with the test. */
export async function storageHost(): Promise<FakeService> {
  const storage = await startFakeService({ models: 'any' });
  onTestFinished(() => storage.close());
  return storage;
}

/** A folder that is removed after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
