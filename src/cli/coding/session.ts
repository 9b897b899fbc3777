// A process of a tool that uses the service, without a file: its wiring, and the terms that apply.
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import type { Machine } from './machine.ts';
import type { CodingTool, Session } from './tool.ts';
import { wiringFor } from './wiring.ts';

/** The session of a tool for the options of `run` and `env`. Throws for a tool that reads its wiring only from files. */
export async function preparedSession(cli: Cli, input: Input, tool: CodingTool, machine: Machine, isForShell = false): Promise<Session> {
  if (!tool.session)
    throw new CliError(
      `${tool.name} reads its wiring only from ${tool.load ? 'files' : 'its own settings'}`,
      exitCodes.usage,
      `Run \`modelsvc coding ${tool.load ? 'load' : 'guide'} ${tool.id}\`.`,
    );
  const credential = await cli.credential();
  const wiring = wiringFor(cli, tool, credential, {
    model: input.text('model'),
    smallModel: input.text('small-model'),
    isGeneral: input.flag('general-endpoint'),
  });
  if (cli.values.planEndpoint === true) await (await import('../accounts/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  const session = isForShell && tool.shell ? { args: [], ...tool.shell(wiring) } : tool.session(wiring, machine);
  if (!session)
    throw new CliError(`${tool.name} can use the root ${wiring.root} only from a file`, exitCodes.usage, `Run \`modelsvc coding load ${tool.id}\`.`);
  return session;
}
