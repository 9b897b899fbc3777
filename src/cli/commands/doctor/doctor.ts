import { version } from 'modelsvc';
import { proxyChoice } from '../../../proxy/environment.ts';
import { accountStore, chooseSource, findCredential } from '../../accounts/credentials.ts';
import { maskedKey } from '../../accounts/key.ts';
import type { Cli, Handler } from '../../cli.ts';
import { clientFor, connectDirectly, rootFor } from '../../client.ts';
import { exitCodes } from '../../errors/exit.ts';
import type { CredentialSource } from '../../hosts.ts';
import { type Finding, problemOf } from '../../reports/finding.ts';
import { findingLine } from '../../reports/finding-line.ts';
import { nodeFinding, proxyFindings, storeFindings, variableFindings } from './local.ts';
import { networkFinding, quotaFindings, serviceFindings } from './remote.ts';

export const run: Handler = async (cli) => {
  const findings: Finding[] = [nodeFinding(process.versions.node)];
  const store = accountStore(cli);
  findings.push(...(await storeFindings(store)));
  const choice = await chooseSource(cli, store).catch(() => undefined);
  const active = await store.accounts().then(
    (accounts) => accounts.active,
    () => undefined,
  );
  findings.push(...variableFindings(cli.screen.io.env, choice, active), ...(await keyAndService(cli)));
  cli.signal.throwIfAborted();
  const isOk = findings.every(({ status }) => status !== 'problem');
  await cli.screen.result({ ok: isOk, version, findings }, () => findings.map((one) => findingLine(cli, one)).join('\n'));
  return isOk ? exitCodes.ok : exitCodes.error;
};

async function keyAndService(cli: Cli): Promise<Finding[]> {
  let credential: CredentialSource;
  let origin: URL;
  try {
    credential = await findCredential(cli);
    origin = new URL(new URL(rootFor(cli, credential).root).origin);
  } catch (error) {
    return [await problemOf('key', error)];
  }
  const { from, apiKey, region, kind } = credential;
  const key: Finding = {
    check: 'key',
    status: 'ok',
    text: `${maskedKey(apiKey)} from ${from} (${[kind, region].filter(Boolean).join(', ')}) for ${origin.host}`,
  };
  connectDirectly(origin.href, cli.screen.io.env);
  const proxy = proxyFindings(origin, cli.screen.io.env);
  const { variable, exception } = proxyChoice(origin, cli.screen.io.env);
  // Behind a proxy this machine may have no direct connection to the host. The calls below use the proxy.
  const network = variable !== undefined && exception === undefined ? undefined : await networkFinding(origin, cli.signal);
  const begin = [key, ...proxy, ...(network ? [network] : [])];
  if (network?.status === 'problem') return begin;
  cli.run.hasNamedExceptions = true;
  const client = await clientFor(cli, credential);
  const service = await serviceFindings(cli, client);
  const isAccepted = service.every(({ check, status }) => check !== 'service' || status === 'ok');
  const quota = isAccepted && kind !== 'payg' ? await quotaFindings(cli, client) : [];
  return [...begin, ...service, ...quota];
}
