import type { Cli } from '../../cli.ts';
import type { Task } from '../../coding/apply.ts';
import { type Carried, carryOut, codingRecord, diffText } from '../../coding/carry-out.ts';
import { checkModels } from '../../coding/live-models.ts';
import { type Place, thisPlace } from '../../coding/place.ts';
import { checkInstalled, loadTasks, mcpTasks, namedTools } from '../../coding/tasks.ts';
import type { CodingTool, KeyMode, Wiring } from '../../coding/tool.ts';
import { wiringFor } from '../../coding/wiring.ts';
import type { CredentialSource } from '../../credentials.ts';
import type { Input } from '../../input/input.ts';
import type { Handler } from '../../table/spec.ts';

export const run: Handler = async (cli, input) => {
  const tools = namedTools(input);
  const place = thisPlace(cli.io.env);
  for (const tool of tools) if (tool.load) checkInstalled(tool, place);
  const credential = await cli.credential();
  const wirings = tools.map((tool) => ({ tool, wiring: wiringOf(cli, input, tool, credential) }));
  const data = await codingRecord(cli).read();
  const tasks = wirings.map(({ tool, wiring }) => [
    ...loadTasks(tool, wiring, credential.account, place, data),
    ...(input.flag('mcp') && tool.mcp ? mcpTasks(cli, tool, credential, place, { names: [], isLatest: false }) : []),
  ]);
  if (cli.values.planEndpoint === true && !cli.isDryRun) await (await import('../../policy/plan-endpoint.ts')).acknowledgePlanEndpoint(cli);
  for (const { tool, wiring } of wirings) warnOfTerms(cli, tool, wiring, credential);
  const first = wirings[0];
  if (first && !input.flag('no-check') && !cli.isDryRun) await checkModels(cli, credential, first.wiring);
  const done: Carried[] = [];
  for (const [at, { tool, wiring }] of wirings.entries()) done.push(await oneTool(cli, tool, wiring, tasks[at] ?? [], credential));
  const files = done.flatMap((one) => one.files);
  if (cli.isDryRun) return cli.output.result({ files }, () => cli.output.clean(diffText(files)));
  await cli.output.result({ tools: wirings.map(({ tool, wiring }) => view(tool, wiring)), files }, () =>
    cli.output.clean(wirings.map(({ tool, wiring }, at) => summary(tool, wiring, done[at]?.files ?? [], place)).join('\n')),
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

function oneTool(cli: Cli, { name }: CodingTool, { root }: Wiring, tasks: readonly Task[], { apiKey }: CredentialSource): Promise<Carried> {
  return carryOut(cli, tasks, `Wire ${name} to ${root}?`, [apiKey]);
}

/** The terms of the plan allow its quota only in the tools of the vendor's list. */
function warnOfTerms(cli: Cli, { name, isListed }: CodingTool, { isPlan }: Wiring, { kind }: CredentialSource): void {
  if (isListed || (kind !== 'plan' && kind !== 'team')) return;
  cli.output.warn(
    isPlan
      ? `${name} is not on the plan's list of tools: the vendor may throttle, freeze or ban the account`
      : `${name} is not on the plan's list of tools: it gets the general endpoint, which is billed by use`,
  );
}

function view({ id, name }: CodingTool, { root, model, smallModel, key, isPlan }: Wiring): Record<string, unknown> {
  return { tool: id, name, root, model, small_model: smallModel, key_mode: key.mode, plan_endpoint: isPlan };
}

function summary(tool: CodingTool, wiring: Wiring, files: Carried['files'], place: Place): string {
  const lines = files.map(({ part, file, values }) =>
    values.length === 0 ? `  ${file}: restored` : `  ${file}: ${count(values.length)}${part === 'load' ? '' : ` for ${part}`}`,
  );
  return [
    `${tool.name} uses ${wiring.model} at ${wiring.root}.`,
    ...lines,
    ...keyLines(tool, wiring, place),
    ...(tool.after?.(wiring) ?? []),
    `Undo it with \`modelsvc coding unload ${tool.id}\`.`,
  ].join('\n');
}

function count(values: number): string {
  return `${values} ${values === 1 ? 'value' : 'values'}`;
}

function keyLines({ id }: CodingTool, { key }: Wiring, { env }: Place): string[] {
  if (key.mode === 'helper') return [`It gets its key from \`${key.line}\`; the files do not contain it.`];
  if (key.mode === 'plain') return ['The key is in its file in plain text; `coding unload` removes it.'];
  if (env[key.variable]) return [`It reads its key from ${key.variable}, which is set; the files do not contain it.`];
  return [
    `It reads its key from ${key.variable}, which is not set: run \`modelsvc coding env ${id}\` for the line, or start it with \`modelsvc coding run ${id}\`.`,
  ];
}
