// The table of README.md "Why not `openai` with a base URL?" against the output of the program that runs each row with all clients.
import { expect } from 'vitest';
import { builtExamples, outcome } from '../examples/example-process.ts';
import { test } from '../support/fixture.ts';
import { cellsOf, textOf } from './snippets.ts';

const start = builtExamples(['comparison/why-not-openai']);

/** The program's output if the words of a cell are true. A number of answers is compared by itself. */
const proofs: Readonly<Record<string, RegExp>> = {
  'part of the answer, as a success': /^success with one two three \(1 requests\)$/,
  '`StreamError` with that part': /^StreamError with one two three \(1 requests\)$/,
  'a completion without `choices`': /^success with choices undefined \(1 requests\)$/,
  '"Invalid JSON response", without the code': /^AI_APICallError: Invalid JSON response \(1 requests\)$/,
  '`ApiError` with its code and the next step': /^ApiError 1113: Recharge\. \(1 requests\)$/,
  'status 500, after 3 requests': /^(?:InternalServerError: 500|AI_RetryError: Failed after 3 attempts)\b.*\(3 requests\)$/,
  'an answer, because the schema is rewritten': /^Rain\. \(1 requests\)$/,
  '3 requests, each of which may be billed': /^APIConnectionTimeoutError: .* \(3 requests\)$/,
  '1 request, then `TimeoutError`': /^TimeoutError: .* \(1 requests\)$/,
};

/** Undefined, or how a printed outcome contradicts a cell of the page. */
function contradiction(cell: string, printed: readonly string[]): string | undefined {
  const numbers = [...cell.matchAll(/(\d+) answers/g)].map(([, number]) => Number(number));
  if (numbers.length > 0) {
    const counted = printed.map((line) => Number(/^(\d+) answers/.exec(line)?.[1]));
    return numbers.length === counted.length && numbers.every((number, at) => number === counted[at])
      ? undefined
      : `${cell}, and the program counted ${counted.join(' and ')}`;
  }
  return proofs[cell]?.test(printed[0] ?? '') ? undefined : `${cell}, and the program printed ${printed.join(' and ')}`;
}

test('each cell of the table is true', async ({ fake }) => {
  const { stdout, stderr, code } = await outcome(start('comparison/why-not-openai', fake));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const [, section = ''] = textOf('README.md').split('\n| what happens ');
  const table = `| what happens ${section.split('\n\n')[0]}`
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map(cellsOf);
  const [[, ...clients] = [], ...rows] = table;
  expect(clients).toEqual(['`openai`', '`ai`', 'modelsvc']);
  const printed = stdout.trimEnd().split(/\n(?! )/);
  expect(printed.map((text) => text.split('\n')[0])).toEqual(rows.map(([name = '']) => name.replaceAll('`', '')));
  const wrong = rows.flatMap(([name, ...cells], at) =>
    cells.flatMap((cell, column) => {
      const client = (clients[column] ?? '').replaceAll('`', '');
      const lines = (printed[at] ?? '').split('\n').flatMap((line) => (line.startsWith(`  ${client}`) ? [line.replace(/^ {2}[^:]*: /, '')] : []));
      const problem = contradiction(cell, lines);
      return problem === undefined ? [] : [`README.md, ${name}, ${client}: ${problem}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('a figure that a run contradicts is found', () => {
  expect(contradiction('12 answers', ['12 answers (108 requests)'])).toBeUndefined();
  expect(contradiction('4 answers', ['13 answers (108 requests)'])).toBe('4 answers, and the program counted 13');
  expect(contradiction('an answer, because the schema is rewritten', ['Error'])).toContain('Error');
});
