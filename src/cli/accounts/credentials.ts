// The key of a call is the first of: --api-key-stdin or --api-key-file, --account, SVC_API_KEY, SVC_ACCOUNT, the account of the folder, the active account.
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { readText } from '../files/text.ts';
import { type CredentialSource, checkedRoot, isPlanRoot, platformRoots, regionAt, rootUrl } from '../hosts.ts';
import { storeFolder } from './folder.ts';
import { keyIn } from './key.ts';
import { factsOf } from './rules.ts';
import { AccountStore } from './store.ts';
import { teamOf } from './team.ts';

/** Source of the key, before the key itself is read. */
export type KeyChoice =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: 'SVC_API_KEY'; readonly value: string }
  | { readonly kind: 'account'; readonly name: string; readonly from: '--account' | 'SVC_ACCOUNT' | 'folder' | 'active' };

export function accountStore(cli: Cli): AccountStore {
  return new AccountStore(storeFolder(cli.screen.io.env), cli.signal);
}

/** The source that the options and variables select; undefined if there is none. */
export async function chooseSource(cli: Cli, store: AccountStore = accountStore(cli)): Promise<KeyChoice | undefined> {
  const {
    values,
    screen: { io },
  } = cli;
  if (values.apiKeyStdin === true && values.apiKeyFile !== undefined) throw usageError('--api-key-stdin and --api-key-file exclude each other');
  if (values.apiKeyStdin === true) return { kind: 'stdin' };
  if (values.apiKeyFile !== undefined) return { kind: 'file', path: values.apiKeyFile };
  if (values.account !== undefined) return { kind: 'account', name: values.account, from: '--account' };
  const { SVC_API_KEY: value, SVC_ACCOUNT: name } = io.env;
  if (value) return { kind: 'variable', name: 'SVC_API_KEY', value };
  if (name) return { kind: 'account', name, from: 'SVC_ACCOUNT' };
  const own = cli.setting('account');
  if (own !== undefined) return { kind: 'account', name: own, from: 'folder' };
  const { active } = await store.accounts();
  return active === undefined ? undefined : { kind: 'account', name: active, from: 'active' };
}

/** The key of a command. `--dry-run` works without a key, because its request is only printed. */
export async function credentialOf(cli: Cli): Promise<CredentialSource> {
  if (!cli.isDryRun) return noted(cli, await findCredential(cli));
  return findCredential(cli).catch((error: unknown) => {
    const { account, apiKeyFile, apiKeyStdin } = cli.values;
    if (account !== undefined || apiKeyFile !== undefined || apiKeyStdin || !(error instanceof CliError && error.exitCode === exitCodes.auth))
      throw error;
    return { apiKey: 'no-key', from: '--dry-run', ...passedPlace(cli) };
  });
}

/** A variable must not decide where a stored key goes. */
function noted(cli: Cli, credential: CredentialSource): CredentialSource {
  if (credential.account !== undefined && cli.values.baseUrl === undefined && variable(cli, baseVariable) !== '')
    cli.screen.note(`${baseVariable} has no effect on a stored key: ${credential.from} keeps its host. Pass --base-url to choose another.`);
  return credential;
}

const baseVariable = 'SVC_API_BASE_URL';

/** Where a key goes that the user passes with the call. A root of the service decides the region; another root is used for every operation. */
export function passedPlace(cli: Cli): Pick<CredentialSource, 'region' | 'baseUrl'> {
  const { baseUrl, region } = cli.values;
  const asked = region ?? regionOf(variable(cli, 'SVC_REGION'));
  const [place, text] = baseUrl === undefined ? [baseVariable, variable(cli, baseVariable)] : ['--base-url', baseUrl];
  if (text === '') return { region: asked ?? 'global', baseUrl: undefined };
  // The library checks an option, in the words of the option.
  const url = baseUrl === undefined ? checkedRoot(place, text) : rootUrl(text);
  const own = url?.username === '' ? regionAt(url) : undefined;
  if (!url || own === undefined) return { region: asked ?? 'global', baseUrl: text };
  if (asked !== undefined && asked !== own)
    throw usageError(
      `${place} is a root of ${url.host}, and ${region === undefined ? 'SVC_REGION' : '--region'} is ${asked}`,
      'Leave one of them out.',
    );
  const root = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (isPlanRoot(root)) return { region: own, baseUrl: cli.values.planEndpoint === true ? undefined : root };
  if (root !== platformRoots[own]) throw usageError(`${place} has a path that ${url.host} does not have`, `Use ${platformRoots[own]}.`);
  return { region: own, baseUrl: undefined };
}

/** The value of a variable, without one pair of quotes around it. Empty if it is not set. */
export function variable({ screen: { io } }: Cli, name: string): string {
  return (io.env[name] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
}

export async function findCredential(cli: Cli): Promise<CredentialSource> {
  const store = accountStore(cli);
  const choice = await chooseSource(cli, store);
  if (!choice) throw await noKey(store);
  if (choice.kind === 'account')
    return accountCredential(cli, store, choice.name).catch((error: unknown) => {
      if (choice.from !== 'folder' || !(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
      throw new CliError(`${error.message}, the account of this folder`, error.exitCode, 'Run `modelsvc config unset account --folder`.');
    });
  if (choice.kind === 'variable') return { apiKey: keyIn(choice.name, choice.value), from: choice.name, ...passedPlace(cli) };
  const from = choice.kind === 'stdin' ? '--api-key-stdin' : '--api-key-file';
  return { apiKey: await givenKey(cli), from, ...passedPlace(cli) };
}

/** A stored key. Its region is `--region`, or the account's. SVC_REGION applies only to keys without an account. */
export async function accountCredential(cli: Cli, store: AccountStore, name: string): Promise<CredentialSource> {
  const account = await store.account(name);
  const { kind, baseUrl, region } = account;
  const { apiKey, hosts } = await store.secret(name);
  return {
    kind,
    baseUrl: cli.values.baseUrl ?? baseUrl,
    team: teamOf(account),
    apiKey: keyIn(`account ${name}`, apiKey),
    hosts,
    account: name,
    facts: factsOf(account),
    from: `account ${name}`,
    region: cli.values.region ?? region,
  };
}

/** The key of --api-key-stdin or --api-key-file. */
export async function givenKey(cli: Cli): Promise<string> {
  const { values } = cli;
  if (values.apiKeyFile !== undefined) return keyIn(values.apiKeyFile, await readText('--api-key-file', values.apiKeyFile));
  return keyIn('stdin', await firstLine(cli.screen.stdin()));
}

class NoKey extends CliError {}

/** True if the user has chosen no key. */
export function isWithoutKey(error: unknown): boolean {
  return error instanceof NoKey;
}

async function noKey(store: AccountStore): Promise<CliError> {
  const { entries } = await store.accounts();
  const next =
    entries.size > 0 ? 'Run `modelsvc accounts use NAME`, or pass --account NAME.' : 'Run `modelsvc accounts add NAME`, or set SVC_API_KEY.';
  return new NoKey(entries.size > 0 ? 'no API key: no account is active' : 'no API key', exitCodes.auth, next);
}

function regionOf(text: string): 'global' | 'china' | undefined {
  if (text === '') return undefined;
  if (text !== 'global' && text !== 'china') throw usageError(`SVC_REGION must be global or china, not ${JSON.stringify(text)}`);
  return text;
}

async function firstLine(stdin: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const block of stdin) {
    text += decoder.decode(block, { stream: true });
    if (text.includes('\n') || text.length > 4096) break;
  }
  return text;
}
