// The part of the document below one root. Most generators ignore the root of a path, and send each operation to the first one.
type DocumentNode = Readonly<Record<string, unknown>>;

interface Server extends DocumentNode {
  readonly 'x-surface': string;
  readonly url: string;
}

interface Document extends DocumentNode {
  readonly info: DocumentNode;
  readonly servers: readonly Server[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, DocumentNode>>;
  readonly components: Readonly<Record<string, DocumentNode>>;
}

/** The operations below a root, with one server and the components that they use. */
export function rootDocument(document: Document, surface: string, region: string): DocumentNode {
  const found = Object.entries(document.paths).flatMap(([path, { servers = document.servers, ...item }]) => {
    const own = (servers as readonly Server[]).filter((one) => one['x-surface'] === surface);
    return own.length > 0 ? [{ path, item, server: own.find(({ url }) => url.includes('.bigmodel.cn/') === (region === 'china')) ?? own[0] }] : [];
  });
  const paths = Object.fromEntries(found.map(({ path, item }) => [path, item]));
  const tags = new Set(strings(paths, 'tags'));
  return {
    openapi: document['openapi'],
    info: { ...document.info, title: `${String(document.info['title'])}: ${surface}` },
    servers: [found[0]?.server],
    security: document['security'],
    tags: document.tags.filter(({ name }) => tags.has(name)),
    paths,
    components: { ...used(document.components, paths), securitySchemes: document.components['securitySchemes'] },
  };
}

const prefix = '#/components/';

/** The components that a node refers to, and those that they refer to. */
function used(components: Document['components'], node: DocumentNode): Readonly<Record<string, DocumentNode>> {
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (one: unknown): void => {
    for (const text of strings(one)) {
      if (!text.startsWith(prefix)) continue;
      const [kind = '', name = ''] = text.slice(prefix.length).split('/');
      const target = components[kind]?.[name];
      if (target === undefined || kept[kind]?.[name] !== undefined) continue;
      (kept[kind] ??= {})[name] = target;
      visit(target);
    }
  };
  visit(node);
  return kept;
}

/** The texts of a value; with a key, only those in lists below it. */
function* strings(value: unknown, key?: string): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [name, child] of Object.entries(value)) {
      if (key === undefined) yield* strings(child);
      else if (name === key && Array.isArray(child)) yield* strings(child);
      else if (typeof child === 'object') yield* strings(child, key);
    }
}
