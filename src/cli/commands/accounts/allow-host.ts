import { accountStore } from '../../accounts/credentials.ts';
import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { checkedRoot } from '../../hosts.ts';

export const run: Handler = async (cli, input) => {
  const name = input.arg(0);
  const { origin } = checkedRoot('URL', input.arg(1));
  const store = accountStore(cli);
  await store.setHosts(name, (hosts) => {
    if (!input.flag('remove')) return [...hosts, origin];
    if (!hosts.includes(origin)) throw usageError(`account ${name} is not bound to ${origin}`, `It is bound to ${hosts.join(' and ') || 'no host'}.`);
    return hosts.filter((host) => host !== origin);
  });
  const { hosts } = await store.secret(name);
  await cli.output.result({ name, hosts }, () => `The key of account ${name} may be sent to ${hosts.join(' and ') || 'no host'}.`);
};
