// A response that failed, or has not ended, is never a success: on every way to it, and over both transports.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  type Client,
  collect,
  collecting,
  defineTool,
  finishError,
  isApiError,
  isModelsvcError,
  type ModelsvcError,
  newClient,
  outputFormat,
  type ResponsesReply,
} from '../../src/overlay/index.ts';
import { ResponseAccumulator } from '../../src/overlay/streams/responses-accumulator.ts';
import type { FakeService } from '../../src/testing/index.ts';
import type { ResponsesStreamEvent } from '../../src/types/index.ts';
import { taken, transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';

const request = { model: 'glm-5.2', input: 'Say hello.' };
const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
const output = [
  { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hel' }] },
  { type: 'function_call', id: 'f', call_id: 'c', name: 'clock', arguments: '{}', status: 'completed' },
];
const head = { id: 'resp_1', object: 'response', model: 'glm-5.2' };
const created = { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } };
const error = { code: 'server_error', message: 'Internal failure.' };

async function read(stream: AsyncIterable<object>): Promise<unknown> {
  const { error: thrown } = await taken(stream);
  if (thrown !== undefined) throw thrown;
  return 'read';
}

/** Responses that are not an answer. */
const failed: readonly [string, Record<string, unknown>][] = [
  ['failed, with an error', { status: 'failed', error }],
  ['failed, with the error null', { status: 'failed', error: null }],
  ['failed, with an empty error', { status: 'failed', error: {} }],
  ['failed, without the field', { status: 'failed' }],
  ['completed, with an error', { status: 'completed', error }],
  ['in progress', { status: 'in_progress', error: null }],
  ['queued', { status: 'queued' }],
  ['cancelled', { status: 'cancelled' }],
  ['of an unknown status', { status: 'paused' }],
];
const ways: readonly [string, 'body' | 'events', (client: Client) => Promise<unknown>][] = [
  ['create', 'body', (client) => client.responses().create(undefined, request)],
  ['createSimple', 'body', (client) => client.responses().createSimple(undefined, 'glm-5.2', 'hi')],
  ['parse', 'body', (client) => client.responses().parse(undefined, request, outputFormat({ type: 'object' }))],
  ['runWithTools', 'body', (client) => client.responses().runWithTools(undefined, request, [clock])],
  ['collectResponse', 'events', (client) => collect(client.responses().stream(undefined, request))],
  ['collecting', 'events', (client) => collecting(client.responses().stream(undefined, request)).response()],
  ['the loop over a stream', 'events', (client) => read(client.responses().stream(undefined, request))],
  ['streamWithTools', 'events', (client) => read(client.responses().streamWithTools(undefined, request, [clock]))],
];

function answer(fake: FakeService, form: 'body' | 'events', response: object, last = 'response.completed'): void {
  const events = [created, { type: last, response }];
  fake.fallback('responses.create', form === 'body' ? { body: response } : { frames: events });
}

describe.each(transports)('over $transport', ({ overrides }) => {
  describe.each(ways)('%s', (_name, form, ask) => {
    test.for(failed)('%s', async ([, fields], { fake }) => {
      for (const items of [[], output])
        for (const last of form === 'body' ? [''] : ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']) {
          answer(fake, form, { ...head, output: items, ...fields }, last);
          const thrown = (await failure(ask(newClient(fake.configFor({ ...overrides, maxRetries: 0 }))))) as ModelsvcError;
          expect(isApiError(thrown), String(thrown)).toBe(true);
          expect(thrown).toMatchObject({ status: 200, surface: 'responses' });
          if (form === 'body' && items.length > 0) expect((thrown.partial as ResponsesReply).text()).toBe('Hel');
        }
    });

    test.for([['completed'], ['incomplete'], [undefined], [null], ['']])('a response of status %s is an answer', async ([status], { fake }) => {
      answer(fake, form, { ...head, error: null, output: output.slice(0, 1), status });
      const asked = ask(newClient(fake.configFor(overrides)));
      if (_name === 'parse') expect(await failure(asked)).toMatchObject({ kind: 'output' });
      else await expect(asked).resolves.toBeDefined();
    });
  });

  test('a response in the background is the answer to its request', async ({ fake }) => {
    const responses = newClient(fake.configFor(overrides)).responses();
    for (const status of ['queued', 'in_progress']) {
      answer(fake, 'body', { ...head, status, output: [] });
      const response = await responses.create(undefined, { ...request, background: true } as never);
      expect(finishError(response)).toMatchObject({ reason: status, retryable: false });
    }
    answer(fake, 'body', { ...head, status: 'failed', output: [] });
    expect(isApiError(await failure(responses.create(undefined, { ...request, background: true } as never)))).toBe(true);
  });
});

describe('events of another source', () => {
  const collected = (events: readonly object[]): Promise<unknown> =>
    collect(
      (async function* () {
        yield* events as ResponsesStreamEvent[];
      })(),
    );

  test.for(failed)('that end with a response that is %s', async ([, fields]) => {
    expect(isApiError(await failure(collected([created, { type: 'response.completed', response: { ...head, output, ...fields } }])))).toBe(true);
  });

  test('that end with a failure, or without an end', async () => {
    for (const last of [
      { type: 'error', ...error },
      { type: 'response.failed', response: { error: null } },
    ])
      expect(isApiError(await failure(collected([created, last])))).toBe(true);
    const cut = await failure(collected([created]));
    expect([isModelsvcError(cut, 'stream'), (cut as { problem?: string }).problem]).toEqual([true, 'truncated']);
    const accumulator = new ResponseAccumulator();
    accumulator.add(created as never);
    expect(accumulator.assembled(true).status).toBe('in_progress');
  });
});

test('finishError names each status that is not an answer', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (status) => {
      const found = finishError({ ...head, status, output: [] } as never);
      if (status === 'completed') expect(found).toBeUndefined();
      else expect(found?.reason).toBe(status);
    }),
  );
  for (const status of ['failed', 'in_progress', 'queued', 'cancelled', 'incomplete', 'constructor'])
    expect(finishError({ ...head, status, output: [] } as never)?.reason).toBe(status);
});
