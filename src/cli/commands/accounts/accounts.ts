import { accountCredential, accountStore, chooseSource, findCredential } from '../../accounts/credentials.ts';
import { maskedKey } from '../../accounts/key.ts';
import type { AccountStore } from '../../accounts/store.ts';
import type { Cli, Handler } from '../../cli.ts';
import { useAccount, warnOfTools } from '../../coding/wired-tools.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { type CredentialSource, checkedRoot } from '../../hosts.ts';
import type { Column } from '../../terminal/output.ts';
import { type AccountView, viewOf, viewText } from './view.ts';

export const allowHost: Handler = async (cli, input) => {
  const name = input.arg(0);
  const { origin } = checkedRoot('URL', input.arg(1));
  const store = accountStore(cli);
  await store.setHosts(name, (hosts) => {
    if (!input.flag('remove')) return [...hosts, origin];
    if (!hosts.includes(origin)) throw usageError(`account ${name} is not bound to ${origin}`, `It is bound to ${hosts.join(' and ') || 'no host'}.`);
    return hosts.filter((host) => host !== origin);
  });
  await warnOfTools(cli, [name]);
  const { hosts } = await store.secret(name);
  await cli.screen.result({ name, hosts }, () => `The key of account ${name} may be sent to ${hosts.join(' and ') || 'no host'}.`);
};

export const current: Handler = async (cli) => {
  const store = accountStore(cli);
  const choice = await chooseSource(cli, store);
  if (!choice) throw new CliError('no key is in use', exitCodes.auth, 'Run `modelsvc accounts use NAME`, or `modelsvc accounts add NAME`.');
  if (choice.kind === 'account') await store.account(choice.name);
  const source = { stdin: '--api-key-stdin', file: '--api-key-file', variable: 'SVC_API_KEY', account: 'account' }[choice.kind];
  const account = choice.kind === 'account' ? choice.name : null;
  const from = choice.kind === 'account' ? choice.from : source;
  await cli.screen.result({ account, from }, () => account ?? source);
};

export const list: Handler = async (cli) => {
  const { entries, active } = await accountStore(cli).accounts();
  const views = [...entries].map(([name, account]) => viewOf(name, account, active)).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (views.length === 0) cli.screen.note('No accounts. Run `modelsvc accounts add NAME`.');
  if (views.length > 0 || !cli.screen.isText) await cli.screen.list(views, columns);
};

const columns: readonly Column<AccountView>[] = [
  { title: '', text: ({ active }) => (active ? '*' : '') },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'KIND', text: ({ kind }) => kind ?? 'unknown' },
  { title: 'REGION', text: ({ region }) => region },
  { title: 'KEY', text: ({ key }) => key },
  { title: 'STORE', text: ({ store }) => store },
  { title: 'ROOT', text: ({ base_url: root }) => root },
  { title: 'NOTE', text: ({ note }) => note },
];

export const remove: Handler = async (cli, input) => {
  const name = input.arg(0);
  const store = accountStore(cli);
  const { entries, active } = await store.accounts();
  const orphans = await store.orphans();
  // Throws with a suggestion if there is neither an account nor a leftover key with this name.
  if (!orphans.includes(name)) await store.account(name);
  const account = entries.get(name);
  await cli.screen.confirm(`Remove account ${name}${account ? ` and its key ${account.keyMask}` : ''}?`);
  const keepsKey = input.flag('keep-key');
  await store.remove(name, { keepsKey }).catch((error: unknown) => {
    if (account?.store !== 'keychain' || keepsKey || !(error instanceof CliError)) throw error;
    throw new CliError(error.message, error.exitCode, 'Fix this, or leave the key in the keychain with --keep-key.');
  });
  await warnOfTools(cli, [name]);
  const now = (await store.accounts()).active;
  const activeText = now === undefined ? 'No account is active now.' : `Active account: ${now}`;
  const lines = [`Removed account ${name}${keepsKey ? '' : ' and its key'}.`, ...(name === active ? [activeText] : [])];
  await cli.screen.result({ name, removed: true, ...(now !== undefined && { active: now }) }, () => lines.join('\n'));
};

