import { type Fields, fieldsOf, isFields } from '../json/json-value.ts';

/**
 * Returns a function that takes the chunks of one chat stream in order, and leaves out a role that repeats its choice's. The service
 * repeats it in most chunks, and programs for `openai` that join texts of the same name make `assistantassistant` of it.
 */
export function firstRoles(): (chunk: unknown) => unknown {
  const roles = new Map<unknown, unknown>();
  const once = (choice: unknown): unknown => {
    const { index, delta } = fieldsOf(choice);
    const { role, ...rest } = fieldsOf(delta);
    if (role === undefined) return choice;
    if (roles.get(index) === role) return { ...(choice as Fields), delta: rest };
    roles.set(index, role);
    return choice;
  };
  return (chunk) => {
    if (!isFields(chunk) || !Array.isArray(chunk['choices'])) return chunk;
    return { ...chunk, choices: chunk['choices'].map(once) };
  };
}
