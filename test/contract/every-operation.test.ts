import { afterAll, describe, expect, inject, test } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { newClient, RegionChina, RegionGlobal } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { everyOperation } from '../support/every-operation.ts';

const covered = new Set<string>();
afterAll(() => {
  console.log(`operations covered against the mock: ${covered.size} of ${allRoutes.length} in the spec`);
});

describe.each([RegionGlobal, RegionChina])('region %s', (region) => {
  test.each(Object.entries(everyOperation))('%s: the request is one that the spec allows, and its reply is read', async (id, { perform }) => {
    const client = newClient(configFor(inject('mockUrl'), { region, maxRetries: 0 }));
    await expect(perform(client)).resolves.toBeDefined();
    covered.add(id);
  });
});

test('every operation of the spec is among them', () => {
  expect([...covered].sort()).toEqual(allRoutes.map((route) => route.id).sort());
});
