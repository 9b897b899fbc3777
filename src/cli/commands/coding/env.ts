import type { Handler } from '../../cli.ts';
import { thisMachine } from '../../coding/machine.ts';
import { sessionToPrint } from '../../coding/session.ts';
import { keyPlaceholder } from '../../coding/tool.ts';
import { toolNamed } from '../../coding/tools/index.ts';
import { helperKey } from '../../coding/wiring.ts';
import { platformRoots } from '../../hosts.ts';
import { type Shell, shellWord, systemWord } from '../../terminal/shell-words.ts';

export const run: Handler = async (cli, input) => {
  const tool = toolNamed(input.arg(0));
  const machine = thisMachine(cli.screen.io.env);
  const { account, baseUrl, region } = await cli.make.credential();
  const session = await sessionToPrint(cli, input, tool, machine);
  const shell = (input.text('shell') ?? 'bash') as Shell;
  const command = account === undefined ? undefined : helperKey(account, session.root ?? baseUrl ?? platformRoots[region]).line;
  const { args, variables, unset = [] } = session;
  if (args.length > 0) cli.screen.note(`Start it with these arguments too: ${args.map(systemWord).join(' ')}`);
  const lines = [
    ...unset.map((name) => unsetLine(shell, name)),
    ...Object.entries(variables).flatMap(([name, value]) =>
      value === keyPlaceholder ? keyLine(shell, name, command) : [setLine(shell, name, shellWord(value, shell))],
    ),
  ];
  await cli.screen.result({ tool: tool.id, shell, unset, lines, args }, () => lines.join('\n'));
};

function unsetLine(shell: Shell, name: string): string {
  if (shell === 'fish') return `set -e ${name}`;
  return shell === 'powershell' ? `Remove-Item Env:${name} -ErrorAction SilentlyContinue` : `unset ${name}`;
}

function setLine(shell: Shell, name: string, value: string): string {
  if (shell === 'fish') return `set -gx ${name} ${value}`;
  return shell === 'powershell' ? `$env:${name} = ${value}` : `export ${name}=${value}`;
}

/** The key is asked for when the line runs, so that no file contains it. */
function keyLine(shell: Shell, name: string, command: string | undefined): string[] {
  if (command === undefined) {
    if (name === 'SVC_API_KEY') return [];
    return [setLine(shell, name, shell === 'powershell' ? '$env:SVC_API_KEY' : '"$SVC_API_KEY"')];
  }
  if (shell === 'fish') return [setLine(shell, name, `(${command})`)];
  return [setLine(shell, name, shell === 'powershell' ? `(& ${command})` : `"$(${command})"`)];
}
