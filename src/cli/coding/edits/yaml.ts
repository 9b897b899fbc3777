// YAML documents. The library writes the document again: comments and quotes stay, white space may not.
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseDocument,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml';
import { Unsupported } from './draft.ts';
import { type DocumentFormat, type DocumentText, EditProblem, type TextPart, type ValuePlace, type Write } from './edit.ts';
import { printed } from './json-print.ts';
import { breakOf, where } from './text.ts';
import { isPlain } from './values.ts';

type Yaml = Document<ParsedNode>;

export const yaml: DocumentFormat = {
  read,
  // JSON is YAML.
  source: (value) => printed(value),
  // A record may have the text after a colon, with the lines of a block.
  parse: (source) => (read(`k:${/^\s/.test(source) ? '' : ' '}${source}\n`).value as { readonly k?: unknown }).k,
  containers: { object: ['map', 'a map'], list: ['list', 'a list'] },
};

/** Refuses a text that is not valid YAML, or more than one document. */
function read(text: string): DocumentText {
  const document = parsed(text);
  const { contents } = document;
  const isBlank = contents === null || (isScalar(contents) && contents.type === 'PLAIN' && contents.source === '' && !traitOf(contents));
  return {
    value: isBlank ? undefined : contentOf(document),
    write: (writes) => (isBlank ? withFirst(text, writes[0]?.value) : written(text, document, writes)),
    parts: () => (isBlank ? [] : partsOf(contents, [])),
  };
}

function parsed(text: string): Yaml {
  const lines = new LineCounter();
  // The search of the library for repeated keys takes quadratic time, and its messages quote the document.
  const document = parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
    customTags: (tags) => tags.map(withExactNumbers),
  });
  const [error] = document.errors;
  if (!error) return document;
  const { line, col } = lines.linePos(error.pos[0]);
  throw new EditProblem(`${fault(error)} at line ${line}, column ${col}`, error.code === 'MULTIPLE_DOCS' ? 'Leave one document in it.' : undefined);
}

function fault({ code }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'has a second YAML document (only files with one can be edited)';
  return code === 'TAB_AS_INDENT' ? 'is not valid YAML: it is indented with a tab' : 'is not valid YAML';
}

/** Integers that a number cannot hold are read as bigint, and a number that stays is written as it was. */
function withExactNumbers(tag: Tags[number]): Tags[number] {
  if (typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag) || !('resolve' in tag)) return tag;
  const { resolve, stringify: print, ...rest } = tag as ScalarTag;
  const exact: ScalarTag['resolve'] = (source, onError, options) => {
    const value = resolve(source, onError, { ...options, intAsBigInt: true });
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  };
  return { ...rest, resolve: exact, stringify: (item, ...context) => item.source ?? print?.(item, ...context) ?? String(item.value) };
}

function contentOf(document: Yaml): unknown {
  try {
    return document.toJS();
  } catch {
    throw new EditProblem('is not valid YAML: an alias has no anchor, or too many aliases are used');
  }
}

/** The first value of a document comes after its comments. */
function withFirst(text: string, value: unknown): string {
  const lineBreak = breakOf(text);
  const end = /^\.\.\.(?=\s|$)/m.exec(text)?.index ?? text.length;
  const before = text.slice(0, end);
  const gap = before === '' || /[\r\n]$/.test(before) ? '' : lineBreak;
  return before + gap + new Document(newNode(new Document(), value)).toString({ lineWidth: 0 }).replaceAll('\n', lineBreak) + text.slice(end);
}

