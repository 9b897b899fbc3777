import type { Handler } from '../../cli.ts';
import { carryOut, codingRecord, diffText } from '../../coding/carry-out.ts';
import type { KeyMode } from '../../coding/key-source.ts';
import { thisMachine } from '../../coding/machine.ts';
import { serverId, serverNames, serverSummaries } from '../../coding/mcp-servers.ts';
import { checkInstalled, chosenServers, entriesOf, mcpTasks, namedTools, takeBackTask, whenChanged } from '../../coding/tasks.ts';
import { codingTools } from '../../coding/tools/index.ts';
import { readerText, settingText, variablesOf } from '../../coding/variables.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { resultText } from './unload.ts';

export const add: Handler = async (cli, input) => {
  const tools = namedTools(input);
  const machine = thisMachine(cli.screen.io.env);
  const credential = await cli.make.credential();
  const names = input.list('server');
  const keyMode = input.text('key-mode') as KeyMode | undefined;
  const tasks = tools.flatMap((tool) => {
    const own = mcpTasks(tool, credential, machine, { names, keyMode, isLatest: input.flag('latest') });
    checkInstalled(tool, machine);
    return own;
  });
  const files = await carryOut(cli, tasks, `Add MCP servers to ${tools.map(({ name }) => name).join(', ')}?`, [credential.apiKey]);
  if (cli.isDryRun) return cli.screen.result({ files }, () => diffText(cli, files));
  await cli.screen.result({ files }, () =>
    cli.screen.clean(files.map(({ tool, part, file }) => `${tool}: ${part.slice('mcp:'.length)} in ${file}`).join('\n')),
  );
  for (const tool of tools)
    for (const one of variablesOf(
      tool,
      tasks.filter((task) => task.tool === tool.id).map(({ part, facts }) => ({ part, keyMode: facts.keyMode })),
    ))
      if (!cli.screen.io.env[one.name])
        cli.screen.note(`${readerText(one, tool.name, `${tool.name}: its`)}, which is not set: ${settingText(tool)}.`);
};

export const list: Handler = async (cli) => {
  const { entries } = await codingRecord(cli).read();
  const rows = serverNames.map((name) => ({
    server: name,
    id: serverId(name),
    summary: serverSummaries[name],
    tools: entries.filter(({ part }) => part === `mcp:${name}`).map(({ tool }) => tool),
  }));
  await cli.screen.list(rows, [
    { title: 'SERVER', text: ({ server }) => server },
    { title: 'SUMMARY', text: ({ summary }) => summary },
    { title: 'TOOLS', text: ({ tools }) => tools.join(', ') },
  ]);
  cli.screen.note(`Tools that take servers: ${codingTools.flatMap(({ id, mcp }) => (mcp ? [id] : [])).join(', ')}.`);
};

export const remove: Handler = async (cli, input) => {
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
  await cli.screen.result({ files }, () => (cli.isDryRun ? diffText(cli, files) : cli.screen.clean(resultText(files, fate))));
};
