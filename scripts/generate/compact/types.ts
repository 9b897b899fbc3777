import { form, place, value } from './forms.ts';
import { block, type Rule, statement } from './tree.ts';

/** The tests of a type that ajv writes out, by name. */
export function shortTests(line: string): string {
  return line
    .replaceAll(new RegExp(`(${value}) && typeof \\1 == "object" && !Array\\.isArray\\(\\1\\)`, 'g'), 'isOf("object", $1)')
    .replaceAll(
      new RegExp(`\\(\\(typeof (${value}) == "number"\\) && \\(!\\(\\1 % 1\\) && !isNaN\\(\\1\\)\\)\\) && \\(isFinite\\(\\1\\)\\)`, 'g'),
      'Number.isInteger($1)',
    )
    .replaceAll(new RegExp(`\\(typeof (${value}) == "number"\\) && \\(isFinite\\(\\1\\)\\)`, 'g'), 'Number.isFinite($1)');
}

function isOf(type: string, one: string): string {
  switch (type) {
    case 'array':
      return `Array.isArray(${one})`;
    case 'object':
      return `isOf("object", ${one})`;
    case 'integer':
      return `Number.isInteger(${one})`;
    case 'number':
      return `Number.isFinite(${one})`;
    case 'null':
      return `${one} === null`;
    default:
      return `typeof ${one} === "${type}"`;
  }
}

function isNotOf(type: string, one: string): string {
  const test = isOf(type, one);
  return test.includes(' === ') ? test.replace(' === ', ' !== ') : `!(${test})`;
}

/** The condition that ajv writes for "of none of these types". */
function isOfNone(types: string | readonly string[], one: string): string {
  if (typeof types === 'string') return isNotOf(types, one);
  const parts: string[] = [];
  const isWide = types.includes('array') && types.includes('object');
  if (isWide) parts.push(types.includes('null') ? `typeof ${one} != "object"` : `!${one} || typeof ${one} != "object"`);
  for (const type of types) {
    if (isWide && ['array', 'object', 'null'].includes(type)) continue;
    if (type !== 'integer' || !types.includes('number')) parts.push(isNotOf(type, one));
  }
  return parts.reduce((all, next) => `(${all}) && (${next})`);
}

const typeNote = form(`note\\(found, (${place}), "type", \\{type: (.+)\\}\\);`);
const firstValue = new RegExp(value.replace('\\w+', 'data\\d*'));

/** `if(typeof data.a !== "string") { note … }`, and `if(isOf("object", data)) { … } else { note … }`. */
export const typeCheck: Rule = (nodes, index) => {
  const test = block(nodes[index], /^if\((.*)\)$/);
  if (!test) return undefined;
  const [, condition = ''] = test.found;
  const one = firstValue.exec(condition)?.[0] ?? '';
  const otherwise = block(nodes[index + 1], /^else$/);
  const failed = test.body.length === 1 ? statement(test.body[0], typeNote) : undefined;
  const late = otherwise?.body.length === 1 ? statement(otherwise.body[0], typeNote) : undefined;
  const [, path, types] = failed ?? late ?? [];
  if (types === undefined) return undefined;
  const expected = (failed ? isOfNone : isOf)(JSON.parse(types), one);
  if (condition !== expected) throw new Error(`not the test of type ${types}: ${condition}`);
  const call = `type(found, ${path}, ${one}, ${types})`;
  const isAlone = failed !== undefined || test.body.length === 0;
  return { length: failed ? 1 : 2, put: [isAlone ? `${call};` : { head: `if(${call})`, body: [...test.body] }] };
};
