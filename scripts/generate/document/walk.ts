/** The one walk over the document: every reader of its nodes begins here. References are not followed, except by `reached`. */
import { namesOf } from '../../../src/overlay/json/pointer.ts';
import { type KindName, kindOf, type Row } from './kinds.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from './source.ts';

export type Place = readonly (string | number)[];

export interface Node {
  readonly kind: KindName;
  readonly value: Json;
  readonly place: Place;
  /** The key of the parent that holds the node alone, in a list or by name. Empty for the first node. */
  readonly under: string;
}

export function nodeOf(kind: KindName, value: Json | undefined, place: Place): Node {
  return { kind, value: value ?? null, place, under: '' };
}

export function documentOf(source: Pick<Source, 'value'>): Node {
  return nodeOf('document', source.value, []);
}

export function rowOf(kind: KindName, key: string): Row | undefined {
  const { keys } = kindOf(kind);
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

/** The nodes directly below a node, in the order of the document. */
function children({ kind, value, place }: Node): Node[] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([under, child]) => {
    const row = rowOf(kind, under);
    if (!row || !('form' in row) || !('shape' in row.form)) return [];
    const { shape, kind: inner } = row.form;
    const at = [...place, under];
    if (shape === 'one') return [{ kind: inner, value: child, place: at, under }];
    if (shape === 'list') return Array.isArray(child) ? child.map((item, index) => ({ kind: inner, value: item, place: [...at, index], under })) : [];
    return Object.entries(isObject(child) ? child : {}).map(([name, item]) => ({ kind: inner, value: item, place: [...at, name], under }));
  });
}

/** Visits a node and all below it, parents first. A visit returns a value for its children, or undefined to leave them out. */
export function walk<Above>(node: Node, above: Above, visit: (node: Node, above: Above) => Above | undefined): void {
  const own = visit(node, above);
  if (own !== undefined) for (const child of children(node)) walk(child, own, visit);
}

/** The node and all below it, parents first. */
export function nodesOf(node: Node): Node[] {
  const found: Node[] = [];
  walk(node, true, (one) => found.push(one) > 0);
  return found;
}

/** The nodes below a node and below those that it refers to, each target once. `enters` leaves out a node and all below it. */
export function reached(source: Pick<Source, 'value'>, first: Node, seen: Set<string>, enters: (node: Node) => boolean = () => true): Node[] {
  const found: Node[] = [];
  const waiting = [first];
  for (let node = waiting.pop(); node; node = waiting.pop())
    walk(node, true, (one) => {
      if (!enters(one)) return undefined;
      found.push(one);
      const ref = refOf(one.value);
      if (ref !== undefined && !seen.has(ref)) {
        seen.add(ref);
        waiting.push(nodeOf(one.kind, resolve(source.value, ref), namesOf(ref)));
      }
      return true;
    });
  return found;
}

/** For `reached`: a schema and its parts that are about the same value. */
export function isOfSameValue({ under }: Node): boolean {
  return ['', 'allOf', 'anyOf', 'oneOf'].includes(under);
}

/** Builds a value from a node, children first: `inner` has what was built from the nodes under each key, in the same shape. */
export function fold<Built>(node: Node, build: (node: Node, inner: Inner<Built>) => Built): Built {
  const inner: { [under: string]: Built | Built[] | { [name: string]: Built } } = {};
  for (const child of children(node)) {
    const row = rowOf(node.kind, child.under);
    const shape = row && 'form' in row && 'shape' in row.form ? row.form.shape : 'one';
    const built = fold(child, build);
    const name = String(child.place.at(-1));
    if (shape === 'one') inner[child.under] = built;
    else if (shape === 'list') inner[child.under] = [...((inner[child.under] as Built[] | undefined) ?? []), built];
    else inner[child.under] = { ...(inner[child.under] as { [name: string]: Built } | undefined), [name]: built };
  }
  return build(node, inner);
}

export type Inner<Built> = { readonly [under: string]: Built | Built[] | { [name: string]: Built } };

/** A copy in which each node has been changed, children first. */
export function rewriteNodes(node: Node, change: (value: JsonObject, kind: KindName) => Json): Json {
  return fold<Json>(node, ({ kind, value }, inner) => (isObject(value) ? change({ ...value, ...inner }, kind) : value));
}

export function refOf(value: Json | undefined): string | undefined {
  return isObject(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;
}

/** The node that references lead to. A node without one is its own. */
export function follow(document: JsonObject, value: Json | undefined): JsonObject {
  let target = value;
  for (let ref = refOf(target); ref !== undefined; ref = refOf(target)) target = resolve(document, ref);
  return isObject(target) ? target : {};
}
