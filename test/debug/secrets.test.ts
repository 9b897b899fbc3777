import fc from 'fast-check';
import { expect, test } from 'vitest';
import { debugHook } from '../../src/debug/index.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import type { Answer } from '../support/answering-server.ts';
import { transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const apiKey = 'KEY-ID-4711.KEY-"SECRET"-4711';
const secrets = [apiKey, 'KEY-"SECRET"-4711', 'KEY-ID-4711', 'KEY-\\"SECRET\\"', 'HEADER MARKER', 'HEADER-MARKER'];
const prompt = 'the prompt\u001b[31m\nof the user';
const argument = 'the argument of the tool';
const answer = 'the answer\r\nof the model';
const texts = ['the prompt', 'of the user', 'the argument', 'the answer', 'of the model', 'a description'];

const fake = await sharedFake({ keys: [apiKey], validate: false });

const echoes = [apiKey, 'HEADER-MARKER', `${prompt} ${apiKey}`, `Bearer ${apiKey}`];

/** Replies with an echo where a line has a word of the service. */
const anyReply: fc.Arbitrary<Fault | Answer> = fc.constantFrom(...echoes).chain((echo) =>
  fc.constantFrom<Fault | Answer>(
    faults.resetBeforeHeaders(),
    faults.resetMidBody(),
    faults.silentAfterHeaders(),
    faults.truncatedStream('midFrame'),
    faults.malformedFrame(1, `{"echo": ${echo}`),
    faults.inBandError(echo, echo),
    faults.eventError(echo, echo),
    faults.jsonForStream(),
    faults.streamForJson(),
    faults.error(400, echo, echo),
    faults.error(429, echo, echo),
    faults.embeddedFailure(undefined, echo, echo),
    faults.redirect('https://example.invalid/', 302),
    { status: 500, headers: { 'x-log-id': 'KEY-ID-4711' }, body: { error: { code: echo, message: echo } } },
    {
      body: {
        id: echo,
        model: echo,
        role: echo,
        content: [{ type: echo, text: answer }],
        stop_reason: echo,
        choices: [{ index: 0, finish_reason: echo, message: { role: echo, content: answer, tool_calls: [{ function: { name: echo } }] } }],
        usage: { prompt_tokens: 1, [echo]: echo },
      },
    },
    {
      body: { id: 'a', model: 'glm-5.2', content: [{ type: 'text', text: answer }], choices: [{ message: { role: 'assistant', content: answer } }] },
    },
  ),
);

const lookup = defineTool({
  name: 'lookup',
  description: 'a description',
  input: { type: 'object', properties: { text: { type: 'string' } } },
  run: ({ text }: { text?: string }) => {
    throw new Error(`${text} ${apiKey}`);
  },
});

test('no key or header at any content, no prompt or answer at none and shape, one line of printable text each', async () => {
  const contents = fc.constantFrom('none' as const, 'shape' as const, 'full' as const);
  await fc.assert(
    fc.asyncProperty(
      anyReply,
      contents,
      fc.constantFrom(...transports),
      fc.boolean(),
      fc.boolean(),
      async (reply, content, { overrides }, streamed, messages) => {
        const lines: string[] = [];
        const hooks = [debugHook({ write: (line) => lines.push(line), content })];
        const client = newClient(fake.configFor({ ...overrides, apiKey, hooks, timeout: 40, streamIdleTimeout: 40, maxRetries: 1 }));
        fake.reset();
        fake.fallback('*', reply as Fault);
        if (!streamed) {
          const name = messages ? 'anthropic.create' : 'chat.create';
          fake.answer(name, { turn: { toolCalls: [{ name: 'lookup', arguments: JSON.stringify({ text: argument }) }] } });
        }
        const ctx = { headers: { 'x-extra': 'HEADER-MARKER', 'x-more': 'HEADER MARKER' } };
        const request = { model: 'glm-5.2', max_tokens: 5, messages: [{ role: 'user' as const, content: `${prompt} ${apiKey} HEADER-MARKER` }] };
        await (async () => {
          if (streamed) for await (const _ of messages ? client.anthropic().stream(ctx, request) : client.chat().stream(ctx, request));
          else await (messages ? client.anthropic().runWithTools(ctx, request, [lookup]) : client.chat().runWithTools(ctx, request, [lookup]));
        })().catch(() => undefined);
        expect(lines.length).toBeGreaterThan(2);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must be absent
        for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        const log = lines.join('\n');
        for (const secret of secrets) expect(log).not.toContain(secret);
        if (content !== 'full') for (const text of texts) expect(log).not.toContain(text);
      },
    ),
    { numRuns: 200 },
  );
});