function written(text: string, document: Yaml, writes: readonly Write[]): string {
  if (text.includes('\r\n')) {
    // The library takes a carriage return for a part of a comment.
    const plain = text.replaceAll('\r\n', '\n');
    return written(plain, parsed(plain), writes).replaceAll('\n', '\r\n');
  }
  for (const { place, value } of writes) {
    if (place.length === 0) {
      const [start = 0, end = 0] = document.contents?.range ?? [];
      return text.slice(0, start) + text.slice(end);
    }
    change(text, document, place, value);
  }
  return document.toString({
    lineWidth: 0,
    indent: /^( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2,
    indentSeq: !/^( *)(?:- +)?[^\s#-].*:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*\1- /m.test(text),
    flowCollectionPadding: /[{[] +[^\s}\]]/.test(text),
  });
}

/** Changes the tree of the library at a place. Refuses a place that an edit cannot follow. */
function change(text: string, document: Yaml, place: ValuePlace, value: unknown): void {
  const refused = (feature: keyof typeof cures, at: Node | undefined): Unsupported =>
    new Unsupported(`has ${feature} at ${where(text, at?.range?.[0] ?? 0)}, which an edit cannot follow`, cures[feature]);
  const check = (node: Node): void => {
    const trait = traitOf(node);
    if (trait) throw refused(trait, node);
  };
  let node: Node | null = document.contents;
  for (const [at, step] of place.entries()) {
    if (isAlias(node) || value !== undefined) check(node as Node);
    const isLast = at === place.length - 1;
    if (isSeq<Node>(node) && typeof step === 'number') {
      if (!isLast) node = node.items[step] ?? null;
      else if (value === undefined) node.items.splice(step, 1);
      else if (step < node.items.length) node.items[step] = replaced(document, node.items[step], value, check);
      else node.items.push(newNode(document, value));
      continue;
    }
    if (!isMap<Node, Node | null>(node)) return;
    const found: Pair<Node, Node | null>[] = node.items.filter(({ key }) => isScalar(key) && nameOf(key.value) === step);
    const [pair, twin] = found;
    const complex = node.items.find(({ key }) => !isScalar(key));
    const merge = node.items.find(({ key }) => isScalar(key) && key.type === 'PLAIN' && key.source === '<<');
    if (twin) throw refused('a key twice', twin.key);
    if (!pair && complex) throw refused('a key that is not a scalar', complex.key);
    if (!pair && merge) throw refused('a merge key', merge.key);
    if (!isLast) node = pair?.value ?? null;
    else if (value === undefined) node.items = node.items.filter((one) => one !== pair);
    else if (pair) pair.value = replaced(document, pair.value, value, check);
    else node.items.push(document.createPair(newNode(document, step), newNode(document, value)) as Pair<Node, Node | null>);
  }
}

/** The node of a new value, with the comments of the old one. */
function replaced(document: Document, old: Node | null | undefined, value: unknown, check: (node: Node) => void): Node {
  if (old) visit(old, (_, node) => (isAlias(node) || isScalar(node) || isCollection(node) ? check(node) : undefined));
  const node = newNode(document, value);
  if (isScalar(node) && isScalar(old) && typeof old.value === 'string' && old.type?.startsWith('QUOTE')) node.type = old.type;
  if (old?.commentBefore) node.commentBefore = old.commentBefore;
  if (old?.comment) node.comment = old.comment;
  return node;
}

const words = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;
/** Strings without quotes. A colon is allowed only as in `https://`. */
const plain = /^[A-Za-z](?:[\w./+-]|:\/\/)*$/;

/** The node of a value. Strings that any reader of YAML could take for another value get quotes. */
function newNode(document: Document, value: unknown): Node {
  const node = document.createNode(value, { flow: Array.isArray(value) && !value.some(isPlain) }) as Node;
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && (!plain.test(scalar.value) || words.test(scalar.value))) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return node;
}

function nameOf(key: unknown): string {
  return key === null ? '' : String(key);
}

/** The next step for each part of YAML that an edit cannot follow. */
const cures = {
  'an anchor': 'Remove the anchor, and write its value instead of each alias.',
  'an alias': 'Write the value of the anchor instead of the alias.',
  'a merge key': 'Write the keys that it merges instead of `<<`.',
  'a tag': 'Remove the tag.',
  'a key twice': 'Remove one of them.',
  'a key that is not a scalar': 'Write a text as the key.',
} as const;

function traitOf(node: Node): 'an alias' | 'an anchor' | 'a tag' | undefined {
  if (isAlias(node)) return 'an alias';
  const { anchor, tag } = node as { readonly anchor?: string; readonly tag?: string };
  return anchor ? 'an anchor' : tag ? 'a tag' : undefined;
}

function* partsOf(node: Node | null, place: ValuePlace): Generator<TextPart> {
  if (!node?.range) return;
  const [start, end] = node.range;
  if (isMap<Node, Node | null>(node) && !node.tag) {
    for (const { key, value } of node.items) {
      const here = [...place, isScalar(key) ? nameOf(key.value) : ''];
      if (key.range) yield { start: key.range[0], end: key.range[1], kind: isScalar(key) ? 'key' : 'opaque', place: here };
      yield* partsOf(value, here);
    }
  } else if (isSeq<Node>(node) && !node.tag) for (const [at, item] of node.items.entries()) yield* partsOf(item, [...place, at]);
  else if (start < end) yield { start, end, kind: traitOf(node) ? 'opaque' : 'value', place };
}
