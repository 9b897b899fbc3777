// The account that a command without NAME is about.

import { chooseSource } from '../../accounts/credentials.ts';
import type { AccountStore } from '../../accounts/store.ts';
import type { Cli } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';

/** The given name, or that of --account, SVC_ACCOUNT or the active account. */
export async function chosenAccount(cli: Cli, store: AccountStore, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const choice = await chooseSource(cli, store);
  if (choice?.kind === 'account') return choice.name;
  const { active } = await store.accounts();
  if (active !== undefined) return active;
  throw new CliError('no account is active', exitCodes.notFound, 'Pass NAME, or run `modelsvc accounts use NAME`.');
}
