// A host that serves results of the service, and folders for the files of a test.
import { onTestFinished } from 'vitest';
import { type FakeService, startFakeService } from '../../../src/testing/index.ts';
import { newHome } from '../support/run.ts';

/** A second fake service, for files alone: another origin than the service, which must not get the key. It closes with the test. */
export async function storageHost(): Promise<FakeService> {
  const storage = await startFakeService();
  onTestFinished(() => storage.close());
  return storage;
}

/** A folder that is removed after the test. */
export const newFolder: () => Promise<string> = newHome;
