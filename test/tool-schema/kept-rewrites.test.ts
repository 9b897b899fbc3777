import { beforeEach, describe, expect, test, vi } from 'vitest';
import { newClient, newFunctionTool, sanitizeToolSchemas } from '../../src/overlay/index.ts';
import * as normalize from '../../src/overlay/tool-schema/normalize.ts';
import type { JsonSchema } from '../../src/types/index.ts';
import { openFake } from '../support/fake.ts';

// The rewriter itself, with a count of its runs.
vi.mock(import('../../src/overlay/tool-schema/normalize.ts'), async (original) => {
  const real = await original();
  return { ...real, normalizeToolSchema: vi.fn(real.normalizeToolSchema) };
});
const runs = vi.mocked(normalize.normalizeToolSchema);
beforeEach(() => void runs.mockClear());

const hello = { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'hi' }] };
const union = (name: string): JsonSchema => ({ type: 'object', properties: { [name]: { anyOf: [{ type: 'string' }, { type: 'null' }] } } });
const flat = (name: string): JsonSchema => ({ type: 'object', properties: { [name]: { type: 'string' } } });
const rewritten = (schema: JsonSchema): JsonSchema => sanitizeToolSchemas([{ input_schema: schema }])[0]?.input_schema as JsonSchema;

test('the same tools are rewritten once, whichever call, surface and client sends them', async () => {
  const { fake } = await openFake();
  const [one, other] = [newClient(fake.configFor()), newClient(fake.configFor())];
  for (const client of [one, other, one]) {
    await client.chat().create(undefined, { ...hello, tools: ['a', 'b'].map((name) => newFunctionTool(name, '', union(name))) });
    await client.anthropic().create(undefined, { ...hello, max_tokens: 64, tools: [{ name: 'a', input_schema: union('a') }] } as never);
  }
  expect(runs).toHaveBeenCalledTimes(2);
  const bodies = fake.requests.map(({ body }) => (body as { tools: { function?: { parameters: unknown }; input_schema?: unknown }[] }).tools);
  for (const [index, tools] of bodies.entries())
    expect(tools.map((tool) => tool.function?.parameters ?? tool.input_schema)).toEqual(index % 2 === 0 ? [flat('a'), flat('b')] : [flat('a')]);
});

describe('a kept rewrite', () => {
  test('is dropped when the object has changed since', () => {
    const schema = union('before') as { properties: Record<string, unknown> };
    expect(rewritten(schema as never)).toEqual(flat('before'));
    schema.properties = union('after')['properties'] as Record<string, unknown>;
    expect(rewritten(schema as never)).toEqual(flat('after'));
    expect(runs).toHaveBeenCalledTimes(2);
  });

  test('is not changed by a caller who changes the result', () => {
    const first = rewritten(union('own')) as { properties: Record<string, unknown> };
    first.properties['own'] = { type: 'number' };
    const second = rewritten(union('own'));
    expect(second).toEqual(flat('own'));
    expect(rewritten(union('own'))).not.toBe(second);
    expect(runs).toHaveBeenCalledTimes(1);
  });

  test('belongs to the JSON that would be sent: objects of one text have one result', () => {
    const made = { toJSON: () => union('text') };
    expect([rewritten(union('text')), rewritten({ ...union('text'), default: undefined })]).toEqual([flat('text'), flat('text')]);
    expect(rewritten({ anyOf: [], ...made })).toEqual(flat('text'));
    expect(runs).toHaveBeenCalledTimes(1);
  });

  test('is forgotten when others of some megabytes came after it, unless it is used', () => {
    const long = (index: number): JsonSchema => ({ ...union('long'), description: `${index}${'x'.repeat(200_000)}` });
    for (const schema of [union('idle'), union('busy')]) rewritten(schema);
    for (let index = 0; index < 40; index++) {
      rewritten(long(index));
      rewritten(union('busy'));
    }
    runs.mockClear();
    rewritten(union('busy'));
    expect(runs).not.toHaveBeenCalled();
    rewritten(union('idle'));
    expect(runs).toHaveBeenCalledTimes(1);
  });
});

describe('a schema without a text of useful length is rewritten each time', () => {
  const cyclic: Record<string, unknown> = union('cyclic');
  cyclic['not'] = cyclic;
  const doubled = Array.from({ length: 40 }).reduce<JsonSchema>((inner) => ({ type: 'object', properties: { a: inner, b: inner } }), union('leaf'));
  test.each<[string, JsonSchema]>([
    ['cyclic', cyclic],
    ['shared in doubling layers', doubled],
    ['with a value that JSON cannot hold', { ...union('big'), default: 1n }],
  ])('%s', (_name, schema) => {
    for (let time = 0; time < 2; time++) expect(rewritten(schema)).toBeDefined();
    expect(runs).toHaveBeenCalledTimes(2);
  });

  test('with another limit of growth', () => {
    for (let time = 0; time < 2; time++) sanitizeToolSchemas([{ input_schema: union('other') }], { maxGrowth: 3 });
    expect(runs).toHaveBeenCalledTimes(2);
  });
});
