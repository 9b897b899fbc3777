import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Cli, Handler } from '../../cli.ts';
import { programPath } from '../../coding/installed.ts';
import { thisMachine } from '../../coding/machine.ts';
import { sessionToRun } from '../../coding/session.ts';
import { keyPlaceholder, type Session } from '../../coding/tool.ts';
import { toolNamed } from '../../coding/tools/index.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';

export const run: Handler = async (cli, input) => {
  const tool = toolNamed(input.arg(0));
  const machine = thisMachine(cli.screen.io.env);
  const session = await sessionToRun(cli, input, tool, machine);
  const path = tool.program === undefined ? undefined : programPath(tool.program, machine);
  if (path === undefined)
    throw new CliError(`${tool.name} is not on this machine: no program ${tool.program} on the PATH`, exitCodes.notFound, 'Install it first.');
  const args = [...session.args, ...input.args.slice(1)];
  if (cli.isDryRun) {
    const { variables, unset = [] } = session;
    const shown = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value === keyPlaceholder ? '(the key)' : value]));
    return cli.screen.result({ program: path, args, variables: shown, unset }, () =>
      cli.screen.clean(
        [
          ...unset.map((name) => `unset ${name}`),
          ...Object.entries(shown).map(([name, value]) => `${name}=${value}`),
          [path, ...args].join(' '),
        ].join('\n'),
      ),
    );
  }
  const { apiKey } = await cli.make.credential();
  return started(path, args, environment(cli, session, apiKey));
};

function environment({ screen: { io } }: Cli, { variables, unset = [] }: Session, apiKey: string): NodeJS.ProcessEnv {
  const env = { ...io.env };
  for (const name of unset) delete env[name];
  for (const [name, value] of Object.entries(variables)) env[name] = value === keyPlaceholder ? apiKey : value;
  return env;
}

/** Runs a program on this terminal. Returns its exit code; after a signal, 128 plus the number of the signal. */
function started(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    // The terminal sends Ctrl-C to the tool too, and the tool decides whether to end. A signal can arrive as soon as the tool runs.
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
    process.on('SIGINT', () => undefined).on('SIGTERM', () => void child.kill('SIGTERM'));
    const child = spawn(path, args, { env, stdio: 'inherit', shell: /\.(?:cmd|bat)$/i.test(path) });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
