// The table of README.md "Why not `openai` with a base URL?" against the output of the program that runs each row with both clients.
import { expect } from 'vitest';
import { builtExamples, outcome } from '../examples/run.ts';
import { test } from '../support/fixture.ts';
import { cellsOf, textOf } from './snippets.ts';

const start = builtExamples(['comparison/why-not-openai']);

/** What the program prints for each row: of `openai`, and of modelsvc. */
const proofs: Readonly<Record<string, readonly [openai: RegExp, modelsvc: RegExp]>> = {
  'truncated stream | part of the answer, as a success | `StreamError` with that part': [
    /^success with one two three \(1 requests\)$/,
    /^StreamError with one two three \(1 requests\)$/,
  ],
  'error inside 200 | a completion without `choices` | `ApiError` with its code and the next step': [
    /^success with choices undefined \(1 requests\)$/,
    /^ApiError 1113: The balance is empty .*recharge.* \(1 requests\)$/,
  ],
  'anyOf in a tool schema | status 500, after 3 requests | an answer, because the schema is rewritten': [
    /^InternalServerError: 500 .* \(3 requests\)$/,
    /^Rain\. \(1 requests\)$/,
  ],
  'timeout of the header | 3 requests, each of which may be billed | 1 request, then `TimeoutError`': [
    /^APIConnectionTimeoutError: .* \(3 requests\)$/,
    /^TimeoutError: .* \(1 requests\)$/,
  ],
  "1302 with 40 calls at once | 36 fail if 4 are allowed | 40 answers, with `concurrency: 'auto'`": [
    /^4 answers \(112 requests\)$/,
    /^40 answers \(\d+ requests\)$/,
  ],
};

test('each row of the table is true for both clients', async ({ fake }) => {
  const { stdout, stderr, code } = await outcome(start('comparison/why-not-openai', fake));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const rows = textOf('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => cellsOf(line).join(' | ').replace(/`/, '').replace(/`/, ''));
  expect(rows).toEqual(Object.keys(proofs));
  const printed = stdout.trimEnd().split('\n');
  expect(printed).toHaveLength(rows.length * 3);
  Object.entries(proofs).forEach(([row, [openai, modelsvc]], at) => {
    const [name = '', theirs = '', ours = ''] = printed.slice(at * 3);
    expect(row.startsWith(`${name} | `)).toBe(true);
    expect(theirs.replace('  openai: ', '')).toMatch(openai);
    expect(ours.replace('  modelsvc: ', '')).toMatch(modelsvc);
  });
});
