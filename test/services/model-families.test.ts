// A model without a row, whose id begins with a known one: its thinking, effort and refusals are those of the family, its price and limits are not.
import { expect, it, onTestFinished } from 'vitest';
import { effortFacts } from '../../src/generated/effort.ts';
import { modelFacts } from '../../src/overlay/call/request/effort.ts';
import { estimateCost, newClient } from '../../src/overlay/index.ts';
import { configFor, startFakeService } from '../../src/testing/index.ts';

const none = { endpoints: {} as never, models: new Map() };

it('each known id gives its variants its thinking, and not the model that answers on a plan', () => {
  const ids = Object.keys(effortFacts);
  for (const id of ids)
    for (const end of ['-new', '.9z', ':latest', '[1m]']) {
      for (const model of [id + end, (id + end).toUpperCase()]) {
        if (ids.includes(model)) continue;
        const { plan_model: _, ...facts } = effortFacts[id] ?? {};
        expect(modelFacts(none, model), model).toEqual(facts);
      }
    }
});

it('the longest known id counts, an exact row always, and other endings are other models', () => {
  expect(modelFacts(none, 'glm-5.3-flashx-legal')).toEqual({ thinking: 'always', effort: ['low', 'high', 'max'], family: 'GLM-5', sees: true });
  expect(modelFacts(none, 'glm-4.5-x')).toBe(effortFacts['glm-4.5-x']);
  for (const model of ['glm-52', 'glm-5 new', 'xglm-5.3', 'glm', '', 'toString', '__proto__', 'other'])
    expect(modelFacts(none, model), model).toBeUndefined();
  const own = { endpoints: {} as never, models: new Map([['glm-5.3-fast', { id: 'glm-5.3-fast', thinking: 'none' as const }]]) };
  expect(modelFacts(own, 'glm-5.3-fast')).toEqual({ id: 'glm-5.3-fast', thinking: 'none' });
  expect(modelFacts(own, 'glm-5.3-fast-b')).toMatchObject({ thinking: 'none' });
});

it('is sent the words of its family, which refuses others; it has no price', async () => {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  const client = newClient(configFor(fake.url));
  const ask = { model: 'glm-5.3-flashx-legal', messages: [{ role: 'user' as const, content: 'hi' }] };
  await client.chat().create(undefined, { ...ask, effort: 'off' });
  expect(fake.requests[0]?.body).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'low' });
  await expect(client.chat().create(undefined, { ...ask, reasoning_effort: 'none' } as never)).rejects.toMatchObject({ code: '1210' });
  expect(estimateCost(ask.model, { prompt_tokens: 1, completion_tokens: 1 })).toBeUndefined();
});
