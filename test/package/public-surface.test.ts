import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { entryNames as entries } from '../../scripts/entries.ts';
import ts from '../../scripts/typescript.mjs';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

let checker: ts.TypeChecker;
let exported: Map<string, ts.Symbol[]>;

beforeAll(() => {
  const files = entries.map((entry) => `${dist}/${entry}.d.ts`);
  const program = ts.createProgram(files, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, types: ['node'] });
  checker = program.getTypeChecker();
  exported = new Map(
    entries.map((entry, index) => {
      const file = program.getSourceFile(files[index] ?? '');
      const module = file && checker.getSymbolAtLocation(file);
      return [entry, module ? checker.getExportsOfModule(module).map(target) : []];
    }),
  );
});

/** The declared symbol of an import or an export. */
function target(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

describe('the public surface', () => {
  it('keeps the roots of the generated types to itself', () => {
    const names = [...exported.values()].flat().map((symbol) => symbol.name);
    for (const root of ['$defs', 'components', 'operations', 'paths', 'webhooks']) expect(names).not.toContain(root);
  });
});

describe('options under exactOptionalPropertyTypes', () => {
  /** Names of types that you write. */
  const written = /(Options|Config|Endpoints|Context|Limits|Query|Row|Upload|Script|Turn|TurnToolCall|Reply|Fault|Request|Settings)$/;
  /** A mark of signals, a part of a reply, and what your MCP client gets. */
  const unwritten = /throwIfAborted$|^BatchFault|^McpRequestOptions/;

  it.each(entries)('an optional field of %s accepts undefined', (entry) => {
    const strict: string[] = [];
    for (const symbol of exported.get(entry) ?? []) {
      if (!written.test(symbol.name)) continue;
      const visit = (node: ts.Node): void => {
        if (ts.isPropertySignature(node) && node.questionToken && !/\b(undefined|unknown|any|never)\b/.test(node.type?.getText() ?? 'any'))
          strict.push(`${symbol.name}.${node.name.getText()}`);
        ts.forEachChild(node, visit);
      };
      for (const declaration of symbol.declarations ?? []) visit(declaration);
    }
    expect(strict.filter((name) => !unwritten.test(name))).toEqual([]);
  });
});
