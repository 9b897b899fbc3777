import { describe, expect, it } from 'vitest';
import { type Client, newClient, newFunctionTool, sanitizeToolSchemas } from '../../src/overlay/index.ts';
import type { FakeService } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { collect } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('tool schemas on the wire', () => {
  const nullable = { type: 'object', properties: { city: { description: 'Where.', anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  const plain = { type: 'object', properties: { city: { description: 'Where.', type: 'string' } } };
  const chatTools = [newFunctionTool('f', 'F.', nullable)];
  const messageTools = [{ name: 'f', input_schema: nullable }];
  const cases: [string, (client: Client) => Promise<unknown>][] = [
    ['chat.create', (c) => c.chat().create(undefined, { ...hello, tools: chatTools })],
    ['chat.createAsync', (c) => c.chat().createAsync(undefined, { ...hello, tools: chatTools })],
    ['chat.stream', (c) => collect(c.chat().stream(undefined, { ...hello, tools: chatTools }))],
    ['chat.createStream', (c) => c.chat().createStream(undefined, { ...hello, tools: chatTools }, () => undefined)],
    ['chat.runWithTools', (c) => c.chat().runWithTools(undefined, { ...hello, tools: chatTools }, () => 'done')],
    ['anthropic.create', (c) => c.anthropic().create(undefined, { ...message, tools: messageTools })],
    ['anthropic.stream', (c) => collect(c.anthropic().stream(undefined, { ...message, tools: messageTools }))],
    ['anthropic.createStream', (c) => c.anthropic().createStream(undefined, { ...message, tools: messageTools }, () => undefined)],
    ['anthropic.countTokens', (c) => c.anthropic().countTokens(undefined, { ...message, tools: messageTools })],
  ];
  const sent = (fake: FakeService): unknown => {
    const body = fake.requests[0]?.body as { tools: { function?: { parameters: unknown }; input_schema?: unknown }[] } | undefined;
    return body?.tools.map((tool) => tool.function?.parameters ?? tool.input_schema);
  };

  it.each(cases)('%s sends them in the accepted subset', async (_operation, call) => {
    const { fake } = await openFake();
    await call(newClient(fake.configFor()));
    expect(sent(fake)).toEqual([plain]);
    expect([chatTools[0]?.function?.parameters, messageTools[0]?.input_schema]).toEqual([nullable, nullable]);
  });

  it.each(cases.filter(([operation]) => operation.startsWith('anthropic.')))(
    '%s sends them unmodified with disableToolSchemaCompat, and no error shows that the service refuses them',
    async (_operation, call) => {
      const { fake } = await openFake();
      await call(newClient(fake.configFor({ disableToolSchemaCompat: true, maxRetries: 0 })));
      expect([sent(fake), fake.refusals]).toEqual([[nullable], []]);
    },
  );

  it.each(cases.filter(([operation]) => operation.startsWith('chat.') && operation !== 'chat.runWithTools'))(
    '%s sends them unmodified with disableToolSchemaCompat, which the service answers with 500',
    async (_operation, call) => {
      const { fake } = await openFake();
      const outcome = await call(newClient(fake.configFor({ disableToolSchemaCompat: true, maxRetries: 0 }))).catch((error: unknown) => ({ error }));
      expect(outcome).toMatchObject({ error: { name: 'ApiError', status: 500 } });
      expect(sent(fake)).toEqual([nullable]);
    },
  );

  it('sanitizeToolSchemas does the same on demand, and leaves tools that are fine unchanged', () => {
    expect(sanitizeToolSchemas(chatTools)).toEqual([newFunctionTool('f', 'F.', plain)]);
    expect(sanitizeToolSchemas(messageTools)).toEqual([{ name: 'f', input_schema: plain }]);
    const fine = [newFunctionTool('f', 'F.', plain), newFunctionTool('g', 'G.')];
    expect(sanitizeToolSchemas(fine)).toBe(fine);
  });
});
