// Checks that need no network: Node, the store, the variables.
import { stat } from 'node:fs/promises';
import { proxyChoice } from '../../../proxy/environment.ts';
import { modeText } from '../../../store/file.ts';
import type { KeyChoice } from '../../accounts/credentials.ts';
import type { StoredAccount } from '../../accounts/format.ts';
import { fingerprint } from '../../accounts/key.ts';
import type { AccountStore } from '../../accounts/store.ts';
import { regionAt } from '../../hosts.ts';
import { type Finding, problemOf } from '../../reports/finding.ts';
import { unreadNext, unreadText } from '../../reports/proxy-words.ts';

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && minor < 19);
  const text = `Node ${version} on ${process.platform} ${process.arch}`;
  if (!isOld) return { check: 'node', status: 'ok', text };
  return { check: 'node', status: 'problem', text: `${text} is too old`, next: 'Install Node 20.19 or later.' };
}

export async function storeFindings(store: AccountStore): Promise<Finding[]> {
  try {
    const { entries } = await store.accounts();
    const findings: Finding[] = [await folderFinding(store, entries.size)];
    for (const [name, account] of entries) findings.push(...(await keyFindings(store, name, account)));
    for (const name of await store.orphans())
      findings.push({
        check: 'store',
        status: 'problem',
        text: `${store.credentialsFile} has a key of ${name} that no account uses`,
        next: `Remove it with \`modelsvc accounts remove ${name}\`, or store it again with \`modelsvc accounts add ${name} --replace\`.`,
      });
    return findings;
  } catch (error) {
    return [await problemOf('store', error)];
  }
}

async function folderFinding({ folder }: AccountStore, count: number): Promise<Finding> {
  const facts = await stat(folder).catch(() => undefined);
  if (!facts) return { check: 'store', status: 'ok', text: `${folder} does not exist yet: no accounts` };
  const text = `${folder} (mode ${modeText(facts.mode)}): ${count} ${count === 1 ? 'account' : 'accounts'}`;
  if (process.platform === 'win32' || (facts.mode & 0o077) === 0) return { check: 'store', status: 'ok', text };
  return { check: 'store', status: 'problem', text: `${text}; the folder is open to other users`, next: `Run \`chmod 700 ${folder}\`.` };
}

/** A key in the keychain is not read here: that may ask the user. */
async function keyFindings(store: AccountStore, name: string, { store: place, keyFingerprint }: StoredAccount): Promise<Finding[]> {
  if (place === 'keychain') return [];
  try {
    const { apiKey } = await store.secret(name);
    if (fingerprint(apiKey) === keyFingerprint) return [];
    return [
      {
        check: 'store',
        status: 'problem',
        text: `the key of account ${name} differs from its fingerprint: a file was edited by hand`,
        next: `Run \`modelsvc accounts add ${name} --replace\`.`,
      },
    ];
  } catch (error) {
    return [await problemOf('store', error)];
  }
}

const foreignKeys = ['ZAI_API_KEY', 'Z_AI_API_KEY', 'ZHIPUAI_API_KEY', 'ZHIPU_API_KEY', 'BIGMODEL_API_KEY', 'GLM_API_KEY'];
const unread = ['SVC_BASE_URL'];

/** Variables that conflict, or have no effect where a user may expect one. */
export function variableFindings(env: NodeJS.ProcessEnv, choice: KeyChoice | undefined, active: string | undefined): Finding[] {
  const findings: Finding[] = [];
  const note = (text: string, next: string): void => void findings.push({ check: 'variables', status: 'note', text, next });
  const { SVC_API_KEY: key, SVC_ACCOUNT: account, SVC_REGION: region } = env;
  if (key && account) note('SVC_API_KEY and SVC_ACCOUNT are set; SVC_API_KEY comes first', 'Unset one of them.');
  else if (key && active !== undefined) note(`SVC_API_KEY is set and comes before the active account ${active}`, 'Unset it, or pass --account.');
  if (region && choice?.kind === 'account') note('SVC_REGION has no effect on a stored key', 'Unset it, or pass --region.');
  const root = env['SVC_API_BASE_URL'];
  if (root && choice?.kind === 'account') note('SVC_API_BASE_URL has no effect on a stored key', 'Unset it, or pass --base-url.');
  else if (root && URL.canParse(root) && regionAt(new URL(root)) === undefined)
    note(
      'SVC_API_BASE_URL is the root of every operation here; with newClientFromEnv of the library, messages, Responses, agents, quota, account, embeddings and moderations still go to the vendor',
      'In a program, set endpoints too.',
    );
  for (const name of unread.filter((one) => env[one]))
    note(`the command line does not read ${name}`, 'Pass --base-url, or store the root with `modelsvc accounts add`.');
  for (const name of foreignKeys.filter((one) => env[one]))
    note(`the command line does not read ${name}`, 'Store the key with `modelsvc accounts import --from env`.');
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    findings.push({
      check: 'variables',
      status: 'problem',
      text: 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates: anyone on the path can read the key',
      next: 'Unset it. For a company certificate set NODE_EXTRA_CA_CERTS.',
    });
  return findings.length > 0 ? findings : [{ check: 'variables', status: 'ok', text: 'no conflicting variables' }];
}

/** The proxy for the host in use, without user and password, and the entry of NO_PROXY that excepts the host. Empty without a proxy. */
export function proxyFindings(origin: URL, env: NodeJS.ProcessEnv): Finding[] {
  const { variable, value, exception, exceptions, unread } = proxyChoice(origin, env);
  if (variable === undefined || value === undefined) return [];
  const name = `${variable}=${hostOf(value)}`;
  const [text, next] =
    exception === undefined
      ? [
          `${origin.host} goes through ${name}${env[exceptions] ? `: no entry of ${exceptions} matches it` : ''}`,
          `Unset the variable, or add the host to ${exceptions}, to connect directly.`,
        ]
      : [`${origin.host} goes around ${name}: ${JSON.stringify(exception)} in ${exceptions} matches it`, `Remove the entry to use the proxy.`];
  const unreadFinding: Finding = { check: 'proxy', status: 'note', text: unreadText(exceptions, unread), next: unreadNext };
  return [{ check: 'proxy', status: 'note', text, next }, ...(unread.length > 0 ? [unreadFinding] : [])];
}

function hostOf(proxy: string): string {
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  return URL.canParse(text) && new URL(text).host !== '' ? new URL(text).host : '(not a URL)';
}
