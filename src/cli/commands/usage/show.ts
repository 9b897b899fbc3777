import type { Client, UsageWindow } from 'modelsvc';
import type { ModelUsage, ToolUsage } from 'modelsvc/types';
import { planClient } from '../../accounts/team.ts';
import type { Cli, Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';
import { cellText } from '../../terminal/reply.ts';
import { table } from '../../terminal/table-text.ts';
import { clockText } from '../../terminal/time-text.ts';
import { rangeOf } from './range.ts';
import { type ModelRow, modelRows, type StepRow, stepRows, type ToolRow, toolRows } from './rows.ts';

export const run: Handler = async (cli, input) => {
  const range = rangeOf(input, new Date());
  const client = await planClient(cli, input);
  const by = input.text('by');
  if (by === undefined) return overview(cli, client, range);
  if (by === 'tool') return cli.output.list(toolRows(await client.quota().getToolUsage(cli.ctx, range)), toolColumns);
  const usage = await client.quota().getModelUsage(cli.ctx, range);
  if (by === 'model') return cli.output.list(modelRows(usage), modelColumns);
  return cli.output.list(stepRows(usage, by === 'hour' ? 'hour' : 'day'), stepColumns);
};

async function overview(cli: Cli, client: Client, range: UsageWindow): Promise<void> {
  const [models, tools] = await Promise.all([client.quota().getModelUsage(cli.ctx, range), client.quota().getToolUsage(cli.ctx, range)]);
  const value = { start: range.start.toISOString(), end: range.end.toISOString(), model_usage: models, tool_usage: tools };
  await cli.output.result(value, () => overviewText(cli, range, models, tools));
}

function overviewText({ output }: Cli, { start, end }: UsageWindow, models: ModelUsage, tools: ToolUsage): string {
  const { totalModelCallCount: calls, totalTokensUsage: tokens } = models.totalUsage ?? {};
  const part = <T>(rows: readonly T[], columns: readonly Column<T>[]): string[] =>
    rows.length === 0
      ? []
      : [
          '',
          table(
            columns,
            rows.map((row) => columns.map(({ text }) => output.clean(text(row) ?? ''))),
            output.paint,
            output.width,
          ).text,
        ];
  return [
    `${clockText(start)} to ${clockText(end)}: ${grouped(calls ?? 0)} calls, ${grouped(tokens ?? 0)} tokens`,
    ...part(modelRows(models), [modelColumns[0] as Column<ModelRow>, { title: 'TOKENS', text: (row) => grouped(row.tokens) }]),
    ...part(toolRows(tools), toolColumns),
  ].join('\n');
}

function grouped(number: unknown): string {
  return typeof number === 'number' ? number.toLocaleString('en-US') : cellText(number);
}

const modelColumns: readonly Column<ModelRow>[] = [
  { title: 'MODEL', text: ({ model }) => model },
  { title: 'TOKENS', text: ({ tokens }) => tokens },
];

const toolColumns: readonly Column<ToolRow>[] = [
  { title: 'TOOL', text: ({ tool }) => tool },
  { title: 'CALLS', text: ({ calls }) => calls },
];

const stepColumns: readonly Column<StepRow>[] = [
  { title: 'TIME (UTC+8)', text: ({ time }) => time },
  { title: 'CALLS', text: ({ calls }) => calls },
  { title: 'TOKENS', text: ({ tokens }) => tokens },
];
