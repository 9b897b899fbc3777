import { accountCredential, accountStore, findCredential } from '../../accounts/credentials.ts';
import { maskedKey } from '../../accounts/key.ts';
import type { Handler } from '../../cli.ts';
import { checkKey } from './check.ts';

export const run: Handler = async (cli, input) => {
  const name = input.args[0];
  const store = accountStore(cli);
  const credential = name === undefined ? await findCredential(cli) : await accountCredential(cli, store, name);
  const { kind, host } = await checkKey(cli, credential);
  const { account, apiKey, from } = credential;
  // Only a missing kind is stored: a team key looks like any other.
  if (account !== undefined && kind && credential.kind === undefined) await store.update(account, { kind });
  const shown = credential.kind ?? kind ?? null;
  if (kind && credential.kind && kind !== credential.kind && credential.kind !== 'team')
    cli.output.warn(`${from} is stored as ${credential.kind}, but the service shows ${kind}`);
  await cli.output.result({ valid: true, account: account ?? null, from, host, kind: shown, key: maskedKey(apiKey) }, () =>
    cli.output.clean(`${from}: ${host} accepts the key ${maskedKey(apiKey)} (${shown ?? 'kind unknown'}).`),
  );
};
