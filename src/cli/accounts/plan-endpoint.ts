// `--plan-endpoint` needs one acknowledgement of the terms, which is remembered in the folder of the configuration.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { isFields, type JsonFields, jsonValue } from '../files/json.ts';
import { makeFolder } from '../files/make-folder.ts';
import { replaceFile } from '../files/replace-file.ts';
import { fileProblem } from '../files/text.ts';
import { storeFolder } from './folder.ts';

const policy =
  'The terms of the coding plan limit its endpoint to the coding tools that the vendor lists. ' +
  'Direct calls of the API are not one of them; the vendor may throttle, freeze or ban the account for them. ' +
  'Without --plan-endpoint the command uses the general endpoint, which is billed by use.';

const fileName = 'acknowledged.json';
const name = 'plan-endpoint';

/**
 * Asks for the acknowledgement, or accepts `--yes`. Throws a usage error if there is no terminal. Returns without a question if the terms are
 * acknowledged already, and for a dry run, which does not use the endpoint.
 */
export async function acknowledgePlanEndpoint(cli: Cli): Promise<void> {
  if (cli.isDryRun) return;
  const folder = storeFolder(cli.io.env);
  const path = join(folder, fileName);
  const known = await acknowledged(path);
  if (typeof known[name] === 'string') return;
  if (cli.values.yes !== true) {
    if (!cli.isInteractive) throw usageError(policy, 'Pass --yes once to acknowledge this; it is remembered.');
    cli.io.stderr.write(`${policy}\n`);
    await cli.confirm('Use the coding-plan endpoint? The answer is remembered.');
  }
  try {
    await makeFolder(folder);
    await replaceFile(path, `${JSON.stringify({ ...known, [name]: new Date().toISOString() }, null, 2)}\n`);
  } catch (error) {
    cli.output.warn(`the acknowledgement is not remembered: ${fileProblem(path, error as NodeJS.ErrnoException)}`);
  }
}

async function acknowledged(path: string): Promise<JsonFields> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new CliError(fileProblem(path, error), exitCodes.error, 'Fix its permissions, or remove it.');
  });
  const value = jsonValue(text);
  if (!isFields(value)) throw new CliError(`${path} is not a JSON object`, exitCodes.error, 'Remove the file, then acknowledge the terms again.');
  return value;
}
