import { expect } from 'vitest';
import type { Client } from '../../src/overlay/index.ts';
import type { FakeService } from '../../src/testing/index.ts';

/** A client that passes altered values to its services. Accessors have no arguments and are unchanged. */
export function altered(client: Client, alter: (values: unknown[]) => unknown[]): Client {
  const wrap = (owner: object): object =>
    new Proxy(owner, {
      get: (_, name) => {
        const value: unknown = Reflect.get(owner, name);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]) => (values.length === 0 ? wrap(value.call(owner)) : value.apply(owner, alter(values)));
      },
    });
  return wrap(client) as Client;
}

export function expectNothingSent(fake: FakeService): void {
  expect(fake.requests).toEqual([]);
  expect(fake.sockets).toBe(0);
}
