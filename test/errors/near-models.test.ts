// A model that the service does not know: a slip of letters gets a suggestion, another number does not.
import { expect, test } from 'vitest';
import { effortFacts } from '../../src/generated/effort.ts';
import { newClient } from '../../src/overlay/index.ts';
import { surfaces } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

const names = Object.keys(effortFacts);

test.each(surfaces)('$surface', async (driver) => {
  const { fake } = await openFake({}, { models: 'known' });
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  const hintFor = async (model: string): Promise<string | undefined> => {
    const error = await failure(driver.service(client).create(undefined, driver.request('hi', { model }) as never));
    expect(String(error)).toMatch(/code (1211|model_not_found)/);
    return /Did you mean (.*)\?/.exec(String(error))?.[1];
  };
  for (const [slip, meant] of [
    ['gml-5.3', 'glm-5.3'],
    ['glm5.3', 'glm-5.3'],
    ['glm-5.3-falsh', 'glm-5.3-flash'],
    ['GLM_5.2', 'glm-5.2'],
    ['glm-5.9', undefined],
    ['glm-5.33', undefined],
    ['gpt-4o', undefined],
  ] as const)
    expect([slip, await hintFor(slip)]).toEqual([slip, meant]);
  expect(names).toContain('glm-5.3');
});
