// `--plan-endpoint` needs one acknowledgement of the terms, which is remembered in the folder of the configuration.
import { join } from 'node:path';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../store/document.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import { storeFolder } from './folder.ts';

const policy =
  'The terms of the coding plan limit its endpoint to the coding tools that the vendor lists. ' +
  'Direct calls of the API are not one of them; the vendor may throttle, freeze or ban the account for them. ' +
  'Without --plan-endpoint the command uses the general endpoint, which is billed by use.';

const name = 'plan-endpoint';

/** When each of the terms was acknowledged. */
interface Acknowledged {
  readonly [name]?: string | undefined;
}

const form: Form<Acknowledged> = {
  version: 1,
  // The first files had none.
  versionIfAbsent: 1,
  shape: v.looseObject({ [name]: v.optional(v.string()) }),
  isPrivate: false,
  cure: 'Remove the file, then acknowledge the terms again.',
};

/**
 * Asks for the acknowledgement, or accepts `--yes`. Throws a usage error if there is no terminal. Returns without a question if the terms are
 * acknowledged already, and for a dry run, which does not use the endpoint.
 */
export async function acknowledgePlanEndpoint(cli: Cli): Promise<void> {
  if (cli.isDryRun) return;
  const file = new KeptFile(join(storeFolder(cli.screen.io.env), 'acknowledged.json'), form);
  if ((await file.draft())?.[name] !== undefined) return;
  if (cli.values.yes !== true) {
    if (!cli.screen.isInteractive) throw usageError(policy, 'Pass --yes once to acknowledge this; it is remembered.');
    cli.screen.io.stderr.write(`${policy}\n`);
    await cli.screen.confirm('Use the coding-plan endpoint? The answer is remembered.');
  }
  try {
    await file.change(cli.signal, (known) => ({ ...known, [name]: new Date().toISOString() }));
  } catch (error) {
    cli.screen.warn(`the acknowledgement is not remembered: ${(error as Error).message}`);
  }
}
