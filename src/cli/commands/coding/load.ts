import type { Cli, Handler } from '../../cli.ts';
import { carryOut, codingRecord, diffText, type FileView, valueCount } from '../../coding/carry-out.ts';
import type { KeyMode } from '../../coding/key-source.ts';
import { checkModels } from '../../coding/live-models.ts';
import { type Machine, thisMachine } from '../../coding/machine.ts';
import { hashOf, type RecordEntry } from '../../coding/record.ts';
import { rivalsElsewhere } from '../../coding/rivals.ts';
import type { PartTask } from '../../coding/task.ts';
import { checkInstalled, entriesOf, installedTools, loadTasks, mcpTasks, namedTools } from '../../coding/tasks.ts';
import type { CodingTool, Wiring } from '../../coding/tool.ts';
import { type KeyVariable, readerText, settingText, variablesOf } from '../../coding/variables.ts';
import { wiringFor } from '../../coding/wiring.ts';
import type { CredentialSource } from '../../hosts.ts';
import type { Input } from '../../input/input.ts';
import type { Screen } from '../../terminal/screen.ts';

export const run: Handler = async (cli, input) => {
  const machine = thisMachine(cli.screen.io.env);
  const tools = input.flag('all-installed') ? installedTools(input, machine) : namedTools(input);
  for (const tool of tools) if (tool.load) checkInstalled(tool, machine);
  const credential = await cli.make.credential();
  const wirings = tools.map((tool) => ({ tool, wiring: wiringOf(cli, input, tool, credential) }));
  const data = await codingRecord(cli).read();
  const tasks = wirings.flatMap(({ tool, wiring }) => [
    ...loadTasks(tool, wiring, credential, machine, data),
    ...(input.flag('mcp') && tool.mcp ? mcpTasks(tool, credential, machine, { names: [], isLatest: false }) : []),
  ]);
  if (cli.values.planEndpoint === true) await (await import('../../accounts/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  for (const { tool, wiring } of wirings) warnOfTerms(cli.screen, tool, wiring, credential);
  if (input.flag('mcp')) for (const { name, mcp } of tools) if (!mcp) cli.screen.note(`${name} takes no MCP servers from this program.`);
  const first = wirings[0];
  if (first && !input.flag('no-check') && !cli.isDryRun) await checkModels(cli, credential, first.wiring);
  for (const { tool, wiring } of wirings) {
    const own = tasks.filter((task) => task.tool === tool.id && task.changes.length > 0);
    for (const text of await rivalsOf(tool, wiring, own, machine)) cli.screen.warn(`${tool.id}: ${text}`);
  }
  const question = `Wire ${tools.map(({ name }) => name).join(', ')} to the service?`;
  const files = await carryOut(cli, tasks, question, [credential.apiKey]);
  if (cli.isDryRun) return cli.screen.result({ files }, () => diffText(cli, files));
  if (cli.screen.io.env['SVC_CONFIG_DIR'] && wirings.some(({ wiring }) => wiring.key.mode === 'helper'))
    cli.screen.warn('SVC_CONFIG_DIR is set: the command that prints the key needs it in the environment of the tool too');
  const after = await codingRecord(cli).read();
  await cli.screen.result({ tools: wirings.map(({ tool, wiring }) => view(tool, wiring)), files }, () =>
    cli.screen.clean(wirings.map(({ tool, wiring }) => summary(tool, wiring, files, entriesOf(after, tool.id), machine)).join('\n')),
  );
};

function wiringOf(cli: Cli, input: Input, tool: CodingTool, credential: CredentialSource): Wiring {
  return wiringFor(cli, tool, credential, {
    model: input.text('model'),
    smallModel: input.text('small-model'),
    keyMode: input.text('key-mode') as KeyMode | undefined,
    isDefault: input.flag('default'),
    isGeneral: input.flag('general-endpoint'),
  });
}

/** The rivals of the wiring in variables and other files, as sentences. */
async function rivalsOf({ rivals }: CodingTool, { key, ...aim }: Wiring, tasks: readonly PartTask[], machine: Machine): Promise<readonly string[]> {
  if (!rivals) return [];
  const files = tasks
    .filter(({ part }) => part === 'load')
    .map((task) => ({ ...task, edits: task.changes.map(({ path, value }) => ({ path, hashes: [hashOf(value)] })) }));
  const own = tasks.map(({ file }) => file);
  const found = await rivalsElsewhere(rivals({ ...aim, machine, keyMode: key.mode }), files, own, machine.env);
  return found.map(({ text }) => text);
}

/** The terms of the plan allow its quota only in the tools of the vendor's list. */
function warnOfTerms(screen: Screen, { name, isListed }: CodingTool, { isPlan }: Wiring, { kind }: CredentialSource): void {
  if (isListed || (kind !== 'plan' && kind !== 'team')) return;
  screen.warn(
    isPlan
      ? `${name} is not on the plan's list of tools: the vendor may throttle, freeze or ban the account`
      : `${name} is not on the plan's list of tools: it gets the general endpoint, which is billed by use`,
  );
}

function view({ id, name }: CodingTool, { root, model, smallModel, key, isPlan }: Wiring): Record<string, unknown> {
  return { tool: id, name, root, model, small_model: smallModel, key_mode: key.mode, plan_endpoint: isPlan };
}

function summary(tool: CodingTool, wiring: Wiring, all: readonly FileView[], entries: readonly RecordEntry[], machine: Machine): string {
  const files = all.filter((one) => one.tool === tool.id);
  return [
    `${tool.name} uses ${wiring.model} at ${wiring.root}.`,
    ...files.map(
      ({ part, file, values }) =>
        `  ${file}: ${values.length === 0 ? 'unchanged' : `${valueCount(values.length)}${part === 'load' ? '' : ` for ${part}`}`}`,
    ),
    // A plain key was named above the question.
    ...(wiring.key.mode === 'helper' ? [`It gets its key from \`${wiring.key.line}\`; the files do not contain it.`] : []),
    ...variablesOf(tool, entries).map((one) => variableLine(tool, one, machine)),
    ...(tool.after?.(wiring) ?? []),
    `Undo it with \`modelsvc coding unload ${tool.id}\`.`,
  ].join('\n');
}

function variableLine(tool: CodingTool, one: KeyVariable, { env }: Machine): string {
  const text = readerText(one, 'It', 'Its');
  if (env[one.name]) return `${text}, which is set; the files do not contain it.`;
  return `${text}, which is not set: ${settingText(tool)}, and \`modelsvc coding run ${tool.id}\` needs no variable.`;
}
