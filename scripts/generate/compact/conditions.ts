import { exactly, form, isNone, literal, place, placeAround, value } from './forms.ts';
import { block, type Node, print, type Rule, statement } from './tree.ts';

const mark = /^const (_errs\d+) = found\.length;$/;
const ifNote = form(`note\\(found, (${place}), "if", \\{failingKeyword: "then"\\}\\);`);
const onlyUnseen = 'found.push(unseen);\n';

/** `if … then …` where the condition is the value of a field. ajv tries it, cuts the list back, tries the demand, and counts. */
export const conditional: Rule = (nodes, index) => {
  const [start, flag, from, test, verdict, back, then, told] = nodes.slice(index, index + 8);
  const all = statement(start, mark)?.[1];
  const valid = statement(flag, /^let (valid\d+) = true;$/)?.[1];
  const before = statement(from, mark)?.[1];
  const met = statement(verdict, form(`var (_valid\\d+) = ${before} === found\\.length;`))?.[1];
  const demand = block(then, form(`if\\(${met}\\)`));
  const end = block(told, form(`if\\(!${valid}\\)`));
  const [path] = (end?.body.length === 1 && statement(end.body[0], ifNote)?.slice(1)) || [];
  const since = statement(demand?.body[0], mark)?.[1];
  const condition = conditionOf(test);
  if (!all || !valid || !before || !met || !demand || !path || !since || !condition || back !== `found.length = ${all};`) return undefined;
  const [opening, ...body] = demand.body.slice(0, -2) as [Node, ...Node[]];
  if (print(demand.body.slice(-2)) !== `var ${met} = ${since} === found.length;\n${valid} = ${met};\n`) return undefined;
  const { one, name, values } = condition;
  const names = body.length === 1 ? needsOnly(body[0], path, one) : undefined;
  if (names !== undefined) return { length: 8, put: [`needWhen(found, ${path}, ${one}, "${name}", [${values}], ${names});`] };
  return { length: 8, put: [{ head: `if(when(${one}, "${name}", [${values}]))`, body: [opening, ...body, `after(found, ${path}, ${since});`] }] };
};

/** The names of the fields, where the demand is only that they are there. */
function needsOnly(node: Node | undefined, path: string, one: string): string | undefined {
  const object = block(node, /^if\(isOf\("object", (.+)\)\)$/);
  if (!object || object.found[1] !== one) return undefined;
  const names: string[] = [];
  for (const line of object.body) {
    const name = statement(line, form(`need\\(found, ${exactly(path)}, ${exactly(one)}\\.(\\w+), "\\1"\\);`))?.[1];
    if (name === undefined) return undefined;
    names.push(`"${name}"`);
  }
  return names.join(', ');
}

/** The condition "the field has one of these values", which ajv asks of objects only. */
function conditionOf(test: Node | undefined): { one: string; name: string; values: string } | undefined {
  const object = block(test, form(`if\\(isOf\\("object", (${value})\\)\\)`));
  const [missing, lacks, has, ...more] = object?.body ?? [];
  const one = object?.found[1] ?? '';
  const flag = statement(missing, /^let (missing\d+);$/)?.[1];
  const lacking = block(lacks, form(`if\\(\\(${one}\\.(\\w+) === undefined\\) && \\(${flag} = "\\1"\\)\\)`));
  const otherwise = block(has, /^else$/);
  const name = lacking?.found[1] ?? '';
  const there = otherwise?.body.length === 1 ? block(otherwise.body[0], form(`if\\(${one}\\.${name} !== undefined\\)`)) : undefined;
  if (!lacking || !there || more.length > 0 || print(lacking.body) !== onlyUnseen) return undefined;
  const copy = statement(there.body[0], form(`let (data\\d+) = ${one}\\.${name};`))?.[1];
  const [compare, ...rest] = copy === undefined ? there.body : there.body.slice(1);
  const wrong = block(compare, /^if\((.*)\)$/);
  if (!wrong || rest.length > 0 || print(wrong.body) !== onlyUnseen) return undefined;
  const [, words = ''] = wrong.found;
  const read = copy ?? `${one}.${name}`;
  const constant = new RegExp(`^(${literal}) !== `).exec(words)?.[1];
  if (constant !== undefined && words === `${constant} !== ${read}`) return { one, name, values: constant };
  const list = [...words.matchAll(new RegExp(` === (${literal})`, 'g'))].map(([, wanted = '']) => wanted);
  return words === isNone(read, list) ? { one, name, values: list.join(', ') } : undefined;
}

/** The loop of `contains`: each round is one call (see share.ts). Its violations count for nothing once enough items are right. */
export const counted: Rule = (nodes, index) => {
  for (const [length, pattern] of loops) {
    const found = pattern.exec(print(nodes.slice(index, index + length)).replaceAll(/^ +/gm, ''))?.groups;
    if (!found) continue;
    const { list, counter = '', validator, item = '', told, most } = found;
    const path = placeAround(item, '', counter);
    if (told !== undefined && told !== path) throw new Error(`contains of ${path} is told of ${told}`);
    return { length, put: [`contains(found, ${path}, ${list}, ${validator}${most === undefined ? '' : `, ${most}`});`] };
  }
  return undefined;
};

/** How ajv counts: up to the first right item, or up to more than the most. The numbers are how many statements that is. */
const loops: readonly [number, RegExp][] = [
  [5, countingLoop('', String.raw`var (?<valid>valid\d+) = \k<before> === found\.length;\nif\(\k<valid>\) \{\nbreak;\n\}\n`)],
  [
    7,
    countingLoop(
      String.raw`let (?<valid>valid\d+) = false;\nlet (?<count>count\d+) = 0;\n`,
      String.raw`var (?<right>_valid\d+) = \k<before> === found\.length;\nif\(\k<right>\) \{\n\k<count>\+\+;\nif\(\k<count> > (?<most>\d+)\) \{\n\k<valid> = false;\nbreak;\n\}\n\k<valid> = true;\n\}\n`,
    ),
  ],
];

function countingLoop(start: string, verdict: string): RegExp {
  return form(
    [
      String.raw`const (?<all>_errs\d+) = found\.length;\nconst (?<length>len\d+) = (?<list>${value})\.length;\n`,
      start,
      String.raw`for\(let (?<counter>i\d+)=0; \k<counter><\k<length>; \k<counter>\+\+\) \{\nconst (?<before>_errs\d+) = found\.length;\n`,
      String.raw`(?<validator>validate\d+)\(found, (?<item>${place}), \k<list>\[\k<counter>\]\);\n`,
      verdict,
      String.raw`\}\nif\(!\k<valid>\) \{\n(?:found\.push\(unseen\);|note\(found, (?<told>${place}), "contains", \{minContains: 1`,
      start === '' ? '' : String.raw`, maxContains: \k<most>`,
      String.raw`\}\);)\n\}\nelse \{\nfound\.length = \k<all>;\n\}\n`,
    ].join(''),
  );
}
