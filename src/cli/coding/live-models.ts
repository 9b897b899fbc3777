// Compares the models of a wiring with those that the service lists for the key.
import { newClient, RegionChina, RegionGlobal, version } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { hooksOf } from '../client.ts';
import type { CredentialSource } from '../hosts.ts';
import { reportOf } from '../reports/report.ts';
import { planDate, planModels, rootOf } from './plan.ts';
import { modelIds, type Wiring } from './tool.ts';

const listMs = 5000;

/** Warns about a model that the service does not list. A list that cannot be read is a note: the tool may still work. */
export async function checkModels(cli: Cli, credential: CredentialSource, { model, smallModel, isPlan, region }: Wiring): Promise<void> {
  const given = credential.baseUrl;
  const client = newClient({
    apiKey: credential.apiKey,
    region: region === 'china' ? RegionChina : RegionGlobal,
    userAgent: `modelsvc-cli/${version}`,
    maxRetries: 0,
    timeout: listMs,
    hooks: await hooksOf(cli),
    // Listing the models calls none of them, so the terms of the plan do not limit it.
    ...(given === undefined ? { baseURL: rootOf('chat', region, isPlan) } : { endpoints: given }),
  });
  try {
    const listed = (await client.models().list(cli.ctx)).data.map(({ id }) => id);
    for (const id of modelIds({ model, smallModel }))
      if (!listed.includes(id))
        cli.screen.warn(
          `the service does not list ${id} for this key${id === planModels.main || id === planModels.small ? ` (a model of the plan in ${planDate})` : ''}; it lists ${listed.slice(0, 8).join(', ')}. Pass --model ID.`,
        );
  } catch (error) {
    cli.signal.throwIfAborted();
    cli.screen.note(`The list of models could not be read: ${(await reportOf(error)).message}`);
  }
}
