import type { Handler } from '../../cli.ts';
import { carryOut, codingRecord, diffText, type FileView, valueCount } from '../../coding/carry-out.ts';
import type { WhenChanged } from '../../coding/part-edits.ts';
import { entriesOf, namedTools, takeBackTask, whenChanged } from '../../coding/tasks.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';

export const run: Handler = async (cli, input) => {
  const tools = namedTools(input);
  const fate = whenChanged(input);
  const data = await codingRecord(cli).read();
  const entries = tools.map((tool) => ({ tool, entries: entriesOf(data, tool.id).reverse() }));
  for (const { tool, entries: own } of entries)
    if (own.length === 0)
      throw new CliError(`${tool.name} is not wired by this program`, exitCodes.notFound, 'Run `modelsvc coding status` for the tools that are.');
  const tasks = entries.flatMap(({ entries: own }) => own.map((entry) => takeBackTask(entry, fate)));
  const names = tools.map(({ name }) => name).join(', ');
  const files = await carryOut(cli, tasks, `Restore the settings of ${names}?`, []);
  await cli.screen.result({ files }, () => (cli.isDryRun ? diffText(cli, files) : cli.screen.clean(resultText(files, fate))));
};

/** Values that were restored in each file, and those that were left alone. */
export function resultText(files: readonly FileView[], fate: WhenChanged): string {
  const advice = fate === 'forget' ? '' : '; --force restores it, --forget leaves it for good';
  const places = [...new Set(files.map(({ file }) => file))].map((file) => {
    const parts = files.filter((one) => one.file === file);
    return { file, values: parts.flatMap(({ values }) => values), left: parts.flatMap(({ left }) => left) };
  });
  const lines = places.flatMap(({ file, values, left }) => [
    `${file}: ${valueCount(values.length)} restored`,
    ...left.map((path) => `  ${path} was changed by another program and is left alone${advice}`),
  ]);
  return lines.length > 0 ? lines.join('\n') : 'There is no value to restore.';
}
