import type { Handler } from '../../cli.ts';
import { carryOut, codingRecord, diffText } from '../../coding/carry-out.ts';
import { chosenServers, entriesOf, namedTools, takeBackTask, whenChanged } from '../../coding/tasks.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { resultText } from './unload.ts';

export const run: Handler = async (cli, input) => {
  const tools = namedTools(input);
  const parts = chosenServers(input.list('server')).map((name) => `mcp:${name}`);
  const fate = whenChanged(input);
  const data = await codingRecord(cli).read();
  const entries = tools.flatMap((tool) => {
    const own = entriesOf(data, tool.id).filter(({ part }) => parts.includes(part));
    if (own.length === 0)
      throw new CliError(`${tool.name} has no such MCP server from this program`, exitCodes.notFound, 'Run `modelsvc coding mcp list`.');
    return own.reverse();
  });
  const tasks = entries.map((entry) => takeBackTask(entry, fate));
  const files = await carryOut(cli, tasks, `Remove MCP servers from ${tools.map(({ name }) => name).join(', ')}?`, []);
  await cli.output.result({ files }, () => (cli.isDryRun ? diffText(cli, files) : cli.output.clean(resultText(files, fate))));
};
