import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { chosenAccount } from './chosen.ts';
import { viewOf, viewText } from './view.ts';

export const run: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const name = await chosenAccount(cli, store, input.args[0]);
  const account = await store.account(name);
  const { active } = await store.accounts();
  const { hosts } = await store.secret(name);
  const view = { ...viewOf(name, account, active), hosts };
  await cli.output.result(view, () => viewText(cli, view));
};
