import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** The rooms from the bottom up: a file imports from its own room, or from lines above it. */
type Levels = readonly (readonly string[])[];

const sources: Levels = [
  ['generated', 'proxy', 'store'],
  ['overlay'],
  ['debug', 'fetch', 'mcp', 'monitor', 'node', 'node-transport', 'observe', 'services', 'testing', 'types'],
  ['cli'],
];

const library: Levels = [
  ['platform', 'json'],
  ['secrets'],
  ['errors'],
  ['hooks'],
  ['context'],
  ['config'],
  ['transport', 'validation', 'tool-schema', 'concurrency'],
  ['surfaces'],
  ['call'],
  ['streams', 'files', 'monitor'],
  ['batch', 'tools'],
  ['services'],
  ['client'],
  // Functions over a client. Only the index imports them.
  ['above'],
  ['index'],
];

/** Its largest room, in order of travel. */
const call: Levels = [
  ['door'],
  ['settings'],
  ['cancellation', 'operation'],
  ['request'],
  ['attempt'],
  ['reply'],
  ['redirect'],
  ['send'],
  ['operations'],
];

const program: Levels = [
  ['errors'],
  ['files', 'hosts'],
  ['table'],
  ['terminal', 'input'],
  ['dry-run', 'factory', 'run-notes'],
  ['cli'],
  ['reports', 'accounts', 'transfer'],
  ['client', 'settings', 'log'],
  ['coding', 'talk', 'bulk'],
  ['commands'],
  ['program'],
  ['main'],
];

/** `faults` is the menu, and the folder next to it. */
const fake: Levels = [['checks', 'config', 'sockets'], ['requests'], ['replies', 'exchanges'], ['faults'], ['memory'], ['service'], ['index']];

const generator: Levels = [['document'], ['check', 'code', 'claims'], ['pages']];

const houses = [
  ['the sources', 'src', sources],
  ['the library', 'src/overlay', library],
  ['a call', 'src/overlay/call', call],
  ['the command line', 'src/cli', program],
  ['the fake service', 'src/testing', fake],
  ['the generator', 'scripts/generate', generator],
] as const;

describe.each(houses)('imports inside %s', (_house, folder, levels) => {
  const root = new URL(`../../${folder}/`, import.meta.url).pathname;
  const imports = importsIn(root);
  const name = (file: string): string => relative(root, file);
  const roomOf = (file: string): string => name(file).split('/')[0]?.replace(/\.ts$/, '') ?? '';
  const levelOf = (file: string): number => levels.findIndex((rooms) => rooms.includes(roomOf(file)));
  const between = (isWrong: (file: string, target: string) => boolean): string[] =>
    [...imports].flatMap(([file, targets]) => targets.filter((target) => isWrong(file, target)).map((target) => `${name(file)} → ${name(target)}`));

  test('no room imports from one above it', () => {
    expect(between((file, target) => levelOf(target) > levelOf(file))).toEqual([]);
  });

  test('rooms of one level do not import each other', () => {
    expect(between((file, target) => levelOf(target) === levelOf(file) && roomOf(target) !== roomOf(file))).toEqual([]);
  });

  test('the top level has at most 22 entries, and each is in the list of levels', () => {
    const entries = readdirSync(root);
    expect(entries.length).toBeLessThanOrEqual(22);
    expect([...new Set(entries.map((entry) => entry.replace(/\.ts$/, '')))].sort()).toEqual([...levels.flat()].sort());
  });
});

// A function that is handed to a lower room has a type of that room. With `never`, or with a cast back to the type of another room, it would reach
// below its level without an import.
test('no function of the library passes a wall by a parameter of type never or by a cast', () => {
  const root = new URL('../../src/overlay/', import.meta.url).pathname;
  const texts = filesIn(root).map((file) => [relative(root, file), readFileSync(file, 'utf8')] as const);
  expect(wallsPassed(new Map(texts))).toEqual([]);
});

