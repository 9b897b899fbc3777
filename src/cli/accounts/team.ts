// The team of a key: two ids that choose its plan on the monitor routes.
import type { Client, Config } from 'modelsvc';
import { usageError } from '../errors/exit.ts';
import type { Factory } from '../factory.ts';
import type { Input } from '../input/input.ts';
import type { OptionSpec } from '../table/spec.ts';

export type Team = NonNullable<Config['team']>;

export const teamOptions: readonly OptionSpec[] = [
  { name: 'organization', kind: 'text', value: 'ID', summary: 'Organization of a team, whose plan is read; needs --project' },
  { name: 'project', kind: 'text', value: 'ID', summary: 'Project of the team' },
];

/** The team that the options name. Throws a usage error for one of the two alone. */
export function teamIn(input: Input): Team | undefined {
  const [organization = '', project = ''] = [input.text('organization')?.trim(), input.text('project')?.trim()];
  if (organization === '' && project === '') return undefined;
  if (organization === '' || project === '') throw usageError('--organization and --project go together', 'The page of the team shows both ids.');
  return { organization, project };
}

/** The team of a stored account. */
export function teamOf({ organization, project }: Partial<Team>): Team | undefined {
  return organization === undefined || project === undefined ? undefined : { organization, project };
}

/** The client of a command that reads a plan: of the team that the options name, else of the account. */
export async function planClient(make: Factory, input: Input): Promise<Client> {
  const team = teamIn(input);
  const client = await make.client();
  return team ? client.with({ team }) : client;
}
