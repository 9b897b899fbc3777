import type { Handler } from '../../cli.ts';
import { carryOut, diffText } from '../../coding/carry-out.ts';
import { readersText } from '../../coding/file-mode.ts';
import type { KeyMode } from '../../coding/key-source.ts';
import { thisPlace } from '../../coding/place.ts';
import { checkInstalled, mcpTasks, namedTools } from '../../coding/tasks.ts';

export const run: Handler = async (cli, input) => {
  const tools = namedTools(input);
  const place = thisPlace(cli.io.env);
  const credential = await cli.credential();
  const names = input.list('server');
  const keyMode = input.text('key-mode') as KeyMode | undefined;
  const tasks = tools.flatMap((tool) => {
    const own = mcpTasks(cli, tool, credential, place, { names, keyMode, isLatest: input.flag('latest') });
    checkInstalled(tool, place);
    return own;
  });
  const files = await carryOut(cli, tasks, `Add MCP servers to ${tools.map(({ name }) => name).join(', ')}?`, [credential.apiKey]);
  if (cli.isDryRun) return cli.output.result({ files }, () => diffText(cli, files));
  await cli.output.result({ files }, () =>
    cli.output.clean(files.map(({ tool, part, file }) => `${tool}: ${part.slice('mcp:'.length)} in ${file}`).join('\n')),
  );
  const modes = new Set(tasks.map(({ facts }) => facts.keyMode));
  if (modes.has('plain'))
    cli.output.warn(`the key is in plain text in a file of a tool that takes no reference, ${readersText}; \`coding mcp remove\` removes it`);
  if (modes.has('env') && !cli.io.env['SVC_API_KEY'])
    cli.output.note('The servers read the key from SVC_API_KEY, which is not set: `modelsvc coding env opencode` prints a line that sets it.');
};
