// Checks a key with free calls: the model list and the quota of the plan.
import type { DetectionResult } from 'modelsvc';
import type { AccountKind } from '../../accounts/format.ts';
import type { Cli } from '../../cli.ts';
import { clientFor, rootFor } from '../../client.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { CredentialSource } from '../../hosts.ts';

export interface CheckedKey {
  /** Undefined if the service did not show it. */
  readonly kind: AccountKind | undefined;
  /** Host that checked the key. */
  readonly host: string;
}

/** Throws a CliError with exit code 3 if the service refuses the key. */
export async function checkKey(cli: Cli, credential: CredentialSource): Promise<CheckedKey> {
  const client = await clientFor(cli, credential);
  const { host } = new URL(rootFor(cli, credential).root);
  const found = await client.detection().detect(cli.ctx);
  if (found.keyValid === true) return { kind: kindOf(found), host };
  if (found.keyValid === undefined)
    throw new CliError(`${host} did not show whether the key is valid`, exitCodes.error, 'Try again later, or see `modelsvc doctor`.');
  const other = credential.region === 'global' ? 'china' : 'global';
  throw new CliError(
    `${host} refuses the key`,
    exitCodes.auth,
    `Check the key for missing characters. A key of the other region needs --region ${other}.`,
  );
}

function kindOf({ plan }: DetectionResult): AccountKind | undefined {
  if (plan === 'coding') return 'plan';
  return plan === 'pay-as-you-go' ? 'payg' : undefined;
}
