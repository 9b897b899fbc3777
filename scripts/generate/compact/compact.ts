import { sayInChecks } from './checks.ts';
import { keepErrorsInOneList } from './errors.ts';
import { type Node, parse, print, rewriteLines, statement } from './tree.ts';

/** Validators as small code. */
export interface Compacted {
  /** The functions, as TypeScript. */
  readonly functions: string;
  /** What they use of src/overlay/checks.ts. */
  readonly words: readonly string[];
  /** The function of each entry by the entry's name. */
  readonly entries: ReadonlyMap<string, string>;
}

/** What src/overlay/checks.ts offers to validators. */
const words = `after at bound codePoints contains each isOf match multiple need needWhen note oneOf same size step type unseen when`.split(' ');
const language = ['if', 'for', 'parseInt', 'isNaN'];

/**
 * Makes ajv's stand-alone code small: the same checks in the same order, as calls of src/overlay/checks.ts. Each pass knows what ajv writes, and
 * throws when it finds a check that it half knows; what no pass takes up stays as ajv wrote it.
 */
export function compact(code: string): Compacted {
  const { functions, entries } = withoutConstants(parse(code.replace(/^"use strict";/, '')));
  const names = new Map<string, string>();
  for (const node of functions) if (typeof node === 'object') names.set(/validate\d+/.exec(node.head)?.[0] ?? '', `validate${names.size + 1}`);
  const rename = (line: string): string => line.replaceAll(/\bvalidate\d+\b/g, (name) => names.get(name) ?? name);
  const text = print(sayInChecks(keepErrorsInOneList(functions)))
    .replaceAll(/\b_errs(\d+)\b/g, 'before$1')
    .replaceAll(/^function (\w+)\(found, path, data\)/gm, 'function $1(found: Violation[], path: string, data: any): void');
  // Texts may say anything: what is called is looked for outside of them.
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\S+\/u/g, '""');
  const used = new Set(bare.match(/(?<![.\w])[A-Za-z]\w*(?=\()|\bunseen\b/g));
  const unknown = [...used].find((word) => !words.includes(word) && !language.includes(word) && !/^validate\d+$/.test(word));
  if (unknown !== undefined) throw new Error(`validators need ${unknown}, which src/overlay/checks.ts does not have`);
  return {
    functions: rename(text),
    words: words.filter((word) => new RegExp(`(?<![.\\w])${word}(?:\\(|\\);)`).test(bare)),
    entries: new Map([...entries].map(([name, validator]) => [name, rename(validator)])),
  };
}

/** ajv keeps schemas, patterns and functions of its own in constants. What is read of them takes their place. */
function withoutConstants(nodes: readonly Node[]): { functions: Node[]; entries: Map<string, string> } {
  const schemas = new Map<string, unknown>();
  const plain = new Map<string, string>();
  const entries = new Map<string, string>();
  const functions: Node[] = [];
  for (const node of nodes) {
    const [, exported = '', to = ''] = statement(node, /^export const (\w+) = (validate\d+);$/) ?? [];
    const [, schema, json = ''] = statement(node, /^const (schema\d+) = (.*);$/) ?? [];
    const [, pattern, source = '', flags = ''] = statement(node, /^const (pattern\d+) = new RegExp\((".*"), ("\w*")\);$/) ?? [];
    const [, length] = statement(node, /^const (func\d+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;$/) ?? [];
    const [, wrapper, inner = ''] = statement(node, /^const (wrapper\d+) = \{validate: (validate\d+)\};$/) ?? [];
    if (exported) entries.set(exported, to);
    else if (schema) schemas.set(schema, JSON.parse(json));
    else if (pattern) plain.set(pattern, String(new RegExp(JSON.parse(source), JSON.parse(flags))));
    else if (length) plain.set(length, 'codePoints');
    else if (wrapper) plain.set(`${wrapper}.validate`, inner);
    else if (typeof node === 'object') functions.push(node);
    else throw new Error(`a constant that the compaction does not know: ${node}`);
  }
  const put = (line: string): string =>
    line
      .replaceAll(/\b(?:pattern\d+|func\d+|wrapper\d+\.validate)\b/g, (name) => plain.get(name) ?? name)
      .replaceAll(/\b(key\d+)\.replace\(\/~\/g, "~0"\)\.replace\(\/\\\/\/g, "~1"\)/g, 'step($1)')
      .replaceAll(/\bcodePoints\((\w+(?:\.\w+)*)\) < 1\b/g, '$1.length < 1')
      .replaceAll(/\b(schema\d+)((?:\.\w+|\[\d+\]|\["[^"]*"\])*)/g, (_all, name: string, path: string) =>
        JSON.stringify(valueAt(schemas.get(name), path)),
      );
  return { functions: rewriteLines(functions, put), entries };
}

function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const [step] of path.matchAll(/\w+|"[^"]*"/g)) found = (found as Record<string, unknown>)[step.replaceAll('"', '')];
  return found;
}
