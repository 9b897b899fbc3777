import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { manPage } from '../../scripts/cli-page/man.ts';
import { sections } from '../../src/cli/commands/table.ts';
import { exampleLine } from '../../src/cli/table/help.ts';
import { type CommandSpec, loadAll } from '../../src/cli/table/spec.ts';
import { textOf } from './snippets.ts';

it.skipIf(spawnSync('mandoc', ['-V']).error !== undefined)('the man page has no error of its format', async () => {
  const input = manPage(sections, await loadAll(sections));
  const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], { input, encoding: 'utf8' });
  expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
});

it('each line of the tour is an example of its command', async () => {
  const linesOf = ({ examples, commands = [] }: CommandSpec): string[] => [
    ...examples.map(([line, purpose]) => `${exampleLine(line)}   # ${purpose}`),
    ...commands.flatMap(linesOf),
  ];
  const examples = (await loadAll(sections)).flatMap(linesOf);
  const tour = [...(textOf('docs/cli.md').split('## A tour')[1] ?? '').matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, code = '']) =>
    code.trimEnd().split('\n'),
  );
  expect(tour.length).toBeGreaterThan(10);
  expect(tour.filter((line) => !examples.includes(line))).toEqual([]);
});
