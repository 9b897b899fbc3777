import { existsSync } from 'node:fs';
import { fileProblem } from '../../../store/error.ts';
import { realTarget } from '../../../store/file.ts';
import { replaceFile } from '../../../store/replace.ts';
import { accountStore } from '../../accounts/credentials.ts';
import type { Secret, StoredAccount } from '../../accounts/format.ts';
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { checkOutput } from '../../transfer/output-is-input.ts';

export const run: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const isRevealing = input.flag('reveal');
  const file = input.text('out') === '-' ? undefined : input.text('out');
  if (isRevealing && file === undefined && cli.screen.io.stdout.isTTY === true)
    throw usageError('keys are not printed on a terminal', 'Write them to a file with -O FILE.');
  if (isRevealing && file === undefined && cli.values.yes !== true)
    throw usageError('--reveal prints complete keys', 'Confirm with --yes, or write them to a file with -O FILE.');
  if (file !== undefined && !input.flag('force') && existsSync(file))
    throw usageError(`${file} exists`, 'Choose another file, or replace it with --force.');
  const own = [store.accountsFile, store.credentialsFile].map((path) => ({ name: 'a file of the store', path }));
  if (file !== undefined) checkOutput(input, file, own);
  const { entries } = await store.accounts();
  const names = input.args.length > 0 ? input.args : [...entries.keys()];
  const accounts: Record<string, unknown> = Object.create(null);
  for (const name of names) accounts[name] = exported(await store.account(name), isRevealing ? await store.secret(name) : undefined);
  const value = { version: 1, accounts };
  if (file === undefined) return cli.screen.result(value, () => cli.screen.json(value, 2));
  const target = await realTarget(file);
  await replaceFile(target, `${JSON.stringify(value, null, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(fileProblem(file, error), exitCodes.error, 'Choose another file with -O.');
  });
  cli.screen.note(`Wrote ${names.length} ${names.length === 1 ? 'account' : 'accounts'} to ${file}${isRevealing ? ', with complete keys' : ''}.`);
};

function exported({ keyId: _id, store: _store, ...account }: StoredAccount, secret: Secret | undefined): object {
  return { ...account, ...secret };
}
