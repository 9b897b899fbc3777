import { join } from 'node:path';
import { accountStore } from '../../accounts/credentials.ts';
import { homeFolder } from '../../accounts/folder.ts';
import { isAccountName, type NewAccount, type StoredAccount } from '../../accounts/format.ts';
import { fingerprint, keyIn, maskedKey } from '../../accounts/key.ts';
import type { Handler } from '../../cli.ts';
import { warnOfTools } from '../../coding/wired-tools.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { isFields } from '../../files/json.ts';
import { readText } from '../../files/text.ts';
import { checkedRoot, platformRoots, type RegionName } from '../../hosts.ts';
import { placeText } from './add.ts';

type FoundAccount = Omit<NewAccount, 'store'>;

const anySource = 'Pass FILE, --from env or --from chelper.';

export const run: Handler = async (cli, input) => {
  const [file] = input.args;
  const source = input.text('from') ?? (file === undefined ? undefined : 'file');
  if (source === undefined) throw usageError('no source to import from', anySource);
  if ((source === 'file') !== (file !== undefined))
    throw usageError(source === 'file' ? 'FILE is missing' : `FILE and --from ${source} exclude each other`, anySource);
  const found = source === 'env' ? fromEnv(cli.screen.io.env) : source === 'chelper' ? await fromHelper() : await fromExport(file as string);
  const store = accountStore(cli);
  const place = input.text('store') === 'keychain' ? 'keychain' : 'file';
  const { entries } = await store.accounts();
  const known = new Map([...entries].map(([one, { keyFingerprint }]) => [keyFingerprint, one]));
  const added: NewAccount[] = [];
  for (const one of found) {
    const account = known.get(fingerprint(one.secret.apiKey));
    if (account === undefined) added.push({ ...one, store: place });
    else cli.screen.note(`The key ${maskedKey(one.secret.apiKey)} is stored already, as account ${account}.`);
  }
  if (added.length > 0) await store.put(added, { isReplacing: input.flag('replace') });
  await warnOfTools(
    cli,
    added.map((one) => one.name),
  );
  const views = added.map((one) => ({ name: one.name, region: one.region, kind: one.kind ?? null, key: maskedKey(one.secret.apiKey), store: place }));
  if (added.length > 0) cli.screen.note(`Stored in ${placeText(store, place)}. Check a key with \`modelsvc accounts validate NAME\`.`);
  await cli.screen.list(views, [
    { title: 'NAME', text: (view) => view.name },
    { title: 'REGION', text: (view) => view.region },
    { title: 'KEY', text: (view) => view.key },
  ]);
};

/** Variables with keys, and the region that they are for. */
const variables: readonly (readonly [name: string, region: RegionName | undefined])[] = [
  ['SVC_API_KEY', undefined],
  ['ZAI_API_KEY', 'global'],
  ['Z_AI_API_KEY', 'global'],
  ['ZHIPUAI_API_KEY', 'china'],
  ['ZHIPU_API_KEY', 'china'],
  ['BIGMODEL_API_KEY', 'china'],
  ['GLM_API_KEY', 'china'],
];

function fromEnv(env: NodeJS.ProcessEnv): FoundAccount[] {
  const own = env['SVC_REGION'] === 'china' ? 'china' : 'global';
  const found = new Map<string, FoundAccount>();
  for (const [name, region = own] of variables) {
    const value = env[name];
    if (!value) continue;
    const apiKey = keyIn(name, value);
    if (!found.has(apiKey)) found.set(apiKey, bound(name.replace('_API_KEY', '').toLowerCase().replaceAll('_', '-'), apiKey, region));
  }
  if (found.size === 0)
    throw new CliError('no variable contains a key', exitCodes.notFound, `Set one of ${variables.map(([name]) => name).join(', ')}.`);
  return [...found.values()];
}

function bound(name: string, apiKey: string, region: RegionName): FoundAccount {
  return { name, region, secret: { apiKey, hosts: [new URL(platformRoots[region]).origin] } };
}

/** The file of the vendor's coding helper: `plan` and `api_key`. */
async function fromHelper(): Promise<FoundAccount[]> {
  const path = join(homeFolder(), '.chelper', 'config.yaml');
  const { parse } = await import('yaml');
  const value = parsed(path, await readText('--from chelper', path), parse);
  const { plan, api_key: key } = value;
  if (typeof key !== 'string') throw new CliError(`${path} has no api_key`, exitCodes.notFound, 'Add the key with `modelsvc accounts add NAME`.');
  return [{ ...bound('chelper', keyIn(path, key), plan === 'glm_coding_plan_china' ? 'china' : 'global'), kind: 'plan' }];
}

async function fromExport(path: string): Promise<FoundAccount[]> {
  const { accounts } = parsed(path, await readText('FILE', path), JSON.parse);
  if (!isFields(accounts)) throw usageError(`${path} is not an export of accounts`, 'Write one with `modelsvc accounts export --reveal -O FILE`.');
  return Object.entries(accounts).map(([name, value]) => fromEntry(path, name, value));
}

function fromEntry(path: string, name: string, value: unknown): FoundAccount {
  const { apiKey, hosts, region, kind, baseUrl, organization, project, note, createdAt } = (
    isFields(value) ? value : {}
  ) as Partial<StoredAccount> & {
    apiKey?: unknown;
    hosts?: unknown;
  };
  if (!isAccountName(name) || (region !== 'global' && region !== 'china')) throw usageError(`${path}: account ${JSON.stringify(name)} is not valid`);
  if (typeof apiKey !== 'string') throw usageError(`${path}: account ${name} has no key`, 'Export with --reveal.');
  if (kind !== undefined && !['plan', 'payg', 'team'].includes(kind)) throw usageError(`${path}: account ${name} has no valid kind`);
  const origin = checkedRoot(`${path}: baseUrl of ${name}`, baseUrl === undefined ? platformRoots[region] : String(baseUrl)).origin;
  const origins = Array.isArray(hosts) ? hosts.map((host) => checkedRoot(`${path}: hosts of ${name}`, String(host)).origin) : [origin];
  return {
    name,
    region,
    secret: { apiKey: keyIn(`${path}: account ${name}`, apiKey), hosts: origins },
    ...(kind && { kind }),
    ...(baseUrl !== undefined && { baseUrl: String(baseUrl) }),
    ...(typeof organization === 'string' && { organization }),
    ...(typeof project === 'string' && { project }),
    ...(typeof note === 'string' && { note }),
    ...(typeof createdAt === 'string' && { createdAt }),
  };
}

/** The message of the parser is dropped: it quotes the text, which contains keys. */
function parsed(path: string, text: string, parse: (text: string) => unknown): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw usageError(`${path} cannot be parsed`, 'Check its syntax.');
  }
  if (!isFields(value)) throw usageError(`${path} contains no object`);
  return value;
}
