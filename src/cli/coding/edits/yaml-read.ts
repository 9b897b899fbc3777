// Reads YAML documents.
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type ScalarTag,
  type Tags,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { EditProblem } from './edit.ts';
import { beforeBreak, columnAt, isBreak, lineEnd, moverBy, nextLine, type Range } from './text.ts';
import { type Item, moveItem, type Node } from './tree.ts';

type Value = YAMLMap<Value, Value | null> | YAMLSeq<Value> | Scalar | Alias;

/** The root of a document. Throws an EditProblem if it is not valid YAML, or more than one document. */
export function readYaml(text: string): Node | undefined {
  const lines = new LineCounter();
  // The search of the library for repeated keys takes quadratic time, and its messages quote the document.
  const document = parseDocument<Value>(text, {
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
    customTags: (tags) => tags.map(withExactIntegers),
  });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const cure = error.code === 'MULTIPLE_DOCS' ? 'Leave one document in it.' : undefined;
    throw new EditProblem(`${fault(error)} at line ${line}, column ${col}`, cure);
  }
  return isBlank(document.contents) ? undefined : new YamlReader(text, document).root;
}

/** Reads again the text of one item of a container. */
export function readItem(text: string, container: Node, { start, end }: Range): Item {
  const isBlock = container.layout === 'block';
  // The line break after a block scalar can be a part of it.
  const source = text.slice(start, isBlock && isBreak(text[end]) ? nextLine(text, end) : end);
  const [open, close] = isBlock ? [' '.repeat(columnAt(text, start)), ''] : container.kind === 'map' ? ['{', '}'] : ['[', ']'];
  const head = directivesOf(text) + open;
  const [item, ...others] = readYaml(head + source + close)?.items ?? [];
  if (!item || others.length > 0) throw new EditProblem('has no single value');
  moveItem(item, moverBy(start - head.length));
  return item;
}

/** The lines above the document that choose the version of YAML. */
function directivesOf(text: string): string {
  const directives = /^(?:[ \t]*(?:#.*)?\r?\n)*((?:%.*\r?\n)+)---/.exec(text.slice(0, 1000))?.[1];
  return directives ? `${directives}---\n` : '';
}

function fault({ code }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'has a second YAML document (only files with one can be edited)';
  if (code === 'TAB_AS_INDENT') return 'is not valid YAML: it is indented with a tab';
  return 'is not valid YAML';
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
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '' && !contents.anchor && !contents.tag);
}

class YamlReader {
  readonly root: Node;
  readonly #text: string;
  readonly #document: Document<Value>;
  #isExpanded = false;

  constructor(text: string, document: Document<Value>) {
    this.#text = text;
    this.#document = document;
    this.root = this.#node(document.contents, 0);
  }

  /** `point` is the place of a value without text. */
  #node(value: Value | null, point: number): Node {
    const [from, to] = value?.range ?? [point, point];
    if (!value || (isScalar(value) && from === to)) {
      return { kind: 'scalar', layout: 'flow', start: point, end: point, scalar: isScalar(value) ? value.value : null, items: [], ...traitOf(value) };
    }
    const place = { start: from, end: this.#endOf(value, from, to), ...traitOf(value) };
    if (isScalar(value)) return { kind: 'scalar', layout: 'flow', ...place, scalar: value.value, items: [] };
    if (isAlias(value) || value.tag) return { kind: 'scalar', layout: 'flow', ...place, scalar: this.#expanded(value), items: [] };
    const layout = value.flow ? 'flow' : 'block';
    if (isMap(value)) {
      const items = (value as YAMLMap<Value, Value | null>).items.map((pair) => this.#member(pair));
      return { kind: 'map', layout, ...place, start: layout === 'flow' ? from : (items[0]?.start ?? from), items };
    }
    const dashes = dashesOf(value);
    const items = (value as YAMLSeq<Value>).items.map((one, at) => {
      const start = dashes[at] ?? one.range?.[0] ?? 0;
      const keyEnd = at in dashes ? start + 1 : start;
      return { key: undefined, start, keyEnd, sign: -1, value: this.#node(one, keyEnd) };
    });
    return { kind: 'list', layout, ...place, start: layout === 'flow' ? from : (items[0]?.start ?? from), items };
  }

  #member(pair: Pair<Value, Value | null>): Item {
    const { key, value, srcToken } = pair;
    const [start, keyEnd] = key.range ?? [0, 0];
    const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
    const sign = colon ? colon.offset + 1 : -1;
    const name = isScalar(key) ? (key.value === null ? '' : String(key.value)) : undefined;
    const isMerge = isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
    const isExplicit = srcToken?.start.some(({ type }) => type === 'explicit-key-ind');
    const trait = isMerge ? { trait: mergeKey } : traitOf(key).trait ? traitOf(key) : isExplicit ? { trait: 'a key after `?`' } : {};
    return { key: name, start, keyEnd, sign, value: this.#node(value, colon ? sign : keyEnd), ...trait };
  }

  #endOf(value: Value, start: number, end: number): number {
    return isScalar(value) && (value.type === 'BLOCK_LITERAL' || value.type === 'BLOCK_FOLDED') ? blockScalarEnd(this.#text, start, end) : end;
  }

  #expanded(value: Value): unknown {
    try {
      // The library counts aliases in each conversion, so the complete document is converted first.
      if (!this.#isExpanded) this.#document.toJS();
      this.#isExpanded = true;
      return value.toJS(this.#document);
    } catch {
      throw new EditProblem('is not valid YAML: an alias has no anchor, or too many aliases are used');
    }
  }
}

export const mergeKey = 'a merge key';

function traitOf(value: Value | null): { readonly trait?: string } {
  if (isAlias(value)) return { trait: 'an alias' };
  return value?.anchor ? { trait: 'an anchor' } : value?.tag ? { trait: 'a tag' } : {};
}

function dashesOf(list: YAMLSeq<Value>): readonly number[] {
  const token = list.srcToken;
  if (token?.type !== 'block-seq') return [];
  return token.items.flatMap(({ start }) => start.flatMap(({ type, offset }) => (type === 'seq-item-ind' ? [offset] : [])));
}

/** The library's range of a block scalar includes the blank lines after it. They belong to it only if it keeps them or they have spaces. */
function blockScalarEnd(text: string, start: number, end: number): number {
  const solid = start + text.slice(start, end).trimEnd().length;
  const line = lineEnd(text, solid);
  const isKept = /^[|>]\d?\+/.test(text.slice(start, start + 3)) || /[^\r\n]/.test(text.slice(line, end));
  return isKept ? beforeBreak(text, end) : line;
}
