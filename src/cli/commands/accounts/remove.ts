import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { warnOfTools } from '../../coding/wired-tools.ts';
import { CliError } from '../../errors/exit.ts';

export const run: Handler = async (cli, input) => {
  const name = input.arg(0);
  const store = accountStore(cli);
  const { entries, active } = await store.accounts();
  const orphans = await store.orphans();
  // Throws with a suggestion if there is neither an account nor a left key of the name.
  if (!orphans.includes(name)) await store.account(name);
  const account = entries.get(name);
  await cli.confirm(`Remove account ${name}${account ? ` and its key ${account.keyMask}` : ''}?`);
  const keepsKey = input.flag('keep-key');
  await store.remove(name, { keepsKey }).catch((error: unknown) => {
    if (account?.store !== 'keychain' || keepsKey || !(error instanceof CliError)) throw error;
    throw new CliError(error.message, error.exitCode, 'Solve this, or leave the key in the keychain with --keep-key.');
  });
  await warnOfTools(cli, name, 'unload');
  const lines = [`Removed account ${name}${keepsKey ? '' : ' and its key'}.`, ...(name === active ? ['No account is active now.'] : [])];
  await cli.output.result({ name, removed: true }, () => lines.join('\n'));
};
