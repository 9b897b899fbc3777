import { describe, expect, it } from 'vitest';
import { finishError, newClient } from '../../src/overlay/index.ts';
import { openFake } from '../support/fake.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

describe('endings that are no content ending', () => {
  it.each([
    ['length', 'parameter', false],
    ['sensitive', 'content', false],
    ['model_context_window_exceeded', 'parameter', false],
    ['network_error', 'server', true],
    ['stop', undefined, undefined],
    ['tool_calls', undefined, undefined],
    ['something_new', undefined, undefined],
  ] as const)('finishError tells the ending %s from a natural one', async (finish, category, retryable) => {
    const { fake } = await openFake();
    fake.chat.reply({ text: 'half', finish });
    const reply = await newClient(fake.configFor()).chat().create(undefined, hello);
    expect(reply.choices[0]?.finish_reason).toBe(finish);
    const error = finishError(reply);
    if (category === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ name: 'FinishError', reason: finish, category, retryable });
  });

  it.each(['max_tokens', 'refusal', 'end_turn', 'tool_use'])('finishError knows the stop reason %s of messages', async (finish) => {
    const { fake } = await openFake();
    fake.messages.reply({ text: 'half', finish });
    const reply = await newClient(fake.configFor()).anthropic().create(undefined, message);
    expect(reply.stop_reason).toBe(finish);
    expect(finishError(reply)?.reason).toBe(finish === 'max_tokens' || finish === 'refusal' ? finish : undefined);
  });
});
