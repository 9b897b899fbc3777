import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Config, isModelsvcError, mapCalls, newClient } from '../../src/overlay/index.ts';
import { type FakeService, startFakeService } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';

const bad: [name: string, value: unknown, field: string][] = [
  ['0', 0, 'concurrency'],
  ['-1', -1, 'concurrency'],
  ['NaN', Number.NaN, 'concurrency'],
  ['Infinity', Number.POSITIVE_INFINITY, 'concurrency'],
  ['1.5', 1.5, 'concurrency'],
  ['an unknown word', 'fast', 'concurrency'],
  ['text', '4', 'concurrency'],
  ['true', true, 'concurrency'],
  ['null', null, 'concurrency'],
  ['a list', [4], 'concurrency'],
  ['a function', () => 4, 'concurrency'],
  ['an unknown option', { limit: 4 }, 'concurrency.limit'],
  ['max 0', { max: 0 }, 'concurrency.max'],
  ['max as text', { max: '4' }, 'concurrency.max'],
  ['start 0', { start: 0 }, 'concurrency.start'],
  ['start NaN', { start: Number.NaN }, 'concurrency.start'],
  ['maxQueue -1', { maxQueue: -1 }, 'concurrency.maxQueue'],
  ['queueTimeout -1', { queueTimeout: -1 }, 'concurrency.queueTimeout'],
  ['queueTimeout NaN', { queueTimeout: Number.NaN }, 'concurrency.queueTimeout'],
  ['queueTimeout of a year', { queueTimeout: 365 * 86_400_000 }, 'concurrency.queueTimeout'],
  ['perModel as a number', { perModel: 4 }, 'concurrency.perModel'],
  ['perModel as a list', { perModel: [4] }, 'concurrency.perModel'],
  ['perModel as a Map', { perModel: new Map([['glm-4.7', 2]]) }, 'concurrency.perModel'],
  ['perModel null', { perModel: null }, 'concurrency.perModel'],
  ['perModel 0', { perModel: { 'glm-4.7': 0 } }, 'concurrency.perModel.glm-4.7'],
  ['perModel undefined', { perModel: { 'glm-4.7': undefined } }, 'concurrency.perModel.glm-4.7'],
];

test.each(bad)('concurrency: %s is a ConfigError that names the field', async (_name, concurrency, field) => {
  const error = await failure((async () => newClient({ apiKey: 'k', concurrency } as Config))());
  expect(isModelsvcError(error, 'config')).toBe(true);
  expect((error as Error).message.startsWith(`${field} `)).toBe(true);
});

test('concurrency.limiter is a ConfigError of one sentence that names what shares a limit', () => {
  const limiter = { acquire: () => expect.unreachable() };
  const made = (): unknown => newClient({ apiKey: 'k', concurrency: { max: 4, limiter } } as Config);
  expect(made).toThrow(
    /^concurrency\.limiter is gone: BullMQ shares the limit of a key among processes, see docs\/guides\/job-queue\.md of this package$/,
  );
  // From plain JavaScript, an absent one is not an option.
  newClient({ apiKey: 'k', concurrency: { max: 4, limiter: undefined } } as Config);
});

test.each<[string, Config['concurrency']]>([
  ['a number', 4],
  ['auto', 'auto'],
  ['no options', {}],
  ['all options', { max: 8, start: 20, perModel: { 'glm-4.7': 2 }, maxQueue: 1, queueTimeout: 0 }],
  ['absent options', { max: undefined, start: undefined, perModel: undefined } as never],
  ['undefined', undefined],
])('concurrency: %s is accepted', (_name, concurrency) => {
  newClient({ apiKey: 'k', ...(concurrency !== undefined && { concurrency }) });
});

describe('a bad context', () => {
  let fake: FakeService;
  beforeAll(async () => {
    fake = await startFakeService();
  });
  afterAll(() => fake.close());

  test.each<[string, object, string]>([
    ['priority NaN', { priority: Number.NaN }, 'ctx.priority'],
    ['priority Infinity', { priority: Number.POSITIVE_INFINITY }, 'ctx.priority'],
    ['priority as text', { priority: '1' }, 'ctx.priority'],
    ['priority null', { priority: null }, 'ctx.priority'],
    ['queueTimeout -1', { queueTimeout: -1 }, 'ctx.queueTimeout'],
    ['queueTimeout as text', { queueTimeout: '1 s' }, 'ctx.queueTimeout'],
  ])('%s is a ValidationError that names the field, and no request is sent', async (_name, ctx, field) => {
    for (const config of [{}, { concurrency: 'auto' as const }]) {
      const client = newClient(fake.configFor(config));
      const error = await failure(client.chat().createSimple(ctx, 'glm-5.2', 'hi'));
      expect(isModelsvcError(error, 'validation') && error.path).toBe(field);
    }
    expect(fake.requests).toEqual([]);
  });
});

test.each<[string, unknown[], string]>([
  ['no items', [undefined, async () => 1], 'items'],
  ['a number', [4, async () => 1], 'items'],
  ['an object', [{}, async () => 1], 'items'],
  ['no call', [[1], undefined], 'call'],
  ['an unknown option', [[1], async () => 1, { atOnce: 4 }], 'options.atOnce'],
  ['options that are a number', [[1], async () => 1, 4], 'options'],
  ['ahead 0', [[1], async () => 1, { ahead: 0 }], 'ahead'],
  ['ahead NaN', [[1], async () => 1, { ahead: Number.NaN }], 'ahead'],
])('mapCalls with %s is a ValidationError that names the field', async (_name, input, field) => {
  const error = await failure((mapCalls as (...values: unknown[]) => ReturnType<typeof mapCalls>)(...input).next());
  expect(isModelsvcError(error, 'validation') && error.path).toBe(field);
});
