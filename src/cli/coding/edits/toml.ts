// The editor of TOML files. The library reads the text before and after each edit; the edit itself is a splice of the text.
import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError } from 'smol-toml';
import { type Editor, EditProblem, type Fields, hasFields, type Leaf, type Path, pathText, type Step, type Undo } from './edit.ts';
import { headerText, insertion, valueText } from './toml-insert.ts';
import { removeEmpty, removeExactly, removeMember, renameHeader } from './toml-remove.ts';
import { splice } from './toml-scan.ts';
import { type Node, readTree, walk } from './toml-tree.ts';

type Table = Record<string, unknown>;

export const tomlEditor: Editor = { parse: read, find, set, undo };

function read(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    // The message of the library quotes the text, which may hold a secret.
    if (!(error instanceof TomlError)) throw new EditProblem('is not valid TOML');
    const reason = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '');
    throw new EditProblem(`is not valid TOML at line ${error.line}, column ${error.column}: ${reason}`);
  }
}

function find(text: string, path: Path): unknown {
  let place = read(text);
  for (const step of path) {
    if (typeof step !== 'string') place = Array.isArray(place) ? place.find((item) => hasFields(item, step)) : undefined;
    else place = isTable(place) && Object.hasOwn(place, step) ? place[step] : undefined;
  }
  return place;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function set(text: string, path: Path, value: Leaf): { readonly text: string; readonly undo: Undo } {
  const document = read(text);
  const field = path.findIndex((step, at) => typeof path[at - 1] === 'object' && Object.hasOwn(path[at - 1] as Fields, step as string));
  if (field >= 0) throw new EditProblem(`has an item that is found by \`${pathText(path.slice(0, field + 1))}\`, a field that is not changed`);
  const tree = readTree(text);
  const { nodes, isBlocked } = walk(tree.root, document, path);
  const steps = nodes.length - 1;
  if (isBlocked)
    throw new EditProblem(`has no table${typeof path[steps] === 'string' ? '' : 's in a list'} at \`${pathText(path.slice(0, steps))}\``);
  const missing = path.length - 1 - steps;
  const leaf = nodes.at(-1) as Node;
  let edit: { readonly text: string; readonly undo: Undo };
  if (missing < 0) {
    if (!leaf.value) throw new EditProblem(`has a table at \`${pathText(path)}\`, which is not replaced by a value`);
    const { start, end } = leaf.value;
    edit = { text: splice(text, [{ start, end, text: valueText(value) }]), undo: { path, before: text.slice(start, end) } };
  } else {
    const { splices, lead, trail } = insertion(text, tree, nodes, path, value);
    const isEmpty = tree.blocks.length === 1 && tree.root.children.size === 0;
    const made = isEmpty ? path.length : missing;
    edit = {
      text: splice(text, splices),
      undo: { path, ...(made > 0 && { made }), ...(lead !== '' && { lead }), ...(trail !== '' && { trail }) },
    };
  }
  verify(edit.text, withLeaf(document as Table, path, value), path);
  return edit;
}

/** Sets the leaf in a document that was read for that. */
function withLeaf(document: Table, path: Path, value: Leaf): Table {
  let place: unknown = document;
  for (const [at, step] of path.slice(0, -1).entries()) {
    const isList = typeof path[at + 1] !== 'string';
    if (typeof step === 'string') {
      place = (place as Table)[step] ??= isList ? [] : newTable();
      continue;
    }
    const list = place as unknown[];
    place = list.find((item) => hasFields(item, step));
    if (place === undefined) list.push((place = Object.assign(newTable(), step)));
  }
  (place as Table)[path.at(-1) as string] = value;
  return document;
}

/** The library makes tables without a prototype. */
function newTable(): Table {
  return Object.create(null) as Table;
}

function verify(text: string, intended: Table, path: Path): void {
  let result: unknown;
  try {
    result = read(text);
  } catch {
    result = undefined;
  }
  if (!isDeepStrictEqual(result, intended)) throw new EditProblem(`cannot be edited at \`${pathText(path)}\` without a change of something else`);
}

function undo(text: string, record: Undo): string {
  const { path, before, made = 0 } = record;
  const document = read(text);
  const tree = readTree(text);
  const { nodes } = walk(tree.root, document, path);
  const { value, member } = nodes.at(-1) as Node;
  if (nodes.length <= path.length || !value || !member) return text;
  if (before !== undefined) return splice(text, [{ start: value.start, end: value.end, text: before }]);
  const kept = path.slice(0, Math.max(0, path.length - 1 - made));
  const exact = removeExactly(text, tree, member, record);
  return removeContainers(exact !== undefined && exists(exact, kept) ? exact : removeMember(text, member), path, kept);
}

function exists(text: string, path: Path): boolean {
  return path.length === 0 || find(text, path) !== undefined;
}

/** Removes the containers above a removed leaf, from the inside out, as long as they are empty, down to those that were there before. */
function removeContainers(text: string, path: Path, kept: Path): string {
  let current = text;
  for (let depth = path.length - 1; depth > kept.length; depth--) {
    const way = path.slice(0, depth);
    const { nodes } = walk(readTree(current).root, read(current), way);
    const node = nodes.at(-1) as Node;
    if (nodes.length <= depth) continue;
    const shorter = removeEmpty(current, node, way.at(-1) as Step);
    if (exists(shorter, kept)) {
      current = shorter;
      continue;
    }
    // Another program wrote the earlier container only as a part of the header: an empty list gets a key, a table its own header.
    if (typeof path[kept.length] !== 'string') return set(shorter, kept, []).text;
    return node.block ? renameHeader(current, node.block, headerText(kept)) : shorter;
  }
  return current;
}
