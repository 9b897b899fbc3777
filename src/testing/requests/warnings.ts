// Parts of a request that the service may ignore or refuse, without evidence of either.
import type { Route, Surface } from '../../generated/routes.ts';
import { fieldsOf, listOf } from '../../overlay/json/json-value.ts';
import { misspelled } from '../../overlay/validation/misspelled.ts';
import { formatOf } from './answer-format.ts';

/** Roles that the service documents. No evidence shows that it refuses others. */
export const knownRoles: { readonly [Name in Surface]?: readonly string[] } = {
  chat: ['system', 'user', 'assistant', 'tool'],
  messages: ['user', 'assistant', 'system'],
  responses: ['user', 'assistant', 'system', 'developer'],
  agents: ['system', 'user', 'assistant'],
};

/** A misspelled field, unknown roles with their paths, and a format with a schema. */
export function warningsOf(route: Route | undefined, body: unknown): string[] {
  if (route?.request !== 'json') return [];
  const roles = knownRoles[route.surface] ?? [];
  const unknown = (['messages', 'input'] as const).flatMap((name) =>
    listOf(fieldsOf(body)[name]).flatMap((entry, index) => {
      const { role } = fieldsOf(entry);
      return typeof role === 'string' && !roles.includes(role) ? [`${name}[${index}].role is none of ${roles.join(', ')}`] : [];
    }),
  );
  const field = misspelled(route, body)?.message;
  const format = formatOf(body)['type'] === 'json_schema' ? ['json_schema is no documented format: the service may ignore the schema'] : [];
  return [...(field === undefined ? [] : [field]), ...unknown, ...format];
}
