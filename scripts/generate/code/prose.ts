import type { Operation } from '../document/operations.ts';
import type { JsonObject } from '../document/source.ts';

/** The ranges of a schema in words, for its doc comment. */
export function limits(schema: JsonObject): string {
  const said: string[] = [];
  const between = (low: string, high: string, unit: string): void => {
    // An empty text is said by no minimum.
    const [from, to] = [low === 'minLength' && schema[low] === 0 ? undefined : schema[low], schema[high]];
    if (from !== undefined && to !== undefined) said.push(from === to ? `Exactly ${from}${unit}.` : `${from} to ${to}${unit}.`);
    else if (to !== undefined) said.push(`At most ${to}${unit}.`);
    else if (from !== undefined && !(unit !== '' && from === 1 && unit !== ' entries')) said.push(`At least ${from}${unit}.`);
  };
  between('minimum', 'maximum', '');
  if (schema['exclusiveMinimum'] !== undefined) said.push(`Above ${schema['exclusiveMinimum']}.`);
  between('minLength', 'maxLength', ' characters');
  between('minItems', 'maxItems', ' entries');
  if (typeof schema['pattern'] === 'string') said.push(`Pattern: \`${schema['pattern']}\`.`);
  return said.join(' ');
}

/** A text as a literal of TypeScript. JSON escapes what would end a line. */
export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The name of a field in a literal of TypeScript. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Lines as a doc comment at the given indent. Empty for an empty text. */
export function docComment(text: string, indent = ''): string {
  if (text === '') return '';
  const lines = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** The text shown when hovering over an operation. */
export function operationDoc(operation: Operation): string {
  const { summary, description, method, path, evidence, deprecated } = operation;
  const tag = deprecated ? ['', '@deprecated by the service.'] : [];
  return [summary, '', description, '', `\`${method} ${path}\`, evidence: ${evidence}.`, ...tag].join('\n');
}
