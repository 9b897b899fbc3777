import { afterAll, afterEach } from 'vitest';
import { type FakeService, startFakeService } from '../../src/testing/index.ts';

/** A fake service for all tests of a file: idle and reset after each, closed at the end. */
export async function sharedFake(): Promise<FakeService> {
  const fake = await startFakeService();
  afterEach(async () => {
    // Whatever happened, nobody is still reading.
    await fake.idle();
    fake.reset();
  });
  afterAll(() => fake.close());
  return fake;
}
