import { type Batch, batchCounts } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { firstOf } from '../../input/first-of.ts';
import type { Column } from '../../terminal/output.ts';
import { timeText } from '../../terminal/time-text.ts';

export const run: Handler = async (cli, input) => {
  const client = await cli.client();
  await cli.output.list(await firstOf(client.batch().listAll(cli.ctx), input.number('limit')), columns);
};

const columns: readonly Column<Batch>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'TOTAL', text: (batch) => batchCounts(batch).total },
  { title: 'DONE', text: (batch) => batchCounts(batch).completed },
  { title: 'FAILED', text: (batch) => batchCounts(batch).failed },
  { title: 'CREATED', text: ({ created_at: time }) => timeText(time) },
];
