// The text of new members of YAML documents. Strings are quoted if any reader of YAML could take them for another value.
import { EditProblem, type Leaf, type Path, pathText } from './edit.ts';

/** Indentation of a document: of a map below a key, and of the dashes below a key. */
export interface YamlStyle {
  readonly unit: number;
  readonly dash: number;
}

const words = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Strings without quotes. A colon is allowed only as in `https://`. */
const plain = /^[A-Za-z](?:[\w./+-]|:\/\/)*$/;

/** White space and controls of Unicode that JSON leaves as they are, and that some readers of YAML refuse or take for line ends. */
const unsafe = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

function stringText(value: string): string {
  if (plain.test(value) && !words.test(value)) return value;
  return JSON.stringify(value).replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** YAML 1.1 takes a number with an exponent for a string if it has no dot. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

export function leafText(value: Leaf): string {
  if (typeof value === 'object') return `[${value.map(leafText).join(', ')}]`;
  if (typeof value === 'string') return stringText(value);
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** The lines of a new entry, for a block container. */
export function blockLines(path: Path, value: Leaf, style: YamlStyle): readonly string[] {
  const [step, ...rest] = path;
  if (typeof step === 'string') {
    if (rest.length === 0) return [`${stringText(step)}: ${leafText(value)}`];
    const indent = ' '.repeat(typeof rest[0] === 'string' ? style.unit : style.dash);
    return [`${stringText(step)}:`, ...blockLines(rest, value, style).map((line) => indent + line)];
  }
  if (typeof rest[0] !== 'string')
    throw new EditProblem(`has no place for a list in a list at \`${pathText(path)}\``, 'Write the list on lines of its own.');
  const members = [
    ...Object.entries(step ?? {}).map(([key, field]) => `${stringText(key)}: ${stringText(field)}`),
    ...blockLines(rest, value, style),
  ];
  return members.map((line, at) => (at === 0 ? '- ' : '  ') + line);
}

/** A new entry, for a flow container. */
export function flowText(path: Path, value: Leaf): string {
  const [step, ...rest] = path;
  if (typeof step === 'string') return `${stringText(step)}: ${rest.length === 0 ? leafText(value) : flowContainer(rest, value)}`;
  if (typeof rest[0] !== 'string')
    throw new EditProblem(`has no place for a list in a list at \`${pathText(path)}\``, 'Write the list on lines of its own.');
  return `{${[...Object.entries(step ?? {}).map(([key, field]) => `${stringText(key)}: ${stringText(field)}`), flowText(rest, value)].join(', ')}}`;
}

/** A new flow container with one entry. */
export function flowContainer(path: Path, value: Leaf): string {
  return typeof path[0] === 'string' ? `{${flowText(path, value)}}` : `[${flowText(path, value)}]`;
}
