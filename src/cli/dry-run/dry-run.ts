// `--dry-run`: the command runs up to its first request, which is printed and not sent.
import type { Config } from 'modelsvc';
import { jsonValue } from '../files/json.ts';
import type { GlobalValues } from '../table/global-options.ts';
import type { Output } from '../terminal/output.ts';
import { sizeText } from '../terminal/progress.ts';
import { curlCommand } from './curl.ts';
import { type DryRequest, recordedRequest } from './request.ts';

/** The part of a command's surroundings that keeps the request and prints it. */
interface Recorder {
  readonly values: GlobalValues;
  readonly screen: Output;
  readonly dryRequest: DryRequest | undefined;
  endDryRun(request: DryRequest): void;
}

/** The part of the Config that records the first request and ends the command, as Ctrl-C would. */
export function recordingConfig(cli: Recorder): Partial<Config> {
  return {
    maxRetries: 0,
    // An upload from stdin may be slow.
    timeout: 0,
    httpClient: async (url, init) => {
      const request = await recordedRequest(url, init);
      cli.endDryRun(request);
      throw new Error('not sent: --dry-run');
    },
  };
}

/**
 * Runs a command whose client has the recording Config, and prints the request. `words` is the command line. Returns the exit code of a command that
 * ended without a request.
 */
export async function dryRun(cli: Recorder, run: () => Promise<number | undefined>, words: readonly string[]): Promise<number | undefined> {
  let code: number | undefined;
  try {
    code = await run();
  } catch (error) {
    if (!cli.dryRequest) throw error;
  }
  cli.screen.isSilent = false;
  const { dryRequest: request } = cli;
  if (!request) {
    cli.screen.note('The command sends no request.');
    return code;
  }
  const { body, form, ...head } = request;
  const value = { ...head, ...(body !== undefined && { body: parsed(body) }), ...(form && { form }) };
  const command = (): string => curlCommand(request, words);
  if (cli.values.dryRun === 'curl') await cli.screen.result({ curl: command() }, () => cli.screen.clean(command()));
  else await cli.screen.result(value, () => cli.screen.clean(requestText(request)));
  return undefined;
}

function requestText({ method, url, headers, body, form }: DryRequest): string {
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  if (body !== undefined) {
    const value = parsed(body);
    lines.push('', typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  }
  if (form)
    lines.push('', ...form.map((part) => `${part.name}: ${'value' in part ? part.value : `${part.filename}, ${part.type}, ${sizeText(part.size)}`}`));
  return lines.join('\n');
}

function parsed(body: string): unknown {
  const value = jsonValue(body);
  return value === undefined ? body : value;
}
