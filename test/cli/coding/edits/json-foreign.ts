// Another program that changes a JSON document between an edit and its undo.
import { createScanner } from 'jsonc-parser';
import type { Path, Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { hasFields } from '../../../../src/cli/coding/edits/edit.ts';

const kinds = { openBrace: 1, closeBrace: 2, comma: 5, colon: 6, string: 10, lineComment: 12, trivia: [14, 15], literals: [7, 8, 9, 10, 11] };

interface Token {
  readonly kind: number;
  readonly text: string;
}

/** Tokens of a document, with its comments, without white space. */
export function tokensOf(text: string): Token[] {
  const scanner = createScanner(text, false);
  const tokens: Token[] = [];
  for (let kind = Number(scanner.scan()); kind !== 17; kind = Number(scanner.scan())) {
    if (!kinds.trivia.includes(kind)) tokens.push({ kind, text: text.substr(scanner.getTokenOffset(), scanner.getTokenLength()) });
  }
  return tokens;
}

export function commentsOf(text: string): string[] {
  return tokensOf(text).flatMap(({ text: source }) => (source.startsWith('/') ? [source] : []));
}

export interface Foreign {
  readonly dice: readonly number[];
  readonly space: 'same' | 'none' | 'pretty' | 'odd';
  readonly adds: boolean;
  readonly changes: boolean;
  /** Adds comments to objects, behind values, commas and brackets. */
  readonly notes: boolean;
}

/** Writes a document again: with members added first in objects, with other values, and with other white space. */
export function rewritten(text: string, { dice, space, adds, changes, notes }: Foreign): string {
  let at = 0;
  const roll = (sides: number): number => ((dice[at++ % dice.length] ?? 0) + at * 7) % sides;
  let result = '';
  const open: string[] = [];
  let end = 0;
  const tokens = tokensOf(text);
  const isCode = ({ text: source }: Token): boolean => !source.startsWith('/');
  for (const [index, { kind, text: source }] of tokens.entries()) {
    const from = text.indexOf(source, end);
    const gap = text.slice(end, from);
    end = from + source.length;
    const next = tokens.slice(index + 1).find(isCode);
    if ('}]'.includes(source)) open.pop();
    const odd = ['', '', ' ', '\n', '\n\n', '\t', '\r\n  '][roll(7)] ?? '';
    const previous = tokens[index - 1]?.text ?? ':';
    const pretty = '{[,}]'.includes(previous[0] ?? '') || '}]'.includes(source) ? `\n${'   '.repeat(open.length)}` : previous === ':' ? ' ' : '';
    const needed = previous.startsWith('//') && !/^[ \t]*[\r\n]/.test(space === 'same' ? gap : '') ? '\n' : '';
    result += needed + { same: gap, none: '', pretty: source === ',' ? '' : pretty, odd }[space];
    const isValue = kinds.literals.includes(kind) && next?.text !== ':';
    result += changes && isValue && roll(6) === 0 ? '"changed"' : source;
    if ('{['.includes(source)) open.push(source);
    if (notes && open.at(-1) === '{' && isCode({ kind, text: source }) && source !== ':' && next?.text !== ':' && roll(5) === 0)
      result += [' /* n */', ' // n\n'][roll(2)];
    if (adds && source === '{' && roll(3) === 0) result += `"foreign":${roll(9)}${next?.text === '}' ? '' : ','}`;
  }
  return result + (space === 'same' ? text.slice(end) : '\n');
}

type Document = { [key: string]: unknown };

/** Takes an edit back in a value: what `undo` does in a text. */
export function undone(document: unknown, undo: Undo, before: unknown): unknown {
  const places: unknown[] = [document];
  for (const step of undo.path) {
    const place = places.at(-1);
    const next =
      typeof step === 'string'
        ? isObject(place) && Object.hasOwn(place, step)
          ? place[step]
          : undefined
        : Array.isArray(place)
          ? place.find((item) => hasFields(item, step))
          : undefined;
    if (next === undefined) return document;
    places.push(next);
  }
  let level = undo.path.length - 1;
  if (undo.before !== undefined) return at(document, undo.path, before);
  for (let left = undo.made ?? 0; left > 0 && isOnly(places[level], undo.path, level); left--) level--;
  return level < 0 ? {} : at(document, undo.path.slice(0, level + 1), undefined);
}

/** True if a container has only the next step of the path and the fields that identify it. */
function isOnly(container: unknown, path: Path, level: number): boolean {
  if (Array.isArray(container)) return container.length === 1;
  const step = path[level - 1];
  const fields: Readonly<Record<string, string>> = typeof step === 'object' ? step : {};
  return Object.entries(container as Document).every(([key, value]) => key === path[level] || (Object.hasOwn(fields, key) && fields[key] === value));
}

/** A copy of a document with another value at a path, or without a value there. */
function at(document: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const copy = { ...(document as Document) };
    const next = at(copy[step], rest, value);
    if (next === undefined) delete copy[step];
    else copy[step] = next;
    return copy;
  }
  const list = document as readonly unknown[];
  const index = list.findIndex((item) => hasFields(item, step));
  const next = at(list[index], rest, value);
  return next === undefined ? list.filter((_, other) => other !== index) : list.with(index, next);
}

/** A value without its empty containers and without items that have only a name. */
export function pruned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(pruned).filter((item) => item !== undefined);
    return list.length > 0 ? list : undefined;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => (pruned(item) === undefined ? [] : [[key, pruned(item)] as const]));
  return entries.every(([key]) => key === 'name') ? undefined : Object.fromEntries(entries);
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
