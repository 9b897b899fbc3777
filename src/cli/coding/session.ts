// A process of a tool that uses the service: its wiring without a file, the variables that its wired files need, and the terms that apply.
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Factory } from '../factory.ts';
import { checkBinding } from '../hosts.ts';
import type { Input } from '../input/input.ts';
import { codingRecord } from './carry-out.ts';
import type { Machine } from './machine.ts';
import type { RecordEntry } from './record.ts';
import { entriesOf } from './tasks.ts';
import { type CodingTool, keyPlaceholder, type Session } from './tool.ts';
import { variableOf, variablesOf } from './variables.ts';
import { wiringFor } from './wiring.ts';

/** The session for `run`: a wired tool also gets the keys that its files need. */
export async function sessionToRun(cli: Cli, input: Input, tool: CodingTool, machine: Machine): Promise<Session> {
  const entries = await wiredEntries(cli, tool);
  const isLoaded = entries.some(({ part }) => part === 'load');
  // A tool without a session has its wiring from its files.
  if (!tool.session && isLoaded && !hasChoice(input)) return withVariables(none, await checked(cli.make, entries), tool);
  const session = await preparedSession(cli, input, tool, machine, false);
  const { account } = await cli.make.credential();
  // The session has a wiring of its own; the files' wiring may be for another account.
  const needed = entries.filter((entry) => entry.part !== 'load' || entry.account === account);
  return withVariables(session, await checked(cli.make, needed), tool);
}

/** The session for `env`: a wired tool needs only the keys, unless a model or an endpoint is chosen. */
export async function sessionToPrint(cli: Cli, input: Input, tool: CodingTool, machine: Machine): Promise<Session> {
  const entries = await wiredEntries(cli, tool);
  const needsKeys = variablesOf(tool, entries).length > 0;
  if (needsKeys && !(tool.session && hasChoice(input))) return withVariables(none, await checked(cli.make, entries), tool);
  if (!tool.session && tool.load && tool.keyModes.includes('env')) return { args: [], variables: { [variableOf(tool, 'load')]: keyPlaceholder } };
  const session = await preparedSession(cli, input, tool, machine, true);
  return withVariables(
    session,
    await checked(
      cli.make,
      entries.filter(({ part }) => part !== 'load'),
    ),
    tool,
  );
}

const none: Session = { args: [], variables: {} };

async function wiredEntries(cli: Cli, tool: CodingTool): Promise<RecordEntry[]> {
  return entriesOf(await codingRecord(cli).read(), tool.id);
}

/** True if the options choose another wiring than the files have. */
function hasChoice(input: Input): boolean {
  return input.text('model') !== undefined || input.text('small-model') !== undefined || input.flag('general-endpoint');
}

/** The entries, if the key may go where they are wired to. */
async function checked(make: Factory, entries: readonly RecordEntry[]): Promise<readonly RecordEntry[]> {
  const { account, hosts = [] } = await make.credential();
  for (const { keyMode, root } of entries)
    if (account !== undefined && keyMode === 'env' && root !== undefined) checkBinding(account, hosts, new URL(root).origin);
  return entries;
}

function withVariables(session: Session, entries: readonly RecordEntry[], tool: CodingTool): Session {
  const own = Object.fromEntries(variablesOf(tool, entries).map(({ name }) => [name, keyPlaceholder]));
  return { ...session, variables: { ...session.variables, ...own }, root: session.root ?? entries.find(({ root }) => root !== undefined)?.root };
}

/** The session of a tool for the options of `run` and `env`. Throws for a tool that reads its wiring only from files. */
async function preparedSession(cli: Cli, input: Input, tool: CodingTool, machine: Machine, isForShell: boolean): Promise<Session> {
  if (!tool.session)
    throw new CliError(
      `${tool.name} reads its wiring only from ${tool.load ? 'files' : 'its own settings'}`,
      exitCodes.usage,
      `Run \`modelsvc coding ${tool.load ? 'load' : 'guide'} ${tool.id}\`.`,
    );
  const credential = await cli.make.credential();
  const wiring = wiringFor(cli, tool, credential, {
    model: input.text('model'),
    smallModel: input.text('small-model'),
    isGeneral: input.flag('general-endpoint'),
  });
  if (cli.values.planEndpoint === true) await (await import('../accounts/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  const session = isForShell && tool.shell ? { args: [], ...tool.shell(wiring) } : tool.session(wiring, machine);
  if (!session)
    throw new CliError(`${tool.name} can use the root ${wiring.root} only from a file`, exitCodes.usage, `Run \`modelsvc coding load ${tool.id}\`.`);
  return { ...session, root: wiring.root };
}
