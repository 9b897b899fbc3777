/** An object of JSON whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

// Readers for JSON from elsewhere: a value of the wrong type reads as an absent one.

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const noFields: Fields = Object.freeze({});

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : noFields;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An id or a code: text, or a number as text. */
export function labelOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** The arguments of a tool call as text: older servers give an object. Text that is no JSON where the object is too deep to be written. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return '[arguments nested too deeply]';
  }
}
