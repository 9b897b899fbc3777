import { accountCredential, accountStore, findCredential } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';

export const run: Handler = async (cli, input) => {
  if (cli.io.stdout.isTTY === true && !input.flag('reveal'))
    throw usageError('the key would be shown on the terminal', 'Pass it on through a pipe, or show it with --reveal.');
  const name = input.args[0];
  const { apiKey, from } = name === undefined ? await findCredential(cli) : await accountCredential(cli, accountStore(cli), name);
  await cli.output.result({ api_key: apiKey, from }, () => apiKey);
};
