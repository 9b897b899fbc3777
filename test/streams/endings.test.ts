// A reader of text that would drop how an answer ended throws it, after the last text.

import { expect, test } from 'vitest';
import {
  collecting,
  defineTool,
  finishError,
  firstModel,
  isModelsvcError,
  opened,
  outputFormat,
  textDeltas,
  toResponse,
  toSSE,
} from '../../src/overlay/index.ts';
import { onBothWays, type SurfaceName } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();

/** Finish reasons as the fake takes them, and as each surface names them; a surface that does not have one is left out. */
const endings: readonly (readonly [finish: string, status: number, reasons: Partial<Record<SurfaceName, string>>])[] = [
  ['length', 502, { chat: 'length', messages: 'max_tokens', responses: 'max_output_tokens' }],
  ['sensitive', 422, { chat: 'sensitive', messages: 'refusal', responses: 'content_filter' }],
  ['network_error', 503, { chat: 'network_error', messages: 'network_error', responses: 'network_error' }],
  [
    'model_context_window_exceeded',
    422,
    { chat: 'model_context_window_exceeded', messages: 'model_context_window_exceeded', responses: 'model_context_window_exceeded' },
  ],
];

async function joined(texts: AsyncIterable<string>): Promise<{ text: string; reason: string | undefined }> {
  let text = '';
  try {
    for await (const piece of texts) text += piece;
  } catch (error) {
    if (!isModelsvcError(error, 'finish')) throw error;
    return { text, reason: error.reason };
  }
  return { text, reason: undefined };
}

const page = async (response: Response): Promise<unknown> => [response.status, await response.text()];
const cutPage = 'data: "Hel"\n\ndata: "lo"\n\nevent: error\ndata: {"error":{"type":"finish","message":"The answer ended early."}}\n\n';

onBothWays((driver, clientFor) => {
  const { surface, operation } = driver;
  const streamed = (text: string | string[], finish: string): AsyncIterable<never> => {
    fake.reset().answer(operation, { turn: { text, finish } });
    return driver.stream(clientFor(fake, { maxRetries: 0 })) as AsyncIterable<never>;
  };

  test.each(endings.flatMap(([finish, status, { [surface]: reason }]) => (reason === undefined ? [] : [[finish, reason, status] as const])))(
    '%s is thrown as %s by each reader of text',
    async (finish, reason, status) => {
      const cut = (): AsyncIterable<never> => streamed(['Hel', 'lo'], finish);
      const seen = { text: 'Hello', reason };
      expect(await joined(textDeltas(cut()))).toEqual(seen);
      expect(await joined(textDeltas(await opened(cut())))).toEqual(seen);
      expect(await joined(await opened(textDeltas(cut())))).toEqual(seen);
      expect(await joined(textDeltas(cut(), { incomplete: 'return' }))).toEqual({ ...seen, reason: undefined });
      const collected = collecting(cut());
      expect(await joined(textDeltas(collected))).toEqual(seen);
      const response = await collected.response();
      expect([finishError(response as object)?.reason, 'usage' in response]).toEqual([reason, true]);
      expect(await new Response(toSSE(textDeltas(cut()))).text()).toBe(cutPage);
      expect(await page(await toResponse(textDeltas(cut()), { onError: false }))).toEqual([200, cutPage]);
      // A page that gets the items reads the reason itself.
      expect(await new Response(toSSE(cut())).text()).toMatch(/data: \[DONE\]\n\n$/);

      const none = (): AsyncIterable<string> => textDeltas(streamed('', finish));
      expect(await failure(opened(none()))).toMatchObject({ reason });
      const errors: unknown[] = [];
      const refused = await toResponse(none(), { onError: (error) => void errors.push(error) });
      expect([refused.status, await refused.json()]).toEqual([status, { error: { type: 'finish', message: 'No answer came.' } }]);
      expect(errors).toEqual([expect.objectContaining({ reason })]);
      // It is billed, so that no other model is asked.
      const asked: string[] = [];
      const first = firstModel(['a', 'b'], (model) => {
        asked.push(model);
        return opened(none());
      });
      expect([await failure(first), asked]).toEqual([expect.objectContaining({ reason }), ['a']]);

      const growing = outputFormat({ type: 'object' }).partial(streamed('{"a":', finish));
      expect((await failure(growing.value())) as object).toMatchObject({ problem: 'unfinished' });
    },
  );

  test('a natural end and a call are not failures; a call as text is', async () => {
    expect(await joined(textDeltas(streamed('Hello', 'stop')))).toEqual({ text: 'Hello', reason: undefined });
    fake.answer(operation, { turn: { text: 'Look: ', toolCalls: [{ name: 'f', arguments: {} }] } });
    expect(await joined(textDeltas(driver.stream(clientFor(fake)) as AsyncIterable<never>))).toEqual({ text: 'Look: ', reason: undefined });
    const leaked = '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>';
    expect(await joined(textDeltas(streamed(leaked, 'stop')))).toEqual({ text: leaked, reason: 'leaked_tool_call' });
  });

  test('an answer without a text is one where its surface has a rule for it', async () => {
    const { reason } = await joined(textDeltas(streamed('', 'stop')));
    expect(reason).toBe(surface === 'messages' ? undefined : 'no_answer');
    const { status } = await toResponse(textDeltas(streamed('', 'stop')), { onError: false });
    expect(status).toBe(surface === 'messages' ? 200 : 502);
  });

  test('of a tool loop only the last round counts', async () => {
    const tool = defineTool({ name: 'f', input: { type: 'object' }, run: () => 'ok' });
    const run = (finish: string): AsyncIterable<never> => {
      const leaked = '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>';
      fake.reset().answer(operation, { turn: { text: leaked, toolCalls: [{ name: 'f', arguments: {} }] } }, { turn: { text: 'So.', finish } });
      return driver.service(clientFor(fake)).streamWithTools(undefined, driver.request('hi'), [tool] as never) as AsyncIterable<never>;
    };
    expect((await joined(textDeltas(run('stop')))).reason).toBeUndefined();
    expect((await joined(textDeltas(run('length')))).reason).toBe(endings[0]?.[2][surface]);
  });
});

test.each([[{ incomplete: 'ignore' }], [{ incomplet: 'return' }], [null], ['return']])('options %j are refused before a request', (options) => {
  expect(() => textDeltas((async function* () {})(), options as never)).toThrow(expect.toSatisfy(ofKind('validation')));
});
