// Usage of a plan that counts credits.
import type { Client } from 'modelsvc';
import { modelCredits } from 'modelsvc/monitor';
import type { CreditUsage, UsageWindow } from 'modelsvc/types';
import type { Cli } from '../../cli.ts';
import { barColumn } from '../../terminal/bar.ts';
import type { Column } from '../../terminal/output.ts';
import type { Screen } from '../../terminal/screen.ts';
import { clockText } from '../../terminal/time-text.ts';
import { creditStepRows, creditToolRows, dayRows, type StepRow, sumOf } from './rows.ts';
import { countOf } from './steps.ts';
import { grouped, partText, toolColumns } from './text.ts';

type ModelCreditRow = Omit<ReturnType<typeof modelCredits>[number], 'series'>;

/** Throws before anything is printed if the service does not have the figures. */
export async function showCredits(cli: Cli, client: Client, range: UsageWindow, by: string | undefined): Promise<void> {
  const quota = client.quota();
  if (by === undefined)
    return overview(cli, range, ...(await Promise.all([quota.getCreditUsage(cli.ctx, range), quota.getCreditUsage(cli.ctx, range, 'MCP')])));
  if (by === 'tool') return cli.screen.list(creditToolRows(await quota.getCreditUsage(cli.ctx, range, 'MCP')), [...toolColumns, toolCredits]);
  if (by === 'day') return steps(cli.screen, dayRows(await quota.getActivity(cli.ctx, range)), dayColumns);
  const usage = await quota.getCreditUsage(cli.ctx, range);
  if (by === 'model') return cli.screen.list(rowsOf(usage), modelColumns(String));
  return steps(cli.screen, creditStepRows(usage, 'hour'), hourColumns);
}

/** A pipe gets the figures alone. */
function steps(screen: Screen, rows: readonly StepRow[], columns: readonly Column<StepRow>[]): Promise<void> {
  return screen.list(rows, screen.io.stdout.isTTY ? [...columns, barColumn(rows, ({ credits }) => credits)] : columns);
}

function overview({ screen }: Cli, { start, end }: UsageWindow, models: CreditUsage, tools: CreditUsage): Promise<void> {
  const value = { start: start.toISOString(), end: end.toISOString(), credit_usage: models, tool_credit_usage: tools };
  return screen.result(value, () => {
    const rows = rowsOf(models);
    const over = creditStepRows(models);
    const { cacheHitRate, offPeakUsageRate, totalCredits } = models.summary ?? {};
    const { totalTokens, totalCredits: credits } = models.modelUsage?.totalUsage ?? {};
    const used = countOf(credits) ?? countOf(totalCredits?.value) ?? sumOf(rows.map((row) => row.credits));
    const tokens = countOf(totalTokens) ?? sumOf(rows.map((row) => row.tokens));
    const shares = [`${percent(cacheHitRate?.value)} of the input was cached`, `${percent(offPeakUsageRate?.value)} of the use was off-peak`];
    const isByDay = rows.some((row) => row.credits) && rows.every((row) => row.peakShare === undefined);
    return [
      `${clockText(start)} to ${clockText(end)}: ${grouped(used, creditsText)} credits, ${grouped(tokens)} tokens`,
      `${shares.join(', ')}.`,
      ...(isByDay ? ['The share of peak hours per model is not known: only hours have it, and the service counts by the hour up to 6 days.'] : []),
      ...partText(
        screen,
        rows,
        modelColumns((value) => value.toLocaleString('en-US')),
      ),
      ...partText(screen, creditToolRows(tools), [...toolColumns, toolCredits]),
      ...partText(screen, over, [
        timeColumn,
        { title: 'CREDITS', text: ({ credits: used }) => creditsText(used) },
        barColumn(over, ({ credits }) => credits),
      ]),
    ].join('\n');
  });
}

function rowsOf(usage: CreditUsage): ModelCreditRow[] {
  return modelCredits(usage).map(({ series: _, ...row }) => row);
}

/** Rounded down, and never to 0 for a share above it. */
function percent(share: unknown): string {
  const value = countOf(share);
  if (value === undefined || value > 1) return 'an unknown share';
  return value > 0 && value < 0.01 ? '<1 %' : `${Math.floor(value * 100 + 1e-9)} %`;
}

function creditsText(credits: number | undefined): string {
  if (credits === undefined) return '';
  return credits > 0 && credits < 0.01 ? '<0.01' : credits.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

const shareText = (share: number | undefined): string => (share === undefined ? '' : percent(share));

function modelColumns(tokensText: (tokens: number) => string): Column<ModelCreditRow>[] {
  return [
    { title: 'MODEL', text: ({ model }) => model },
    { title: 'TOKENS', text: ({ tokens }) => (tokens === undefined ? '' : tokensText(tokens)) },
    { title: 'CREDITS', text: ({ credits }) => credits },
    { title: 'CACHED', text: ({ cachedShare }) => shareText(cachedShare) },
    { title: 'IN PEAK HOURS', text: ({ peakShare }) => shareText(peakShare) },
  ];
}

const toolCredits: Column<{ readonly credits?: number | undefined }> = { title: 'CREDITS', text: ({ credits }) => credits };
const timeColumn: Column<StepRow> = { title: 'TIME (UTC+8)', text: ({ time }) => time };
const hourColumns: readonly Column<StepRow>[] = [timeColumn, { title: 'TOKENS', text: ({ tokens }) => tokens }, toolCredits];
const dayColumns: readonly Column<StepRow>[] = [
  { title: 'DAY (UTC+8)', text: ({ time }) => time },
  { title: 'CALLS', text: ({ calls }) => calls },
  { title: 'TOOL CALLS', text: ({ tools }) => tools },
  { title: 'TOKENS', text: ({ tokens }) => tokens },
  toolCredits,
];
