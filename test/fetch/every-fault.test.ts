// Every fault of the menu through the adapter: a complete answer, or a failure that no client can overlook.
import { describe, expect, test } from 'vitest';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { sharedFake } from '../support/fake.ts';
import { menu } from '../support/menu.ts';
import { type Asking, ask, askings, read, transports } from './support.ts';

const fake = await sharedFake();
const turn = { turn: { text: ['Größe ', '你好 ', '🌧️'] } };

/** The entries that end without a limit of content or size that the adapter does not have. */
const ending = menu.filter(
  ({ config, library }) => !(config && ('maxReplyBytes' in config || 'maxEventBytes' in config)) && !library.includes('abort'),
);

function outcomeOf(asking: Asking, response: Response, stream: boolean): Promise<string> {
  if (response.status >= 400) return Promise.resolve('failed');
  return read(response).then(({ text, error }) => {
    if (isModelsvcError(error) && error.name !== 'AbortError') return 'failed';
    return error === undefined && (stream ? asking.ending.test(text) : JSON.parse(text) !== null) ? 'ok' : `silent: ${text}`;
  });
}

describe.each(transports)('$transport', ({ options }) => {
  describe.each(askings)('$surface', (asking) => {
    test.each(ending.flatMap(({ name, fault, library }) => [false, true].map((stream) => [name, stream, fault, library[stream ? 1 : 0]] as const)))(
      '%s, as a stream: %s',
      async (_name, stream, fault, expected) => {
        const isGood = expected === 'ok';
        // A fault that replaces the reply brings its own.
        fake.answer(asking.operation, { reply: turn, ...fault });
        const limits = isGood ? {} : { timeout: 300, streamIdleTimeout: 300 };
        const outcome = await ask(fake, asking, { ...options, ...limits }, { body: { stream } }).then(
          (response) => outcomeOf(asking, response, stream),
          (error: unknown) => (isModelsvcError(error) && error.name !== 'AbortError' ? 'failed' : error),
        );
        expect(outcome).toBe(isGood ? 'ok' : 'failed');
        expect(fake.requests).toHaveLength(1);
      },
    );
  });
});

test('the menu is nearly whole', () => {
  expect(ending.length).toBeGreaterThan(40);
});
