// A model without a row, whose id begins with a known one: its thinking, effort and refusals are the family's, its price and limits are not.
import { expect, it, onTestFinished } from 'vitest';
import { effortFacts } from '../../src/generated/effort.ts';
import { catalogue } from '../../src/generated/models.ts';
import { modelFacts } from '../../src/overlay/errors/model-family.ts';
import { estimateCost, newClient } from '../../src/overlay/index.ts';
import { configFor, startFakeService } from '../../src/testing/index.ts';

const chat = catalogue.filter(({ kind }) => kind === 'chat');

it("each row of the catalogue has its own columns, also where they equal its family's", () => {
  for (const { id, thinking, effort, plan_model, family, capabilities } of chat.filter((row) => row.thinking))
    expect(modelFacts(id), id).toEqual({ thinking, effort, plan_model, family, sees: capabilities?.includes('vision') || undefined });
});

it('no chat row of the catalogue has only what its family gives', () => {
  const own = ({ context_tokens, max_output_tokens, price, thinking, plan_model, status, source }: (typeof chat)[number]) =>
    JSON.stringify([context_tokens, max_output_tokens, price, thinking, plan_model, status, source]);
  const repeated = chat.filter((row) => chat.some((other) => other !== row && row.id.startsWith(`${other.id}-`) && own(other) === own(row)));
  expect(repeated.map(({ id }) => id)).toEqual([]);
});

it('each known id gives its variants its thinking, and not the model that answers on a plan', () => {
  const ids = Object.keys(effortFacts);
  for (const id of ids)
    for (const end of ['-new', '.9z', ':latest', '[1m]']) {
      for (const model of [id + end, (id + end).toUpperCase()]) {
        if (chat.some((row) => row.id === model)) continue;
        const { plan_model: _, ...facts } = effortFacts[id] ?? {};
        expect(modelFacts(model), model).toEqual(facts);
      }
    }
});

it('the longest known id counts, an exact row always, and other endings are other models', () => {
  expect(modelFacts('glm-5.3-flashx-legal')).toEqual({ thinking: 'always', effort: ['low', 'high', 'max'], family: 'GLM-5', sees: true });
  expect(modelFacts('glm-5.1')).toBe(effortFacts['glm-5.1']);
  for (const model of ['glm-52', 'glm-5 new', 'xglm-5.3', 'glm', '', 'toString', '__proto__', 'other'])
    expect(modelFacts(model), model).toBeUndefined();
  const own = new Map([
    ['glm-5.3-fast', { id: 'glm-5.3-fast', thinking: 'none' as const }],
    ['glm-5.3-dear', { id: 'glm-5.3-dear', price: { input: 9 } }],
  ]);
  expect(modelFacts('glm-5.3-fast', own)).toEqual({ id: 'glm-5.3-fast', thinking: 'none' });
  expect(modelFacts('glm-5.3-fast-b', own)).toMatchObject({ thinking: 'none' });
  expect(modelFacts('glm-5.3-dear', own)).toMatchObject({ thinking: 'always', effort: ['low', 'high', 'max'], price: { input: 9 } });
});

it('is sent the words of its family, which refuses others; it has no price', async () => {
  const fake = await startFakeService({ models: ['glm-5.3-flashx-new'] });
  onTestFinished(() => fake.close());
  const client = newClient(configFor(fake.url));
  const ask = { model: 'glm-5.3-flashx-new', messages: [{ role: 'user' as const, content: 'hi' }] };
  await client.chat().create(undefined, { ...ask, effort: 'off' });
  expect(fake.requests[0]?.body).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'low' });
  await expect(client.chat().create(undefined, { ...ask, reasoning_effort: 'none' } as never)).rejects.toMatchObject({ code: '1210' });
  expect(estimateCost(ask.model, { prompt_tokens: 1, completion_tokens: 1 })).toBeUndefined();
  // A row without thinking, of the catalogue: only its price is its own.
  const legal = { ...ask, model: 'glm-5.3-flashx-legal' };
  await client.chat().create(undefined, { ...legal, effort: 'off' });
  expect(fake.requests.at(-1)?.body).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'low' });
  await expect(client.chat().create(undefined, { ...legal, reasoning_effort: 'none' } as never)).rejects.toMatchObject({ code: '1210' });
  expect(estimateCost(legal.model, { prompt_tokens: 1_000_000, completion_tokens: 0 })).toBe(0.37);
});
