import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/overlay/call/settings/settings.ts';
import { type ModelRow, newClient } from '../../src/overlay/index.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { collect, failureOf } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('configuration', () => {
  it('an empty list of hooks has the effect of no hooks', async () => {
    const { fake } = await openFake();
    for (const hooks of [[], undefined]) {
      const config = hooks === undefined ? fake.configFor() : fake.configFor({ hooks });
      fake.chat.reply('hello').reply('hello');
      expect((await newClient(config).chat().create(undefined, hello)).choices[0]?.message.content).toBe('hello');
      expect((await collect(newClient(config).chat().stream(undefined, hello))).error).toBeUndefined();
    }
  });
});

describe('Config.models', () => {
  it.each<[name: string, models: unknown, message: string]>([
    ['no list', { id: 'glm-0' }, 'models must be an array of rows, each with at least { id }'],
    ['a row that is an id', ['glm-0'], 'models[0] must be an object with at least { id }'],
    ['a row without an id', [{ id: 'glm-0' }, { context_tokens: 5 }], 'models[1].id is required'],
    ['an empty id', [{ id: '' }], 'models[0].id must not be empty'],
    ['an id of another type', [{ id: 6 }], 'models[0].id must be a string'],
    ['an id twice', [{ id: 'glm-0' }, { id: 'glm-7' }, { id: 'glm-0' }], 'models[2].id of glm-0 is also the id of models[0]'],
    ['an unknown field', [{ id: 'glm-0', context: 5 }], 'models[0].context of glm-0 is unknown; did you mean context_tokens?'],
    ['a misspelt field', [{ id: 'glm-0', contex_tokens: 5 }], 'models[0].contex_tokens of glm-0 is unknown; did you mean context_tokens?'],
    ['a misspelt price', [{ id: 'glm-0', price: { inputs: 5 } }], 'models[0].price.inputs of glm-0 is unknown; did you mean input?'],
    ['a context as text', [{ id: 'glm-0', context_tokens: '1M' }], 'models[0].context_tokens of glm-0 must be an integer'],
    ['a context of 0', [{ id: 'glm-0', context_tokens: 0 }], 'models[0].context_tokens of glm-0 must be at least 1'],
    ['a price as text', [{ id: 'glm-0', price: { input: '1.40' } }], 'models[0].price.input of glm-0 must be a number'],
    ['a price that is NaN', [{ id: 'glm-0', price: { input: Number.NaN } }], 'models[0].price.input of glm-0 must be a number'],
    ['an infinite price', [{ id: 'glm-0', price: { output: Number.POSITIVE_INFINITY } }], 'models[0].price.output of glm-0 must be a number'],
    ['a price below 0', [{ id: 'glm-0', price: { cached_input: -1 } }], 'models[0].price.cached_input of glm-0 must be at least 0'],
    ['a price of null', [{ id: 'glm-0', price: { input: null } }], 'models[0].price.input of glm-0 must not be null: leave the field out'],
    ['a field of null', [{ id: 'glm-0', price: null }], 'models[0].price of glm-0 must not be null: leave the field out'],
    ['credits without output', [{ id: 'glm-0', credits: { input: 1, cached_input: 1 } }], 'models[0].credits.output of glm-0 is required'],
    ['a thinking word', [{ id: 'glm-0', thinking: 'maybe' }], 'models[0].thinking of glm-0 must be one of always, switchable, none'],
    ['a status word', [{ id: 'glm-0', status: 'new' }], 'models[0].status of glm-0 must be one of current, leaving, old'],
    ['capabilities as text', [{ id: 'glm-0', capabilities: 'text' }], 'models[0].capabilities of glm-0 must be an array'],
    ['a word as a number', [{ id: 'glm-0', effort: ['low', 5] }], 'models[0].effort[1] of glm-0 must be a string'],
    ['a date in words', [{ id: 'glm-0', as_of: 'November' }], 'models[0].as_of of glm-0 must match'],
    ['a function', [{ id: 'glm-0', price: () => 5 }], 'models[0] must be plain data'],
  ])('with %s is one ConfigError that names row and field, and no request is sent', async (_name, models, message) => {
    const { fake } = await openFake();
    const error = await failureOf(() =>
      newClient(fake.configFor({ models: models as ModelRow[] }))
        .chat()
        .create(undefined, hello),
    );
    expect(error).toSatisfy(ofKind('config'));
    expect((error as Error).message.startsWith(message)).toBe(true);
    expect(fake.requests).toEqual([]);
  });

  it('is copied, and a long id is cut in the error', async () => {
    const price = { input: 1, output: 0 };
    const row = { id: 'glm-0', price, family: undefined, as_of: '2026-11', source: ['release note'], thinking: 'always' as const };
    const rows: object[] = [row];
    const { models, config } = resolveConfig({ apiKey: 'any', models: rows as ModelRow[] });
    price.input = 99;
    rows.push({ id: 'glm-7', bad: true });
    const { family: _family, ...given } = row;
    expect([...models]).toEqual([['glm-0', { ...given, price: { input: 1, output: 0 } }]]);
    expect(resolveConfig(config).models).toEqual(models);
    expect(resolveConfig({ apiKey: 'any' }).models.size).toBe(0);
    const long = await failureOf(() => newClient({ apiKey: 'any', models: [{ id: 'x'.repeat(5000), kind: '' }] }));
    expect((long as Error).message.length).toBeLessThan(200);
  });

  it('never refuses a model without a row', async () => {
    const { fake } = await openFake();
    fake.chat.reply('hello');
    const reply = await newClient(fake.configFor({ models: [{ id: 'glm-0' }] }))
      .chat()
      .create(undefined, { ...hello, model: 'glm-99' });
    expect(reply.choices[0]?.message.content).toBe('hello');
  });
});
