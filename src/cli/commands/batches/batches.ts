import { type Batch, batchCounts } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { firstOf } from '../../input/first-of.ts';
import type { Column } from '../../terminal/output.ts';
import { timeText } from '../../terminal/time-text.ts';
import { waitFor } from '../../transfer/waiting.ts';
import { endCode, stateText } from './state-text.ts';

export const cancel: Handler = async (cli, input) => {
  const client = await cli.make.client();
  const batch = await client.batch().cancel(cli.ctx, input.arg(0));
  await cli.screen.result(batch, () => cli.screen.clean(stateText(batch)));
};

export const result: Handler = async (cli, input) => {
  const { stringify } = await import('yaml');
  const client = await cli.make.client();
  const batch = await client.batch().retrieve(cli.ctx, input.arg(0));
  const known = Object.fromEntries(Object.entries(batch).filter(([, value]) => value !== null && value !== ''));
  await cli.screen.result(batch, () => cli.screen.clean(stringify(known)));
};

export const list: Handler = async (cli, input) => {
  const client = await cli.make.client();
  await cli.screen.list(await firstOf(client.batch().listAll(cli.ctx), input.number('limit')), columns);
};

const columns: readonly Column<Batch>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'TOTAL', text: (batch) => batchCounts(batch).total },
  { title: 'DONE', text: (batch) => batchCounts(batch).completed },
  { title: 'FAILED', text: (batch) => batchCounts(batch).failed },
  { title: 'CREATED', text: ({ created_at: time }) => timeText(time) },
];

export const wait: Handler = async (cli, input) => {
  const id = input.arg(0);
  const client = await cli.make.client();
  const batch = await waitFor<Batch>(cli, input, { resume: ['jobs', 'wait', id], stateText }, (options) => client.batch().wait(cli.ctx, id, options));
  await cli.screen.result(batch, () => cli.screen.clean(stateText(batch)));
  return endCode(batch);
};
