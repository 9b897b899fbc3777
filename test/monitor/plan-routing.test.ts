import { expect } from 'vitest';
import { planRouting } from '../../src/monitor/index.ts';
import { test } from '../support/fixture.ts';

test.for([
  ['glm-4.7', 'glm-5.3-flash', true],
  ['glm-5.1', 'glm-5.3', true],
  ['glm-5.3', 'glm-5.3', false],
])('the coding root answers %s with %s', async ([asked, answered, rerouted], { fake, client }) => {
  const coding = client.with({ baseURL: `${fake.url}/api/coding/paas/v4` });
  const reply = await coding.chat().createSimple(undefined, asked as string, 'hi');
  expect(planRouting(asked as string, reply)).toEqual({ asked, answered, expected: answered, rerouted });
});

test.for([
  ['GLM-5.3', { model: 'glm-5.3' }, 'glm-5.3', 'glm-5.3', false],
  ['glm-5.3', { type: 'message_start', message: { model: 'glm-5.3-flash' } }, 'glm-5.3-flash', 'glm-5.3', true],
  ['new', { type: 'response.created', response: { model: 'glm-5.3' } }, 'glm-5.3', undefined, true],
  ['glm-4.7', { model: null, choices: [] }, undefined, 'glm-5.3-flash', undefined],
  ['glm-4.7', null, undefined, 'glm-5.3-flash', undefined],
] as const)('%s, answered by %j', ([asked, reply, answered, expected, rerouted]) => {
  expect(planRouting(asked, reply as object)).toEqual({ asked, answered, expected, rerouted });
});
