// The table of kinds: every node of the document is in it, and it has the only walk over the document.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '../../scripts/generate/document/kinds.ts';
import { isObject } from '../../scripts/generate/document/source.ts';
import { documentOf, nodesOf, rowOf } from '../../scripts/generate/document/walk.ts';
import { featuresPage } from '../../scripts/generate/pages/features.ts';
import ts from '../../scripts/typescript.mjs';
import { cellsOf } from '../docs/snippets.ts';
import { openapi } from '../support/openapi.ts';
import { project } from '../support/small-spec.ts';

const nodes = nodesOf(documentOf(openapi));

it('every node of the document has a kind, and each of its keys a row of the page', () => {
  const page = featuresPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cellsOf);
  const unknown = nodes.flatMap(({ kind, value, place }) =>
    Object.keys(isObject(value) ? value : {}).flatMap((key) => {
      const row = rowOf(kind, key);
      const isListed = row && 'form' in row && page.some(([keys = '', meaning]) => keys.includes(`\`${key}\``) && meaning === row.becomes);
      return isListed ? [] : [[...place, key].join(' > ')];
    }),
  );
  expect(unknown).toEqual([]);
  expect(nodes.length).toBeGreaterThan(3000);
});

it('the walk sees each reference of the document, and each kind', () => {
  // Text of the document outside of examples, which are data.
  const referring = nodes.filter(({ value }) => isObject(value) && typeof value['$ref'] === 'string');
  const inExamples =
    JSON.stringify(nodes.filter(({ kind }) => kind === 'example').map(({ value }) => value)).split('"$ref":"#/components').length - 1;
  const written = JSON.stringify(openapi.value).split('"$ref":"#/components').length - 1;
  expect(referring.length).toBe(written - inExamples);
  expect(new Set(nodes.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
});

it('no other file walks the document: only the walk calls itself with the children of a value', () => {
  const folder = join(project, 'scripts/generate');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const walking = files.flatMap((path) => {
    const source = ts.createSourceFile(path, readFileSync(join(folder, path), 'utf8'), ts.ScriptTarget.Latest, true);
    return functionsOf(source)
      .filter(
        ({ name, body }) =>
          new RegExp(`(?:this\\.#?|(?<![.\\w#]))${name}\\(`).test(body) &&
          /Object\.(values|entries)\(|Array\.isArray\(|\bentries\(|\blist\(/.test(body),
      )
      .map(({ name }) => `${path} ${name}`);
  });
  // Recorded replies and examples are not a document, and the others print values as code.
  expect(walking.sort()).toEqual([
    'claims/recordings.ts holds',
    'code/examples.ts idsIn',
    'code/request-rules.ts print',
    'code/request-rules.ts printShort',
  ]);
});

/** Named functions, methods and constants with their text. */
function functionsOf(source: ts.SourceFile): { name: string; body: string }[] {
  const found: { name: string; body: string }[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body && node.name)
      found.push({ name: node.name.getText().replace('#', ''), body: node.body.getText() });
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer))
      found.push({ name: node.name.getText(), body: node.initializer.body.getText() });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
