// The text of a new member of a JSON document.
import type { Leaf, Path } from './edit.ts';
import type { Item } from './tree.ts';

export interface JsonStyle {
  readonly lineBreak: string;
  /** Indentation of one level. */
  readonly unit: string;
  /** Indentation of the new member if it has a line of its own; absent if it has not. */
  readonly indent?: string;
  readonly colon: string;
  readonly comma: string;
  /** White space inside of the braces of one line. */
  readonly pad: string;
}

/** Text of a member or an item, with the containers that the path needs. */
export function member(path: Path, value: Leaf, style: JsonStyle): string {
  const [step, ...rest] = path;
  const inner = rest.length === 0 ? leafText(value, style.comma) : '';
  if (typeof step === 'string') return JSON.stringify(step) + style.colon + (inner || container(rest, value, style));
  const deeper = inside(style);
  const fields = Object.entries(step ?? {}).map(([key, field]) => member([key], field, deeper));
  return enclose('{', [...fields, member(rest, value, deeper)], '}', style);
}

/** Text of the container to which the path leads first. */
export function container(path: Path, value: Leaf, style: JsonStyle): string {
  const [open, close] = typeof path[0] === 'string' ? ['{', '}'] : ['[', ']'];
  return enclose(open, [member(path, value, inside(style))], close, style);
}

function enclose(open: string, members: readonly string[], close: string, style: JsonStyle): string {
  const pad = open === '{' ? style.pad : '';
  if (style.indent === undefined) return open + pad + members.join(style.comma) + pad + close;
  const line = style.lineBreak + style.indent;
  return open + members.map((text) => line + style.unit + text).join(',') + line + close;
}

function inside(style: JsonStyle): JsonStyle {
  return style.indent === undefined ? style : { ...style, indent: style.indent + style.unit };
}

/** A leaf in one line. A number beyond the safe integers gets an exponent: without one, `readJson` would read it as bigint. */
export function leafText(value: Leaf, comma: string): string {
  if (typeof value === 'object') return `[${value.map((item) => leafText(item, comma)).join(comma)}]`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential();
  return JSON.stringify(value);
}

/** The text between a key and its value, if it is a colon with at most one space on each side. */
export function colonOf(text: string, item: Item | undefined): string | undefined {
  const colon = item?.keyEnd === undefined ? '' : text.slice(item.keyEnd, item.value.start);
  return /^ ?: ?$/.test(colon) ? colon : undefined;
}

/** The comma within a line, followed by a space if the colon is. */
export function commaFor(colon: string): string {
  return colon.endsWith(' ') ? ', ' : ',';
}
