import { accountStore, givenKey } from '../../accounts/credentials.ts';
import type { AccountKind, NewAccount } from '../../accounts/format.ts';
import { keyIn, maskedKey } from '../../accounts/key.ts';
import type { AccountStore } from '../../accounts/store.ts';
import { type Team, teamIn } from '../../accounts/team.ts';
import type { Cli, Handler } from '../../cli.ts';
import { warnOfTools } from '../../coding/wired-tools.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { checkedRoot, platformRoots } from '../../hosts.ts';
import type { Screen } from '../../terminal/screen.ts';
import { checkKey } from './check.ts';
import { viewOf } from './view.ts';

export const run: Handler = async (cli, input) => {
  const store = accountStore(cli);
  const name = input.args[0] ?? (await missingName(cli.screen, store));
  await store.checkAddable(name, { isReplacing: input.flag('replace') });
  // SVC_REGION does not count: a variable must not decide where a stored key goes.
  const region = cli.values.region ?? 'global';
  const { baseUrl } = cli.values;
  const root = checkedRoot('--base-url', baseUrl ?? platformRoots[region]);
  const chosen = teamIn(input);
  const given = (input.text('kind') as AccountKind | undefined) ?? (chosen && 'team');
  if (chosen && given !== 'team') throw usageError(`--organization is for --kind team, not ${given}`);
  const secret = { apiKey: await newKey(cli, name), hosts: [root.origin] };
  const team = chosen ?? (given === 'team' ? await askedTeam(cli.screen) : undefined);
  const kind = input.flag('no-validate') ? given : await validKind(cli, { secret, region, baseUrl, team }, given);
  const note = input.text('note');
  const place = input.text('store') === 'keychain' ? 'keychain' : 'file';
  const account: NewAccount = {
    name,
    region,
    store: place,
    secret,
    ...(kind && { kind }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...team,
    ...(note !== undefined && { note }),
  };
  await store.put([account], { isReplacing: input.flag('replace') });
  await warnOfTools(cli, [name]);
  const { entries, active } = await store.accounts();
  const stored = entries.get(name);
  if (!stored) return;
  const facts = [kind ?? 'kind unknown', region, ...(baseUrl === undefined ? [] : [root.origin]), maskedKey(secret.apiKey)].join(', ');
  const lines = [`Stored account ${name} (${facts}) in ${placeText(store, place)}.`];
  lines.push(active === name ? 'It is the active account.' : `Use it with \`modelsvc accounts use ${name}\`.`);
  await cli.screen.result({ ...viewOf(name, stored, active), hosts: secret.hosts }, () => cli.screen.clean(lines.join('\n')));
};

/** A first account needs no name of its own. */
async function missingName(screen: Screen, store: AccountStore): Promise<string> {
  const { entries } = await store.accounts();
  if (entries.size === 0) return 'default';
  if (!screen.isInteractive)
    throw usageError('a second account needs a name', `Run \`modelsvc accounts add NAME\`. Stored: ${[...entries.keys()].join(', ')}.`);
  const answer = await (await screen.questions()).line('Name of the account');
  if (answer === undefined) throw new CliError('interrupted', exitCodes.interrupted, 'No account was stored.');
  return answer.trim();
}

export function placeText({ credentialsFile }: AccountStore, place: 'file' | 'keychain'): string {
  return place === 'keychain' ? 'the keychain of the system' : credentialsFile;
}

async function newKey(cli: Cli, name: string): Promise<string> {
  if (cli.values.apiKeyFile !== undefined || cli.values.apiKeyStdin === true || cli.screen.io.stdin.isTTY !== true) return givenKey(cli);
  if (!cli.screen.isInteractive) throw usageError('no API key given', 'Pipe it into the command, or pass --api-key-file FILE.');
  const answer = await (await cli.screen.questions()).secret(`API key of account ${name} (hidden)`);
  if (answer === undefined) throw new CliError('interrupted', exitCodes.interrupted, 'No account was stored.');
  return keyIn('the answer', answer);
}

/** Asks for the ids of a team. Without a terminal, the key is stored without them. */
async function askedTeam(screen: Screen): Promise<Team | undefined> {
  if (!screen.isInteractive) {
    screen.warn('the quota of a team needs --organization and --project, which were not given');
    return undefined;
  }
  const questions = await screen.questions();
  const [organization, project] = [await questions.line('Organization of the team'), await questions.line('Project of the team')];
  if (organization === undefined || project === undefined) throw new CliError('interrupted', exitCodes.interrupted, 'No account was stored.');
  if (organization.trim() === '' || project.trim() === '') throw usageError('an id of the team is empty', 'The page of the team shows both ids.');
  return { organization: organization.trim(), project: project.trim() };
}

/** The kind that the service shows. Throws if the service refuses the key. */
async function validKind(
  cli: Cli,
  { secret, ...place }: Pick<NewAccount, 'secret' | 'region'> & { readonly baseUrl: string | undefined; readonly team: Team | undefined },
  given: AccountKind | undefined,
): Promise<AccountKind | undefined> {
  try {
    const { kind } = await checkKey(cli, { ...place, apiKey: secret.apiKey, from: 'the new key' });
    if (given && kind && given !== kind && given !== 'team') cli.screen.warn(`the service shows a key of kind ${kind}; it is stored as ${given}`);
    return given ?? kind;
  } catch (error) {
    cli.screen.note('The key was not stored. --no-validate stores it without a check.');
    throw error;
  }
}