export const rename: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const [from, to] = [input.arg(0), input.arg(1)];
  await store.rename(from, to);
  await warnOfTools(cli, [from, to], to);
  const { entries, active } = await store.accounts();
  const account = entries.get(to);
  await cli.screen.result(account && viewOf(to, account, active), () => `Renamed account ${from} to ${to}.`);
};

/** The given name, or the name from --account, SVC_ACCOUNT or the active account. */
async function chosenAccount(cli: Cli, store: AccountStore, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const choice = await chooseSource(cli, store);
  if (choice?.kind === 'account') return choice.name;
  const { active } = await store.accounts();
  if (active !== undefined) return active;
  throw new CliError('no account is active', exitCodes.notFound, 'Pass NAME, or run `modelsvc accounts use NAME`.');
}

export const show: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const name = await chosenAccount(cli, store, input.args[0]);
  const account = await store.account(name);
  const { active } = await store.accounts();
  const { hosts } = await store.secret(name);
  const view = { ...viewOf(name, account, active), hosts };
  await cli.screen.result(view, () => viewText(cli.screen, view));
};

export const token: Handler = async (cli, input) => {
  if (cli.screen.io.stdout.isTTY === true && !input.flag('reveal'))
    throw usageError('the key would be shown on the terminal', 'Pass it on through a pipe, or show it with --reveal.');
  const name = input.args[0];
  const place = input.text('for');
  const origin = place === undefined ? undefined : checkedRoot('--for', place).origin;
  const credential = name === undefined ? await findCredential(cli) : await accountCredential(cli, accountStore(cli), name);
  if (origin !== undefined) checkHost(credential, origin);
  const { apiKey, from } = credential;
  await cli.screen.result({ api_key: apiKey, from }, () => apiKey);
};

/** A tool asks with the host that it was wired to. The account may have a key of another host since. */
function checkHost({ account, hosts, from }: CredentialSource, origin: string): void {
  if (account === undefined || !hosts) throw usageError(`--for needs a stored account; this key comes from ${from}`, 'Pass the name of the account.');
  if (hosts.includes(origin)) return;
  throw new CliError(
    `account ${account} is bound to ${hosts.join(' and ') || 'no host'}; its key is not printed for ${origin}`,
    exitCodes.auth,
    `Wire the tool again with \`modelsvc coding load TOOL --account ${account}\`, or run \`modelsvc accounts allow-host ${account} ${origin}\`.`,
  );
}

export const use: Handler = async (cli, input) => {
  const name = input.arg(0);
  const store = accountStore(cli);
  await useAccount(cli, name);
  const { SVC_API_KEY: key, SVC_ACCOUNT: account } = cli.screen.io.env;
  if (key) cli.screen.warn('SVC_API_KEY is set and comes before the active account; unset it');
  else if (account && account !== name) cli.screen.warn('SVC_ACCOUNT is set and comes before the active account; unset it');
  await cli.screen.result(viewOf(name, await store.account(name), name), () => `Active account: ${name}`);
};

export const validate: Handler = async (cli, input) => {
  const name = input.args[0];
  const store = accountStore(cli);
  const credential = name === undefined ? await findCredential(cli) : await accountCredential(cli, store, name);
  const { checkKey } = await import('./check.ts');
  const { kind, host } = await checkKey(cli, credential);
  const { account, apiKey, from } = credential;
  // Only a missing kind is stored: a team key looks like any other.
  if (account !== undefined && kind && credential.kind === undefined) await store.update(account, { kind }).then(() => warnOfTools(cli, [account]));
  const shown = credential.kind ?? kind ?? null;
  if (kind && credential.kind && kind !== credential.kind && credential.kind !== 'team')
    cli.screen.warn(`${from} is stored as ${credential.kind}, but the service shows ${kind}`);
  await cli.screen.result({ valid: true, account: account ?? null, from, host, kind: shown, key: maskedKey(apiKey) }, () =>
    cli.screen.clean(`${from}: ${host} accepts the key ${maskedKey(apiKey)} (${shown ?? 'kind unknown'}).`),
  );
};
