import { afterAll, afterEach, onTestFinished } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';
import { type FakeOptions, type FakeService, startFakeService } from '../../src/testing/index.ts';

/** Most tests are not about models, and some have made-up ones. */
const anyModel: FakeOptions = { models: 'any' };

/** A fake service for all tests of a file: idle and reset after each, closed at the end. */
export async function sharedFake(options?: FakeOptions): Promise<FakeService> {
  const fake = await startFakeService({ ...anyModel, ...options });
  afterEach(async () => {
    // No request may be in flight after a test, however it ended.
    await fake.idle();
    fake.reset();
  });
  afterAll(() => fake.close());
  return fake;
}

/** A fake service for one test, and a client of it; both end with the test. */
export async function openFake(config?: Partial<Config>, options?: FakeOptions): Promise<{ readonly fake: FakeService; readonly client: Client }> {
  const fake = await startFakeService({ ...anyModel, ...options });
  const client = newClient(fake.configFor(config));
  onTestFinished(async () => {
    client.close();
    await fake.close();
  });
  return { fake, client };
}