test.each([
  ['a parameter', { 'call/settings.ts': 'interface Parts { toModels?: ((asked: never) => unknown) | undefined }' }, 'call/settings.ts: asked: never'],
  ['a parameter of a function', { 'call/call.ts': 'type Sender = <T>(read: (reply: never) => T) => T;' }, 'call/call.ts: reply: never'],
  [
    'a cast',
    {
      'call/make.ts': 'export type MakeSender = (asked: object) => void;',
      'services/calls.ts': 'const make = parts.toModels as MakeSender | undefined;',
    },
    'services/calls.ts: parts.toModels as MakeSender | undefined',
  ],
])('the check of walls finds %s', (_name, files, found) => {
  expect(wallsPassed(new Map(Object.entries<string>(files)))).toEqual([found]);
});

test('the store imports no other part of the package, is used by the command line, node and testing alone, and no entry exports it', () => {
  const root = new URL('../../src/', import.meta.url).pathname;
  const store = join(root, 'store/');
  const users = [...importsIn(root)].filter(([, targets]) => targets.some((target) => target.startsWith(store)));
  const rooms = new Set(users.map(([file]) => relative(root, file).split('/')[0]));
  expect([...rooms].sort()).toEqual(['cli', 'node', 'store', 'testing']);
  expect(users.filter(([file]) => /^(?!cli|store)[^/]+\/index\.ts$/.test(relative(root, file)))).toEqual([]);
  const foreign = filesIn(store).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)].map(([, specifier = '']) => specifier),
  );
  expect(foreign.filter((specifier) => !/^(\.\/[^/]+|node:.+|valibot)$/.test(specifier))).toEqual([]);
});

test.each(['src', 'scripts', 'test', 'bench', 'examples'])('no circle between files of %s', (folder) => {
  const root = new URL(`../../${folder}/`, import.meta.url).pathname;
  expect(circles(importsIn(root)).map((circle) => circle.map((file) => relative(root, file)).join(' → '))).toEqual([]);
});

/** Parameters of type never, and casts to a named type of functions that another room declares. `files` has the text of each. */
function wallsPassed(files: ReadonlyMap<string, string>): string[] {
  const roomIn = (file: string): string | undefined => file.split('/')[0];
  const trees = [...files].map(([file, text]) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  const nodes = trees.flatMap((tree) => nodesOf(tree).map((node) => [tree.fileName, node] as const));
  const rooms = new Map(
    nodes.flatMap(([file, node]) => (ts.isTypeAliasDeclaration(node) && ts.isFunctionTypeNode(node.type) ? [[node.name.text, roomIn(file)]] : [])),
  );
  const isForeign = (file: string, type: ts.TypeNode): boolean => {
    if (ts.isUnionTypeNode(type)) return type.types.some((one) => isForeign(file, one));
    const room = ts.isTypeReferenceNode(type) ? rooms.get(type.typeName.getText()) : undefined;
    return room !== undefined && room !== roomIn(file);
  };
  return nodes
    .filter(
      ([file, node]) =>
        (ts.isParameter(node) && node.type?.kind === ts.SyntaxKind.NeverKeyword) || (ts.isAsExpression(node) && isForeign(file, node.type)),
    )
    .map(([file, node]) => `${file}: ${node.getText()}`);
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const add = (one: ts.Node): void => {
    nodes.push(one);
    one.forEachChild(add);
  };
  add(node);
  return nodes;
}

/** Each file below a folder, and the files below it that it imports. */
function importsIn(root: string): Map<string, string[]> {
  return new Map(filesIn(root).map((file) => [file, importsOf(file, root)]));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((entry) => entry !== 'node_modules')
    .map((entry) => join(folder, entry))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : []));
}

/** The files below `root` that a file imports. Imports of types and those on demand count, since a reader follows them too. */
function importsOf(file: string, root: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => resolve(dirname(file), specifier))
    .filter((path) => path.startsWith(root));
}

/** Each circle once, from its first file in the order of names. */
function circles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const found = new Map<string, string[]>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      const circle = path.slice(at);
      const first = circle.indexOf([...circle].sort()[0] ?? '');
      const turned = [...circle.slice(first), ...circle.slice(0, first)];
      found.set(turned.join(), turned);
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return [...found.values()];
}
