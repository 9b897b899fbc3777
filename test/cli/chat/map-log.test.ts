// The answers of `map` are where the run writes them. The log has one line for the run.
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { expect, it } from 'vitest';
import { LogReader } from '../../../src/cli/log/reader.ts';
import { run } from '../support/in-process.ts';
import { rowOf, withRows } from '../support/rows.ts';

it('a run logs rows, tokens, cost and file, and no answer; what is continued logs its own rows', async () => {
  const { fake, cwd, mapWith } = await withRows(3);
  const args = ['-O', 'out.jsonl', '-s', 'Be brief', '--service-rules', 'on'];
  const map = () => mapWith({ env: { HOME: cwd, XDG_STATE_HOME: join(cwd, '.state') } }, ...args);
  const logged = () => [...new LogReader(join(cwd, '.state', 'modelsvc', 'log')).entries({}, 'oldest first')];
  const isRefused = new Set([1]);
  fake.fallback('chat.create', (request) => (isRefused.has(rowOf(request)) ? faults.error(400, '1210') : { turn: { text: 'secret answer' } }));
  expect((await map()).code).toBe(8);
  isRefused.clear();
  expect((await map()).code).toBe(0);
  expect((await map()).code).toBe(0);
  expect(logged().map(({ command, rows, file, text }) => ({ command, rows, file, ...text }))).toEqual(
    [
      { rows: 3, answer: '2 answered, 1 failed' },
      { rows: 1, answer: '1 answered, 0 failed, 2 there already' },
    ].map((one) => ({ command: 'map', file: join(cwd, 'out.jsonl'), system: 'Be brief', prompt: 'T {line}', ...one })),
  );
  const [first, second] = logged().map(({ usage }) => (usage as { total_tokens: number }).total_tokens);
  expect(first).toBe(2 * (second ?? 0));
  const sums = await run(['logs', 'cost', '--by', 'day', '--json'], { env: { HOME: cwd, XDG_STATE_HOME: join(cwd, '.state') } });
  expect(JSON.parse(sums.stdout)).toEqual([expect.objectContaining({ exchanges: 4, unpriced: 0 })]);
});

it('a stream that breaks: the part that had arrived is kept with the error, and the row is sent again', async () => {
  const { fake, map, results } = await withRows(1);
  fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: 'half' } } });
  expect((await map('-O', 'out.jsonl')).code).toBe(8);
  expect(await results()).toEqual([expect.objectContaining({ error: expect.anything() as unknown, answer: 'half' })]);
  expect((await map('-O', 'out.jsonl')).code).toBe(0);
  expect(await results()).toEqual([expect.objectContaining({ output: 're T row 0' })]);
});
