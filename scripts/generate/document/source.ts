import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { type Document, isAlias, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A mistake in the spec. The message is one line with the place in the YAML. */
export class SpecError extends Error {}

/** A YAML file: its value, and the line of each place in the value. */
export interface Source {
  readonly file: string;
  readonly value: JsonObject;
  /** An error at the value's `path`, for instance `['paths', '/models', 'get']`. */
  error(path: readonly (string | number)[], text: string): SpecError;
}

export async function loadYaml(path: string): Promise<Source> {
  const file = relative(process.cwd(), path);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new SpecError(`${file}: cannot be read`);
  });
  return sourceOf(file, text);
}

/** The YAML `text` of `file`, which errors name. */
export function sourceOf(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const at = (offset = 0): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) throw new SpecError(`${at(broken.pos[0])}: ${broken.message.split('\n')[0]}`);
  if (document.directives.yaml.explicit) throw new SpecError(`${at()}: a %YAML directive chooses other rules for words and numbers: leave it out`);
  const problem = lossOf(document);
  if (problem) throw new SpecError(`${at(problem.node.range?.[0])}: ${problem.text}`);
  const value = document.toJS({ maxAliasCount: -1 }) as JsonObject;
  return {
    file,
    value,
    error(path, problem) {
      // Report a missing key at the deepest node that exists.
      for (let length = path.length; length >= 0; length--) {
        const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
        if (node?.range) {
          const at = lines.linePos(node.range[0]);
          return new SpecError(`${file}:${at.line}:${at.col}: ${path.join(' > ')}: ${problem}`);
        }
      }
      return new SpecError(`${file}: ${path.join(' > ')}: ${problem}`);
    },
  };
}

/** The first node whose value would be another one in JavaScript, or in another reader of YAML. */
function lossOf(document: Document.Parsed): { readonly node: Node; readonly text: string } | undefined {
  if (!isMap(document.contents)) return { node: (document.contents ?? { range: [0, 0, 0] }) as Node, text: 'must be a map' };
  let loss: { node: Node; text: string } | undefined;
  const found = (node: Node, text: string): symbol => {
    loss = { node, text };
    return visit.BREAK;
  };
  const anchors = new Set<string>();
  const open: [anchor: string, end: number][] = [];
  visit(document, {
    Node(_key, node) {
      const [start = 0, end = 0] = node.range ?? [];
      while ((open.at(-1)?.[1] ?? Number.POSITIVE_INFINITY) <= start) open.pop();
      if (isAlias(node)) {
        if (open.some(([anchor]) => anchor === node.source)) return found(node, `*${node.source} is inside its own anchor`);
        return anchors.has(node.source) ? undefined : found(node, `*${node.source} has no anchor before it`);
      }
      if (node.anchor !== undefined) {
        anchors.add(node.anchor);
        open.push([node.anchor, end]);
      }
      if (!isScalar(node) || typeof node.value !== 'number') return undefined;
      const isExact = Number.isFinite(node.value) && (!Number.isInteger(node.value) || Number.isSafeInteger(node.value));
      return isExact ? undefined : found(node, `${node.source ?? node.value} is no exact number in JavaScript: write a text`);
    },
    Pair(_key, { key }) {
      if (!isScalar(key)) return found(key as Node, 'a key must be a text');
      if (key.value === '<<') return found(key, 'merge keys are read differently by other tools: write the fields');
      return key.value === '__proto__' ? found(key, 'a field __proto__ has no value in JavaScript: leave it out') : undefined;
    },
  });
  return loss;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follow a local `$ref` such as `#/components/schemas/Tool`. */
export function resolve(document: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let node: Json | undefined = document;
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    node = isObject(node) ? node[key] : undefined;
    if (node === undefined) return undefined;
  }
  return node;
}

export const banner = '// Generated by scripts/generate.ts from spec/. Do not edit.\n';
