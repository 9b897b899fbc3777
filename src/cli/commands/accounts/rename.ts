import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { warnOfTools } from '../../coding/wired-tools.ts';
import { viewOf } from './view.ts';

export const run: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const [from, to] = [input.arg(0), input.arg(1)];
  await store.rename(from, to);
  if (from !== to) await warnOfTools(cli, from, 'load');
  const { entries, active } = await store.accounts();
  const account = entries.get(to);
  await cli.output.result(account && viewOf(to, account, active), () => `Renamed account ${from} to ${to}.`);
};
