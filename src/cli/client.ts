// The library's client from the options of the command. The only file that decides to which host a key goes.
import { type Client, type Config, type Hook, newClient, RegionChina, RegionGlobal, version } from 'modelsvc';
import type { Cli } from './cli.ts';
import { usageError } from './exit.ts';

const platformRoot = { global: undefined, china: 'https://open.bigmodel.cn/api/paas/v4' } as const;
const planRoot = { global: 'https://api.z.ai/api/coding/paas/v4', china: 'https://open.bigmodel.cn/api/coding/paas/v4' } as const;

export async function makeClient(cli: Cli): Promise<Client> {
  const { values } = cli;
  const credential = await cli.credential();
  const { region } = credential;
  const endpoint = values.baseUrl ?? credential.baseUrl;
  if (endpoint !== undefined && values.planEndpoint === true) throw usageError('--base-url and --plan-endpoint exclude each other');
  const baseURL = values.planEndpoint === true ? planRoot[region] : platformRoot[region];
  const hooks: Hook[] = [retryNotes(cli)];
  if (values.debug === true) {
    const { debugHook } = await import('modelsvc/debug');
    hooks.push(debugHook({ write: (line) => void cli.io.stderr.write(`${line}\n`) }));
  }
  const config: Config = {
    apiKey: credential.apiKey,
    region: region === 'china' ? RegionChina : RegionGlobal,
    userAgent: `modelsvc-cli/${version}`,
    hooks,
    ...(endpoint !== undefined && { endpoints: endpoint }),
    ...(endpoint === undefined && baseURL !== undefined && { baseURL }),
    ...(values.timeout !== undefined && { timeout: values.timeout }),
    ...(values.retries !== undefined && { maxRetries: values.retries }),
  };
  return newClient(config);
}

/** Retries and waiting on stderr, so that a slow command explains itself. */
function retryNotes(cli: Cli): Hook {
  return {
    onRetry: (_meta, error, delayMs) => {
      if (delayMs !== undefined) cli.output.note(`retrying in ${(delayMs / 1000).toFixed(1)} s: ${firstLine(error)}`);
    },
  };
}

function firstLine({ message }: Error): string {
  return message.split('\n', 1)[0] ?? '';
}
