// The text of a value in JSON.

export interface JsonStyle {
  readonly lineBreak: string;
  /** Indentation of one level. */
  readonly unit: string;
  readonly colon: string;
}

const plain: JsonStyle = { lineBreak: '\n', unit: '  ', colon: ': ' };

/** With an indentation, objects and the lists that contain some are written on lines. */
export function printed(value: unknown, style: JsonStyle & { readonly indent?: string | undefined } = plain): string {
  const { lineBreak, unit, colon, indent } = style;
  if (typeof value === 'bigint') return String(value);
  if (Object.is(value, -0)) return '-0';
  // The words of YAML. JSON has none, so that an edit with such a number is refused.
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? '.nan' : value < 0 ? '-.inf' : '.inf';
  // Without an exponent, an integer beyond the safe ones would be read as bigint.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const isTall = indent !== undefined && (!isList || value.some((item) => typeof item === 'object'));
  const inner = { ...style, indent: isTall ? indent + unit : undefined };
  const members = isList
    ? value.map((item) => printed(item, inner))
    : Object.entries(value).map(([key, item]) => JSON.stringify(key) + colon + printed(item, inner));
  const [open, close] = isList ? '[]' : '{}';
  if (!isTall || members.length === 0) return open + members.join(colon.endsWith(' ') ? ', ' : ',') + close;
  const line = lineBreak + indent;
  return `${open}${members.map((member) => line + unit + member).join(',')}${line}${close}`;
}
