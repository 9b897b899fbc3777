// `logs cost`: tokens and cost by day and model.
import { estimateCost } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import type { LogFacts } from '../../log/entry.ts';
import { LogReader } from '../../log/reader.ts';
import { logFolder } from '../../log/record.ts';
import { costText, tokenCounts } from '../../talk/usage-line.ts';
import { barColumn } from '../../terminal/bar.ts';
import type { Column } from '../../terminal/output.ts';
import { dayText } from '../../terminal/time-text.ts';
import { filterOf, noteLeftOut } from './filter.ts';

interface CostRow {
  readonly month?: string;
  readonly day?: string;
  readonly model?: string;
  /** Each row of `map` is one. */
  exchanges: number;
  input_tokens: number;
  output_tokens: number;
  /** In dollars, of the exchanges with a known price. Null if none has one. */
  cost: number | null;
  /** Number of exchanges without a known price. */
  unpriced: number;
}

export const run: Handler = async (cli, input) => {
  const by = input.text('by');
  const { rows: models } = await cli.make.models();
  const reader = new LogReader(logFolder(cli.screen.io.env));
  const sums = new Map<string, CostRow>();
  const reasons = new Map<string, number>();
  let local = 0;
  for (const facts of reader.entries(await filterOf(cli.screen, input), 'newest first')) {
    const { time, model, usage, rows: count = 1 } = facts;
    if (facts.unpriced === 'local') {
      local += count;
      continue;
    }
    const day = dayText(new Date(time));
    const key = by === 'month' ? { month: day.slice(0, 7) } : { ...(by !== 'model' && { day }), ...(by !== 'day' && { model }) };
    const name = JSON.stringify(key);
    const row = sums.get(name) ?? { ...key, exchanges: 0, input_tokens: 0, output_tokens: 0, cost: null, unpriced: 0 };
    sums.set(name, row);
    const { input: read = 0, output: written = 0 } = tokenCounts(usage ?? {});
    // A price that was not known then may be in the table by now.
    const cost = facts.cost ?? (usage && facts.unpriced === undefined ? estimateCost(model, usage, models) : undefined);
    row.exchanges += count;
    row.input_tokens += read;
    row.output_tokens += written;
    if (cost !== undefined) row.cost = (row.cost ?? 0) + cost;
    else {
      row.unpriced += count;
      const reason = reasonOf(facts);
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
  }
  const rows = [...sums.values()];
  if (rows.length === 0 && local === 0) cli.screen.note('No exchanges.');
  if (rows.length > 0 || !cli.screen.isText)
    await cli.screen.list(rows, [...namesOf(by), ...columns, ...(by === 'month' ? [barColumn(rows, ({ cost }) => cost)] : [])]);
  const total = rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const unknown = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
  if (rows.length > 0) cli.screen.note(`about ${costText(total)} in total${unknown === '' ? '' : `; without a known price: ${unknown}`}`);
  if (local > 0) cli.screen.note(`Left out: ${local} answered on this machine, by a mock or a gateway.`);
  noteLeftOut(cli.screen, reader);
};

function reasonOf({ model, usage, unpriced }: LogFacts): string {
  if (unpriced !== undefined) return { plan: 'on the plan', china: 'on the china host', batch: 'in batches', local: 'on this machine' }[unpriced];
  return usage === undefined ? 'without a count of tokens' : `of ${model}`;
}

const dayColumn: Column<CostRow> = { title: 'DAY', text: ({ day }) => day };
const modelColumn: Column<CostRow> = { title: 'MODEL', text: ({ model }) => model };

function namesOf(by: string | undefined): readonly Column<CostRow>[] {
  if (by === undefined) return [dayColumn, modelColumn];
  return [by === 'month' ? { title: 'MONTH', text: ({ month }) => month } : by === 'day' ? dayColumn : modelColumn];
}

const columns: readonly Column<CostRow>[] = [
  { title: 'EXCHANGES', text: ({ exchanges }) => exchanges },
  { title: 'INPUT', text: (row) => row.input_tokens },
  { title: 'OUTPUT', text: (row) => row.output_tokens },
  { title: 'COST', text: ({ cost }) => (cost === null ? 'unknown' : costText(cost)) },
  { title: 'UNPRICED', text: ({ unpriced }) => unpriced },
];
