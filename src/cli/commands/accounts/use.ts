import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { viewOf } from './view.ts';

export const run: Handler = async (cli, input) => {
  const name = input.arg(0);
  const store = accountStore(cli);
  await store.use(name);
  const { SVC_API_KEY: key, SVC_ACCOUNT: account } = cli.io.env;
  if (key) cli.output.warn('SVC_API_KEY is set and comes before the active account; unset it');
  else if (account && account !== name) cli.output.warn('SVC_ACCOUNT is set and comes before the active account; unset it');
  await cli.output.result(viewOf(name, await store.account(name), name), () => `Active account: ${name}`);
};
