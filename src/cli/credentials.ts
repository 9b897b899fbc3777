// The key of a call, in the order: --api-key-stdin and --api-key-file, --account, SVC_API_KEY, SVC_ACCOUNT, the active account.
import type { Cli } from './cli.ts';
import { CliError, exitCodes, usageError } from './exit.ts';
import { readText } from './input.ts';

export interface CredentialSource {
  readonly apiKey: string;
  /** For people: `account work`, `SVC_API_KEY`, `--api-key-file`. */
  readonly from: string;
  readonly region: 'global' | 'china';
  /** Kind of a stored key. */
  readonly kind?: 'plan' | 'payg' | 'team' | undefined;
  /** Root that a stored key is bound to, in place of the service's. */
  readonly baseUrl?: string | undefined;
  readonly account?: string | undefined;
}

export async function findCredential(cli: Cli): Promise<CredentialSource> {
  const { values, io } = cli;
  const region = regionOf(values.region ?? io.env['SVC_REGION']);
  if (values.apiKeyStdin === true) return { apiKey: keyIn('stdin', await firstLine(io.stdin)), from: '--api-key-stdin', region: region ?? 'global' };
  if (values.apiKeyFile !== undefined)
    return {
      apiKey: keyIn(values.apiKeyFile, await readText('--api-key-file', values.apiKeyFile)),
      from: '--api-key-file',
      region: region ?? 'global',
    };
  const fromEnv = io.env['SVC_API_KEY'];
  if (values.account === undefined && fromEnv) return { apiKey: fromEnv, from: 'SVC_API_KEY', region: region ?? 'global' };
  throw new CliError('no API key', exitCodes.auth, 'Run `modelsvc accounts add NAME`, or set SVC_API_KEY.');
}

function regionOf(text: string | undefined): 'global' | 'china' | undefined {
  if (text === undefined || text === '') return undefined;
  if (text !== 'global' && text !== 'china') throw usageError(`SVC_REGION must be global or china, not ${JSON.stringify(text)}`);
  return text;
}

function keyIn(place: string, text: string): string {
  const key = text.split(/\r?\n/, 1)[0]?.trim() ?? '';
  if (key === '') throw new CliError(`${place} contains no API key`, exitCodes.auth, 'Its first line must be the key.');
  return key;
}

async function firstLine(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const block of stdin.setEncoding('utf8')) {
    text += String(block);
    if (text.includes('\n') || text.length > 4096) break;
  }
  return text;
}
