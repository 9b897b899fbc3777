import { describe, expect, it } from 'vitest';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { altered, expectNothingSent } from '../support/altered.ts';
import { surfaces } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { openapi, schemaBehind } from '../support/openapi.ts';
import { failureOf } from '../support/spec.ts';

const fake = await sharedFake();
const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('required fields of every operation', () => {
  interface Way {
    readonly id: string;
    readonly required: readonly string[];
    readonly perform: (client: Client) => Promise<unknown>;
  }
  const schemas = new Map(readOperations(openapi).flatMap(({ id, body }) => (body ? [[id, schemaBehind(body.schema)]] : [])));
  const requiredOf = (id: string): string[] => [schemas.get(id)?.['required'] ?? []].flat().map(String);
  const ways: readonly Way[] = [
    ...[...schemas.keys()].map((id) => ({ id, required: requiredOf(id), perform: everyOperation[id]?.perform as Way['perform'] })),
    ...surfaces.map(({ operation, stream }) => ({
      id: operation.replace('create', 'stream'),
      required: requiredOf(operation),
      perform: (client: Client) => stream(client).next(),
    })),
  ];

  /** The error of a call with an altered request, which reaches neither the network nor a hook. */
  async function refusal(perform: Way['perform'], alter: (request: object) => unknown): Promise<unknown> {
    let fired = 0;
    const fire = (): number => fired++;
    const hooks = [{ onRequest: fire, onResponse: fire, onError: fire, onChunk: fire }];
    const client = altered(newClient(fake.configFor({ hooks })), ([ctx, request, ...rest]) => [ctx, alter(request as object), ...rest]);
    const error = await failureOf(() => perform(client));
    expect(error).toSatisfy(ofKind('validation'));
    expectNothingSent(fake);
    expect(fired).toBe(0);
    return error;
  }

  it.each(ways.flatMap((way) => way.required.map((field) => ({ ...way, field }))))('$id: $field is required', async ({ id, perform, field }) => {
    const without = (request: object): object => Object.fromEntries(Object.entries(request).filter(([name]) => name !== field));
    for (const alter of [without, ...[undefined, null].map((value) => (request: object) => ({ ...request, [field]: value }))])
      expect(await refusal(perform, alter)).toMatchObject({ operation: id, path: field, message: `${id}: ${field} is required` });
  });

  it.each(ways.flatMap((way) => [undefined, null, 'hi', 5, [], () => 1].map((given) => ({ ...way, given }))))(
    '$id: $given instead of the request',
    async ({ id, perform, given }) => {
      expect(await refusal(perform, () => given)).toMatchObject({ operation: id, path: '' });
    },
  );

  it.each(['chat', 'anthropic'] as const)('%s().createStream without a callback sends no request', async (surface) => {
    const client = newClient(fake.configFor());
    const call = (): Promise<void> =>
      surface === 'chat'
        ? client.chat().createStream(undefined, hello, undefined as never)
        : client.anthropic().createStream(undefined, message, {} as never);
    expect(await failureOf(call)).toMatchObject({ name: 'ValidationError', operation: `${surface}.createStream` });
    expectNothingSent(fake);
  });
});
