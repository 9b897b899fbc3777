import { accountStore, chooseSource } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';

export const run: Handler = async (cli) => {
  const store = accountStore(cli);
  const choice = await chooseSource(cli, store);
  if (!choice) throw new CliError('no key is in use', exitCodes.auth, 'Run `modelsvc accounts use NAME`, or `modelsvc accounts add NAME`.');
  if (choice.kind === 'account') await store.account(choice.name);
  const source = { stdin: '--api-key-stdin', file: '--api-key-file', variable: 'SVC_API_KEY', account: 'account' }[choice.kind];
  const account = choice.kind === 'account' ? choice.name : null;
  const from = choice.kind === 'account' ? choice.from : source;
  await cli.output.result({ account, from }, () => account ?? source);
};
