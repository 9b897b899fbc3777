// Values of a reply for people, whatever the service sent instead. A reply that was billed is printed in any case.

/** The sentence about a reply that cannot be laid out. */
export const oddReply = 'the reply does not have the expected shape; it is printed as JSON';

/** A value as text: empty if it is absent, and JSON if it is not a text, number or boolean. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The list of a reply that consists of it. Throws if it is not a list. */
export function listIn<T>(value: readonly T[] | null | undefined): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('the reply has no list');
  return value;
}

/** The id of a job or a file. Throws for a reply without one. */
export function idIn(id: unknown): string {
  if ((typeof id !== 'string' || id === '') && typeof id !== 'number') throw new TypeError('the reply has no id');
  return String(id);
}

/** The text, or undefined if a value has another type than it must. */
export function attempted<T>(text: () => T): T | undefined {
  try {
    return text();
  } catch (error) {
    if (isOddReply(error)) return undefined;
    throw error;
  }
}

/** True for an error that reading a value of another type throws. */
export function isOddReply(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}
