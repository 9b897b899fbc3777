// `approve` of a tool: its own decision about each of its calls, in addition to the decision of `onRound`.
import { expect, test } from 'vitest';
import { defineTool, type ToolDefinition } from '../../src/overlay/index.ts';
import type { Turn } from '../../src/testing/index.ts';
import { looped, onBothWays } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
type Approve = NonNullable<ToolDefinition<typeof input>['approve']>;

const asks = (...paths: unknown[]): Turn => ({
  toolCalls: paths.map((path, index) => ({ id: `call_${index}`, name: 'remove', arguments: { path } })),
});

onBothWays((driver, clientFor) => {
  /** Runs the loop over one round that asks for `paths`. `ran` has the calls that ran, and `told` the results that the model received. */
  const run = async (stream: boolean, approve: Approve, options: object, ...paths: unknown[]): Promise<{ ran: unknown[]; told: unknown[] }> => {
    const ran: unknown[] = [];
    const remove = defineTool({ name: 'remove', input, approve, run: ({ path }) => `removed ${ran.push(path)}` });
    const told: unknown[] = [];
    const all = { ...options, onToolEnd: ({ text }: { text: string }) => void told.push(text) };
    fake.answer(driver.operation, { turn: asks(...paths) }, { turn: { text: 'Done.' } });
    await looped(driver, clientFor(fake), { stream, tools: [remove], options: all });
    return { ran, told };
  };

  const ways = [false, true].flatMap((stream) => [false, true].map((parallel) => ({ stream, parallel })));

  test.each(ways)('a call runs only if its tool approves it; $stream, $parallel', async ({ stream, parallel }) => {
    const seen: unknown[] = [];
    const approve: Approve = async ({ path }, { callId, round, signal }) => {
      seen.push([path, callId, round, signal.aborted]);
      if (path === '/etc') return { deny: 'not there' };
      return path === '/tmp/b' ? { replace: 'kept' } : path === '/tmp/c' ? 'allow' : path === '/tmp/a';
    };
    const { ran, told } = await run(stream, approve, { parallel }, '/tmp/a', '/etc', '/tmp/b', '/tmp/c', '/usr', 5);
    expect(ran).toEqual(['/tmp/a', '/tmp/c']);
    const results = told.map((text) => (String(text).startsWith('error: the arguments of remove do not fit') ? 'invalid' : text));
    expect(results.sort()).toEqual(['error: not there', 'error: the call was not approved', 'invalid', 'kept', 'removed 1', 'removed 2']);
    // A call with invalid arguments does not run, so it needs no approval.
    const asked = ['/tmp/a', '/etc', '/tmp/b', '/tmp/c', '/usr'];
    expect(seen).toEqual(asked.map((path, index) => [path, `call_${index}`, 1, false]));
    const sent = JSON.stringify(fake.requests.at(-1)?.body);
    for (const text of told) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
  });

  test.each([false, true])('onRound decides first, and cannot allow what the tool denies; streamed: %s', async (stream) => {
    const seen: unknown[] = [];
    const approve: Approve = ({ path }) => {
      seen.push(path);
      return path !== 'b';
    };
    const onRound = (): unknown => ['allow', 'allow', { deny: 'no' }, { replace: 'kept' }, undefined];
    const { ran, told } = await run(stream, approve, { onRound }, 'a', 'b', 'c', 'd', 'e');
    expect(ran).toEqual(['a', 'e']);
    expect(told).toEqual(['removed 1', 'error: the call was not approved', 'error: no', 'kept', 'removed 2']);
    expect(seen).toEqual(['a', 'b', 'e']);
  });

  test.each(ways)('one call is asked for at a time, before any of them runs; $stream, $parallel', async ({ stream, parallel }) => {
    const steps: string[] = [];
    const approve: Approve = async ({ path }) => {
      steps.push(`ask ${path}`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`asked ${path}`);
      return true;
    };
    await run(stream, approve, { parallel, onToolEnd: undefined }, 'a', 'b');
    expect(steps).toEqual(['ask a', 'asked a', 'ask b', 'asked b']);
  });

  const slips: [string, unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['another word', 'yes'],
    ['a number', 1],
    ['an empty object', {}],
    ['deny and replace', { deny: 'a', replace: 'b' }],
    ['a deny that is no text', { deny: true }],
  ];
  test.each(slips.flatMap(([what, given]) => [false, true].map((stream) => ({ what, given, stream }))))(
    '$what ends the run, and no tool of the round runs; streamed: $stream',
    async ({ given, stream }) => {
      let ran = 0;
      const approve: Approve = ({ path }) => (path === 'b' ? (given as boolean) : true);
      const counted = defineTool({ name: 'remove', input, approve, run: () => ++ran });
      fake.answer(driver.operation, { turn: asks('a', 'b') });
      const failed = await failure(looped(driver, clientFor(fake), { stream, tools: [counted] }));
      expect(failed).toMatchObject({ kind: 'validation', path: 'approve of remove' });
      expect(ran).toBe(0);
    },
  );

  test.each([false, true])('an error it throws ends the run; streamed: %s', async (stream) => {
    const own = new Error('the screen is gone');
    expect(await failure(run(stream, () => Promise.reject(own), {}, 'a'))).toBe(own);
  });

  test.each([false, true])('an abort does not wait for it; streamed: %s', async (stream) => {
    const aborting = new AbortController();
    const asked = defineTool({
      name: 'remove',
      input,
      run: () => '',
      approve: () => {
        aborting.abort();
        return new Promise<boolean>(() => {});
      },
    });
    fake.answer(driver.operation, { turn: asks('a', 'b') });
    const failed = await failure(looped(driver, clientFor(fake), { stream, tools: [asked], signal: aborting.signal }));
    expect(failed).toMatchObject({ kind: 'abort' });
  });
});

test('must be a function', () => {
  expect(() => defineTool({ name: 'remove', input, run: () => '', approve: true as never })).toThrow('approve must be a function');
});
