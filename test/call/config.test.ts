import { describe, expect, it } from 'vitest';
import { type Config, isConfigError, newClient } from '../../src/overlay/index.ts';
import { openFake } from '../support/fake.ts';
import { collect, failureOf } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('configuration', () => {
  it.each([
    ['disableToolSchemaCompat', 'no'],
    ['disableToolSchemaCompat', 1],
    ['endpoints', null],
    ['endpoints', 5],
    ['endpoints', ['https://gateway.test']],
    ['endpoints', 'gateway.test'],
    ['endpoints', ''],
  ])('%s as %j is a ConfigError that names it', async (field, value) => {
    const error = await failureOf(() => newClient({ apiKey: 'any', [field]: value } as Config));
    expect(error).toSatisfy(isConfigError);
    expect((error as Error).message.startsWith(field)).toBe(true);
  });

  it('hooks as an empty list, or none, change nothing', async () => {
    const { fake } = await openFake();
    for (const hooks of [[], undefined]) {
      const config = hooks === undefined ? fake.configFor() : fake.configFor({ hooks });
      fake.chat.reply('hello').reply('hello');
      expect((await newClient(config).chat().create(undefined, hello)).choices[0]?.message.content).toBe('hello');
      expect((await collect(newClient(config).chat().stream(undefined, hello))).error).toBeUndefined();
    }
  });
});
