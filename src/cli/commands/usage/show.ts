import { type Client, isApiError } from 'modelsvc';
import { planEdition } from 'modelsvc/monitor';
import type { ModelUsage, ToolUsage, UsageWindow } from 'modelsvc/types';
import { planClient } from '../../accounts/team.ts';
import type { Cli, Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';
import { clockText } from '../../terminal/time-text.ts';
import { rangeOf } from './range.ts';
import { type ModelRow, modelRows, type StepRow, stepRows, toolRows } from './rows.ts';
import { grouped, partText, toolColumns } from './text.ts';

export const run: Handler = async (cli, input) => {
  const range = rangeOf(input, new Date());
  const client = await planClient(cli.make, input);
  const by = input.text('by');
  const { level, limits } = await client.quota().getLimit(cli.ctx);
  // Some team keys get the level alone; teams count credits.
  if (planEdition(limits) === 'V3' || (level && limits.length === 0))
    try {
      return await (await import('./credits.ts')).showCredits(cli, client, range, by);
    } catch (error) {
      if (!isApiError(error) || error.code !== '500' || error.category === 'quota') throw error;
      cli.screen.note('The service does not tell the credits of this range; these are the tokens.');
    }
  if (by === undefined) return overview(cli, client, range);
  if (by === 'tool') return cli.screen.list(toolRows(await client.quota().getToolUsage(cli.ctx, range)), toolColumns);
  const usage = await client.quota().getModelUsage(cli.ctx, range);
  if (by === 'model') return cli.screen.list(modelRows(usage), modelColumns);
  return cli.screen.list(stepRows(usage, by === 'hour' ? 'hour' : 'day'), stepColumns);
};

async function overview(cli: Cli, client: Client, range: UsageWindow): Promise<void> {
  const [models, tools] = await Promise.all([client.quota().getModelUsage(cli.ctx, range), client.quota().getToolUsage(cli.ctx, range)]);
  const value = { start: range.start.toISOString(), end: range.end.toISOString(), model_usage: models, tool_usage: tools };
  await cli.screen.result(value, () => overviewText(cli, range, models, tools));
}

function overviewText({ screen }: Cli, { start, end }: UsageWindow, models: ModelUsage, tools: ToolUsage): string {
  const { totalModelCallCount: calls, totalTokensUsage: tokens } = models.totalUsage ?? {};
  return [
    `${clockText(start)} to ${clockText(end)}: ${grouped(calls)} calls, ${grouped(tokens)} tokens`,
    ...partText(screen, modelRows(models), [modelColumns[0] as Column<ModelRow>, { title: 'TOKENS', text: (row) => grouped(row.tokens) }]),
    ...partText(screen, toolRows(tools), toolColumns),
  ].join('\n');
}

const modelColumns: readonly Column<ModelRow>[] = [
  { title: 'MODEL', text: ({ model }) => model },
  { title: 'TOKENS', text: ({ tokens }) => tokens },
];

const stepColumns: readonly Column<StepRow>[] = [
  { title: 'TIME (UTC+8)', text: ({ time }) => time },
  { title: 'CALLS', text: ({ calls }) => calls },
  { title: 'TOKENS', text: ({ tokens }) => tokens },
];
