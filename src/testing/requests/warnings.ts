// Parts of a request that the service may ignore or refuse, without evidence of either.
import type { Route, ServiceRoot } from '../../generated/routes.ts';
import { fieldsOf, listOf } from '../../overlay/json/json-value.ts';
import { misspelled } from '../../overlay/validation/misspelled.ts';
import { formatOf } from './answer-format.ts';
import type { KnownModels } from './known-models.ts';

/** Roles that the service documents. No evidence shows that it refuses others. */
export const knownRoles: { readonly [Name in ServiceRoot]?: readonly string[] } = {
  chat: ['system', 'user', 'assistant', 'tool'],
  messages: ['user', 'assistant', 'system'],
  responses: ['user', 'assistant', 'system', 'developer'],
  agents: ['system', 'user', 'assistant'],
};

/** An unknown model, a misspelled field, unknown roles with their paths, and a format with a schema. */
export function warningsOf(route: Route | undefined, body: unknown, models: KnownModels): string[] {
  if (route?.request !== 'json') return [];
  const roles = knownRoles[route.surface] ?? [];
  const unknown = (['messages', 'input'] as const).flatMap((name) =>
    listOf(fieldsOf(body)[name]).flatMap((entry, index) => {
      const { role } = fieldsOf(entry);
      return typeof role === 'string' && !roles.includes(role) ? [`${name}[${index}].role is not one of ${roles.join(', ')}`] : [];
    }),
  );
  const isIgnored = route.id.startsWith('chat.') && fieldsOf(body)['max_completion_tokens'] !== undefined;
  const elsewhere = isIgnored ? ['max_completion_tokens has no effect here; the field is max_tokens'] : [];
  const field = misspelled(route, body)?.message;
  const format = formatOf(body)['type'] === 'json_schema' ? ['json_schema is not a documented format: the service may ignore the schema'] : [];
  // Otherwise the request is refused.
  const model = models.isAny ? models.problem(route, body) : undefined;
  return [...(model === undefined ? [] : [model]), ...(field === undefined ? [] : [field]), ...elsewhere, ...unknown, ...format];
}
