import type { Subscription } from 'modelsvc/types';
import type { Handler } from '../../cli.ts';
import type { Column } from '../../terminal/output.ts';

export const account: Handler = async (cli) => {
  const { stringify } = await import('yaml');
  const client = await cli.make.client();
  const info = await client.account().info(cli.ctx);
  await cli.screen.result(info, () => cli.screen.clean(stringify(info)));
};

export const subscription: Handler = async (cli) => {
  const client = await cli.make.client();
  const subscriptions = await client.account().subscriptions(cli.ctx);
  if (subscriptions.length === 0) cli.screen.note('No plan.');
  await cli.screen.list(subscriptions, columns);
};

const columns: readonly Column<Subscription>[] = [
  { title: 'PLAN', text: ({ productName }) => productName },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'CYCLE', text: ({ billingCycle }) => billingCycle },
  { title: 'RENEWS', text: ({ nextRenewTime }) => nextRenewTime },
  { title: 'VALID', text: ({ valid }) => (typeof valid === 'string' ? valid : undefined) },
];
