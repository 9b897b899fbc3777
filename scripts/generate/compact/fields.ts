import { exactly, form, place, placeAround, value } from './forms.ts';
import { block, type Rule, statement } from './tree.ts';

/** `if(data.a === undefined) { note required }`. */
export const needed: Rule = (nodes, index) => {
  const test = block(nodes[index], form(`if\\((${value})\\.(\\w+) === undefined\\)`));
  if (test?.body.length !== 1) return undefined;
  const [, one, name] = test.found;
  const failed = statement(test.body[0], form(`note\\(found, (${place}), "required", \\{missingProperty: "${name}"\\}\\);`));
  return failed && { length: 1, put: [`need(found, ${failed[1]}, ${one}.${name}, "${name}");`] };
};

/** `let data3 = data.a;` that one statement reads. */
export const onceRead: Rule = (nodes, index) => {
  const assigned = statement(nodes[index], form(`let (data\\d+) = (${value});`));
  const next = nodes[index + 1];
  if (!assigned || nodes.length !== index + 2 || typeof next !== 'string') return undefined;
  const [, name, one = ''] = assigned;
  const [before = '', after, ...more] = next.split(new RegExp(`\\b${name}\\b`));
  return after !== undefined && more.length === 0 ? { length: 2, put: [before + one + after] } : undefined;
};

/** One check of a value at a place: a call of a validator or of `type`. The groups are validator, its place, place, type. */
function check(placePattern: string, one: string): RegExp {
  return form(`(?:(validate\\d+)\\(found, (${placePattern}), ${exactly(one)}\\)|type\\(found, (${placePattern}), ${exactly(one)}, (.+)\\));`);
}

/** `if(data.a !== undefined) { … }` around one check of that field. */
export const optional: Rule = (nodes, index) => {
  const test = block(nodes[index], form(`if\\((${value})\\.(\\w+) !== undefined\\)`));
  if (test?.body.length !== 1) return undefined;
  const [, one = '', name = ''] = test.found;
  const [, validator, itsPlace, otherPlace, type] = statement(test.body[0], check(place, `${one}.${name}`)) ?? [];
  const path = itsPlace ?? otherPlace;
  if (path === undefined) return undefined;
  return { length: 1, put: [`at(found, ${placeAround(path, name)}, ${one}.${name}, ${validator ?? type}, "${name}");`] };
};

/** A loop over all items with one check. */
export const loop: Rule = (nodes, index) => {
  const [, count, list = ''] = statement(nodes[index], form(`const (len\\d+) = (${value})\\.length;`)) ?? [];
  const round = block(nodes[index + 1], form(`for\\(let (i\\d+)=0; \\1<${count}; \\1\\+\\+\\)`));
  if (round?.body.length !== 1) return undefined;
  const counter = round.found[1] ?? '';
  const [, validator, itsPlace, otherPlace, type] = statement(round.body[0], check(place, `${list}[${counter}]`)) ?? [];
  const path = itsPlace ?? otherPlace;
  return path === undefined ? undefined : { length: 2, put: [`each(found, ${placeAround(path, '', counter)}, ${list}, ${validator ?? type});`] };
};
