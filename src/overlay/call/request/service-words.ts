/** Replaces words of other services in a request, and makes the notes for hooks. */
import { leavingModels } from '../../../generated/effort.ts';
import type { ServiceRoot } from '../../../generated/routes.ts';
import type { Hook } from '../../hooks/hook.ts';
import { type Fields, fieldsOf, textOf } from '../../json/json-value.ts';
import type { Endpoint } from '../settings/endpoints.ts';
import type { Settings } from '../settings/settings.ts';

/** A fact that hooks get once for each client. */
export type Note = Parameters<NonNullable<Hook['onNote']>>[1];

/** The role that other services have for `system`. Reported: chat refuses it with code 1214. Responses has both. */
export const roleElsewhere = 'developer';
/** The body as the service takes it, which is a copy if it has to change, and the facts for the hooks. */
export function inServiceWords<Body extends object>(
  given: Body,
  surface: ServiceRoot,
  { isVendor }: Pick<Endpoint, 'isVendor'>,
  { models }: Pick<Settings, 'models'>,
): { readonly body: Body; readonly notes: readonly Note[] } {
  const notes: Note[] = [];
  const { messages, model: named }: Fields = fieldsOf(given);
  let body = given;
  const isOther = (message: unknown): boolean => fieldsOf(message)['role'] === roleElsewhere;
  if (surface === 'chat' && isVendor && Array.isArray(messages) && messages.some(isOther)) {
    body = { ...given, messages: messages.map((message: unknown) => (isOther(message) ? { ...fieldsOf(message), role: 'system' } : message)) };
    notes.push({ kind: 'renamed', given: `role ${roleElsewhere}`, sent: 'system' });
  }
  const model = textOf(named);
  const { status, until = leavingModels[model] ?? undefined } = models.get(model) ?? {};
  if (status === undefined ? isVendor && Object.hasOwn(leavingModels, model) : status === 'leaving') notes.push({ kind: 'leaving', model, until });
  return { body, notes };
}
