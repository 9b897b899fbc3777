// A YAML document with its value and the source positions of its nodes.
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair as LibraryPair,
  LineCounter,
  parseDocument,
  type Scalar,
  type ScalarTag,
  type Tags,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { EditProblem, type Fields, type Path, pathText, type Step } from './edit.ts';
import { latestOf } from './latest.ts';

export type Container = YAMLMap<Node, Node | null> | YAMLSeq<Node>;
export type Node = Container | Scalar | Alias;
export type Pair = LibraryPair<Node, Node | null>;

export interface Tree {
  readonly text: string;
  /** Undefined if the document is blank. */
  readonly root: Node | undefined;
  readonly value: unknown;
  /** `line 3, column 5`, of an offset. */
  where(offset: number): string;
}

/** An entry of a container on a path: the pair of a map, or the item of a list. */
export interface Place {
  readonly container: Container;
  readonly index: number;
}

interface Parsed {
  readonly document: Document<Node>;
  readonly lines: LineCounter;
}

const parsedOf = latestOf(parse);

export function read(text: string): Tree {
  const { document, lines } = parsedOf(text);
  const where = (offset: number) => position(lines, offset);
  const [error] = document.errors;
  if (error) throw new EditProblem(`${fault(error)} at ${where(error.pos[0])}`);
  const root = isBlank(document.contents) ? undefined : (document.contents as Node);
  return { text, root, value: root ? toValue(document) : {}, where };
}

/** The search of the library for repeated keys takes quadratic time, and its messages quote the document. */
function parse(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument<Node>(text, {
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
    customTags: (tags) => tags.map(withExactIntegers),
  });
  return { document, lines };
}

function position(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

function fault({ code }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'has a second YAML document, and only files with one are edited,';
  if (code === 'TAB_AS_INDENT') return 'is not valid YAML: it is indented with a tab';
  return 'is not valid YAML';
}

function toValue(document: Document<Node>): unknown {
  try {
    return document.toJS();
  } catch {
    throw new EditProblem('is not valid YAML: an alias has no anchor, or too many aliases are used');
  }
}

/** Integers that a number cannot hold are read as bigint. */
function withExactIntegers(tag: Tags[number]): Tags[number] {
  if (typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:int' || !('resolve' in tag) || !tag.resolve) return tag;
  const resolve = tag.resolve as NonNullable<ScalarTag['resolve']>;
  const exact: ScalarTag['resolve'] = (source, onError, options) => {
    const value = resolve(source, onError, { ...options, intAsBigInt: true });
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  };
  return { ...(tag as ScalarTag), resolve: exact };
}

function isBlank(contents: unknown): boolean {
  return contents === null || (isNull(contents) && contents.source === '' && !contents.anchor && !contents.tag);
}

/** True for an empty value, `~` and `null`. */
export function isNull(node: unknown): node is Scalar<null> {
  return isScalar(node) && node.value === null;
}

/** The part of a path that exists, and the node where it ends: undefined for a blank document, null for a key without a colon. */
export function walk(root: Node | undefined, path: Path): { readonly places: readonly Place[]; readonly reached: Node | null | undefined } {
  const places: Place[] = [];
  let reached: Node | null | undefined = root;
  for (const step of path) {
    const index: number = isMap(reached) || isSeq(reached) ? indexOf(reached as Container, step) : -1;
    if (index < 0) break;
    const place: Place = { container: reached as Container, index };
    places.push(place);
    reached = nodeAt(place);
  }
  return { places, reached };
}

function indexOf(container: Container, step: Step): number {
  if (isMap(container)) return typeof step === 'string' ? container.items.findLastIndex((pair) => nameOf(pair) === step) : -1;
  return typeof step === 'string' ? -1 : container.items.findIndex((item) => isMap(item) && holds(item as YAMLMap<Node, Node | null>, step));
}

function holds(map: YAMLMap<Node, Node | null>, fields: Fields): boolean {
  return Object.entries(fields).every(([key, value]) =>
    map.items.some((pair) => nameOf(pair) === key && isScalar(pair.value) && pair.value.value === value),
  );
}

/** The key as a JavaScript object has it; undefined for a key that is a collection or an alias. */
export function nameOf(pair: Pair): string | undefined {
  if (!isScalar(pair.key)) return undefined;
  return pair.key.value === null ? '' : String(pair.key.value);
}

export function nodeAt({ container, index }: Place): Node | null {
  return isMap(container) ? pairAt({ container, index }).value : (container.items[index] as Node);
}

export function pairAt({ container, index }: Place): Pair {
  return (container as YAMLMap<Node, Node | null>).items[index] as Pair;
}

/** Refuses a path through parts of YAML that an edit of the text cannot follow. */
export function checkPath(tree: Tree, path: Path, places: readonly Place[], reached: Node | null | undefined): void {
  for (const [at, place] of places.entries()) {
    checkNode(tree, place.container);
    if (isMap(place.container)) checkKey(tree, place.container, path[at] as string, pairAt(place));
  }
  if (!reached) return;
  checkNode(tree, reached);
  const step = path[places.length];
  if (step === undefined || isNull(reached)) return;
  const isRight = typeof step === 'string' ? isMap(reached) : isSeq(reached);
  const way = places.length === 0 ? 'at its top' : `at \`${pathText(path.slice(0, places.length))}\``;
  if (!isRight) throw new EditProblem(`has no ${typeof step === 'string' ? 'map' : 'list'} ${way} (${tree.where(startOf(reached))})`);
  if (isMap(reached)) checkKey(tree, reached, step as string);
}

function checkNode(tree: Tree, node: Node): void {
  const feature = isAlias(node) ? 'an alias' : node.anchor ? 'an anchor' : node.tag ? 'a tag' : undefined;
  if (feature) throw refusal(tree, feature, node);
}

function checkKey(tree: Tree, map: YAMLMap, key: string, found?: Pair): void {
  let count = 0;
  for (const pair of map.items as readonly Pair[]) {
    const name = nameOf(pair);
    if (isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.source === '<<') throw refusal(tree, 'a merge key', pair.key);
    if (name === undefined && !found) throw refusal(tree, 'a key that is no scalar', pair.key);
    if (name === key && ++count > 1) throw refusal(tree, 'a key twice', pair.key);
  }
  if (!found) return;
  checkNode(tree, found.key);
  if (found.srcToken?.start.some(({ type }) => type === 'explicit-key-ind')) throw refusal(tree, 'a key after `?`', found.key);
}

function refusal(tree: Tree, feature: string, node: Node): EditProblem {
  return new EditProblem(`has ${feature} at ${tree.where(startOf(node))}, which an edit cannot follow`);
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
