// The text of new members of TOML documents.
import type { Identity, Leaf, Path, Step } from './edit.ts';

export function isKey(step: Step | undefined): step is string {
  return typeof step === 'string';
}

/** A leaf below keys and items, on one line. */
export function memberText(steps: Path, value: Leaf, equals = ' = '): string {
  const at = steps.findIndex((step) => !isKey(step));
  if (at < 0) return `${keysText(steps)}${equals}${valueText(value)}`;
  const item = `{ ${[...fieldLines(steps[at] as Identity), memberText(steps.slice(at + 1), value)].join(', ')} }`;
  return at === 0 ? item : `${keysText(steps.slice(0, at))}${equals}[${item}]`;
}

/** The headers of the tables from a step of the path to its last table. */
export function headersText(path: Path, from: number, lineBreak: string): string {
  const sections: string[] = [];
  for (let at = from; at < path.length - 1; at++) {
    const step = path[at] as Step;
    if (!isKey(step)) sections.push([`[[${keysText(path.slice(0, at))}]]`, ...fieldLines(step)].join(lineBreak));
  }
  if (isKey(path.at(-2))) sections.push(headerText(path.slice(0, -1)));
  return sections.join(lineBreak + lineBreak) + lineBreak;
}

export function headerText(path: Path): string {
  return `[${keysText(path)}]`;
}

function fieldLines(fields: Identity): string[] {
  return Object.entries(fields).map(([key, value]) => `${keysText([key])} = ${valueText(value)}`);
}

/** The keys of a path with dots, without its items. */
export function keysText(steps: Path): string {
  return steps
    .filter(isKey)
    .map((key) => (/^[\w-]+$/.test(key) ? key : stringText(key)))
    .join('.');
}

export function valueText(value: Leaf): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return `[${value.map(valueText).join(', ')}]`;
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
