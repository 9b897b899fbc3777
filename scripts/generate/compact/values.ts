import { form, isNone, literal, place, text, value } from './forms.ts';
import { block, type Node, type Rule, statement } from './tree.ts';

/** A condition whose only consequence is a violation: the condition, and the match of the violation. */
function failing(node: Node | undefined, note: RegExp): { condition: string; found: RegExpExecArray } | undefined {
  const test = block(node, /^if\((.*)\)$/);
  const found = test?.body.length === 1 ? statement(test.body[0], note) : undefined;
  return test && found && { condition: test.found[1] ?? '', found };
}

function expect(condition: string, expected: string): void {
  if (condition !== expected) throw new Error(`not the test that belongs to its violation: ${condition}, where ${expected} was expected`);
}

const enumNote = form(`note\\(found, (${place}), "enum", \\{allowedValues: (\\[.*\\])\\}\\);`);
const constNote = form(`note\\(found, (${place}), "const", \\{allowedValue: (${literal})\\}\\);`);

/** `if(!((data1 === "a") || (data1 === "b"))) { note enum }`, and one allowed value. */
export const allowed: Rule = (nodes, index) => {
  const among = failing(nodes[index], enumNote);
  if (among) {
    const [, path, list = ''] = among.found;
    const values = (JSON.parse(list) as unknown[]).map((one) => JSON.stringify(one));
    const one = new RegExp(`^!\\(+(${value}) === `).exec(among.condition)?.[1] ?? '';
    expect(among.condition, isNone(one, values));
    return { length: 1, put: [`oneOf(found, ${path}, ${one}, ${values.join(', ')});`] };
  }
  const constant = failing(nodes[index], constNote);
  if (!constant) return undefined;
  const [, path, wanted] = constant.found;
  const one = new RegExp(`(${value})$`).exec(constant.condition)?.[1];
  expect(constant.condition, `${wanted} !== ${one}`);
  return { length: 1, put: [`same(found, ${path}, ${one}, ${wanted});`] };
};

const operators: Readonly<Record<string, string>> = { '<=': '>', '>=': '<', '<': '>=', '>': '<=' };
const boundNote = form(`note\\(found, (${place}), ("\\w+"), \\{comparison: "([<>=]+)", limit: (${literal})\\}\\);`);
const sizeNote = form(`note\\(found, (${place}), "(min|max)(\\w+)", \\{limit: (\\d+)\\}\\);`);

/** Bounds of numbers, of lengths and of the number of entries. */
export const bounds: Rule = (nodes, index) => {
  const range = failing(nodes[index], boundNote);
  if (range) {
    const [, path, keyword, comparison = '', limit] = range.found;
    const one = new RegExp(`^${value}`).exec(range.condition)?.[0];
    expect(range.condition, `${one} ${operators[comparison]} ${limit} || isNaN(${one})`);
    return { length: 1, put: [`bound(found, ${path}, ${one}, ${keyword}, ${limit});`] };
  }
  const length = failing(nodes[index], sizeNote);
  if (!length) return undefined;
  const [, path, side, what, limit] = length.found;
  const end = `${side === 'min' ? ' <' : ' >'} ${limit}`;
  const count = length.condition.slice(0, -end.length);
  expect(length.condition, count + end);
  return { length: 1, put: [`size(found, ${path}, ${count}, "${side}${what}", ${limit});`] };
};

const divisionNote = form(`note\\(found, (${place}), "multipleOf", \\{multipleOf: (${literal})\\}\\);`);

/** `if(Number.isFinite(data1)) { … }` around checks that look for that themselves. */
export const numeric: Rule = (nodes, index) => {
  const test = block(nodes[index], form(`if\\(Number\\.isFinite\\((${value})\\)\\)`));
  if (!test) return undefined;
  const [, one] = test.found;
  const put: Node[] = [];
  for (let at = 0; at < test.body.length; at++) {
    const quotient = statement(test.body[at], /^let (res\d+);$/)?.[1];
    const division = quotient === undefined ? undefined : failing(test.body[at + 1], divisionNote);
    if (division) {
      const [, path, step] = division.found;
      expect(division.condition, `(${step} === 0 || (${quotient} = ${one}/${step}, ${quotient} !== parseInt(${quotient})))`);
      put.push(`multiple(found, ${path}, ${one}, ${step});`);
      at++;
    } else if (statement(test.body[at], new RegExp(`^bound\\(found, ${place}, ${one}, `))) put.push(test.body[at] as Node);
    else return undefined;
  }
  return { length: 1, put };
};

const patternNote = form(`note\\(found, (${place}), "pattern", \\{pattern: (${text})\\}\\);`);

/** A pattern, where the regular expression says itself what it is. */
export const pattern: Rule = (nodes, index) => {
  const failed = failing(nodes[index], patternNote);
  if (!failed) return undefined;
  const [, path, source = ''] = failed.found;
  const expression = `/${JSON.parse(source)}/u`;
  const one = new RegExp(`\\((${value})\\)$`).exec(failed.condition)?.[1];
  return failed.condition === `!${expression}.test(${one})` ? { length: 1, put: [`match(found, ${path}, ${one}, ${expression});`] } : undefined;
};
