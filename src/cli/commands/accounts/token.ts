import { accountCredential, accountStore, findCredential } from '../../credentials.ts';
import type { Handler } from '../../table/spec.ts';

export const run: Handler = async (cli, input) => {
  const name = input.args[0];
  const { apiKey, from } = name === undefined ? await findCredential(cli) : await accountCredential(cli, accountStore(cli), name);
  await cli.output.result({ api_key: apiKey, from }, () => apiKey);
};
