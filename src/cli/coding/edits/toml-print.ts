// The text of new values and tables of TOML documents.
import type { ValuePlace } from './edit.ts';
import { isPlain } from './values.ts';

/** A date or a time, as it is written: a Date does not keep its kind. */
export class TomlDate {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export function valueText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (value instanceof TomlDate) return value.source;
  if (!isPlain(value)) return String(value);
  const members = Object.entries(value).map(([key, item]) => `${keysText([key])} = ${valueText(item)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

/** The keys of a place with dots, without its items. */
export function keysText(place: ValuePlace): string {
  return place
    .filter((step) => typeof step === 'string')
    .map((key) => (/^[\w-]+$/.test(key) ? key : stringText(key)))
    .join('.');
}

/** A table with its header, and the tables in it. A table that has only other tables needs no header. */
export function sectionsText(place: ValuePlace, table: Readonly<Record<string, unknown>>, lineBreak: string): string {
  const tables = Object.entries(table).filter(([, value]) => isPlain(value));
  const lines = Object.entries(table).flatMap(([key, value]) => (isPlain(value) ? [] : [`${keysText([key])} = ${valueText(value)}`]));
  const isItem = typeof place.at(-1) === 'number';
  const header = isItem ? `[[${keysText(place)}]]` : `[${keysText(place)}]`;
  const isNeeded = place.length > 0 && (isItem || lines.length > 0 || tables.length === 0);
  const own = [...(isNeeded ? [header] : []), ...lines].join(lineBreak);
  return [...(own ? [own] : []), ...tables.map(([key, value]) => sectionsText([...place, key], value as typeof table, lineBreak))].join(
    lineBreak.repeat(2),
  );
}

/** The escapes of JSON are valid in TOML, which also bans DEL. */
function stringText(value: string): string {
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  // An integer of more than 53 bits would be read as another number.
  return Number.isSafeInteger(value) || /[.e]/.test(text) ? text : `${text}.0`;
}
