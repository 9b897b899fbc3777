import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { isValidationError, newClient } from '../../src/overlay/index.ts';
import { altered, expectNothingSent } from '../support/altered.ts';
import { everyOperation } from '../support/every-operation.ts';
import { openFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('required fields of every operation', () => {
  const withBody = allRoutes.filter((route) => route.request !== undefined).map((route) => route.id);

  it.each(withBody)('%s refuses a request without any, and sends nothing', async (id) => {
    const { fake } = await openFake();
    const client = altered(newClient(fake.configFor()), ([ctx, request, ...rest]) => [ctx, ...(request === undefined ? [] : [{}]), ...rest]);
    const error = await failureOf(() => everyOperation[id]?.perform(client));
    expect(error).toSatisfy(isValidationError);
    expect(error).toMatchObject({ operation: id });
    expect((error as Error).message).toMatch(/is required$|must not be (blank|empty)$|must be /);
    expectNothingSent(fake);
  });

  it.each(['chat', 'anthropic'] as const)('%s().createStream without a callback sends nothing', async (surface) => {
    const { fake } = await openFake();
    const client = newClient(fake.configFor());
    const call = (): Promise<void> =>
      surface === 'chat'
        ? client.chat().createStream(undefined, hello, undefined as never)
        : client.anthropic().createStream(undefined, message, {} as never);
    expect(await failureOf(call)).toMatchObject({ name: 'ValidationError', operation: `${surface}.createStream` });
    expectNothingSent(fake);
  });

  it.each([null, '5000', { onProgress: 5 }, { interval: '5000' }, Number.NaN])('waitForResult refuses %j in place of its interval', async (wait) => {
    const { fake } = await openFake();
    const error = await failureOf(() => newClient(fake.configFor()).waitForResult(undefined, 'task-1', wait as never));
    expect(error).toMatchObject({ name: 'ValidationError', operation: 'waitForResult' });
    expectNothingSent(fake);
  });
});
