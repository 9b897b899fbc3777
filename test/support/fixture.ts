import { test as base, inject } from 'vitest';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { configFor, type FakeService } from '../../src/testing/index.ts';
import { openFake } from './fake.ts';

interface Fixture {
  readonly opened: { readonly fake: FakeService; readonly client: Client };
  /** A fake service for this test alone. */
  readonly fake: FakeService;
  /** A client of `fake`. */
  readonly client: Client;
  /** A client of Prism, which the whole run shares. */
  readonly mocked: Client;
}

/** A test with a fake service and its client. The fixtures that its function names are opened before the test and closed after it. */
export const test = base.extend<Fixture>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of what a fixture needs
  opened: async ({}, use) => use(await openFake()),
  fake: ({ opened }, use) => use(opened.fake),
  client: ({ opened }, use) => use(opened.client),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  mocked: async ({}, use) => {
    const client = newClient(configFor(inject('mockUrl')));
    await use(client);
    await client.close();
  },
});
