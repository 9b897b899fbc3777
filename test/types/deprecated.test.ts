import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import ts from '../../scripts/typescript.mjs';

describe('deprecated methods', () => {
  it.each(['chat', 'messages'])('createStream of %s, and no other, is marked in the types', (service) => {
    const file = new URL(`../../src/overlay/services/${service}.ts`, import.meta.url);
    const source = ts.createSourceFile(file.pathname, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const methods = source.statements.filter(ts.isClassDeclaration).flatMap((one) => one.members.filter(ts.isMethodDeclaration));
    const deprecated = methods.filter((method) => ts.getJSDocDeprecatedTag(method) !== undefined);
    expect(deprecated.map((method) => method.name.getText())).toEqual(['createStream']);
    for (const method of deprecated) expect(ts.getJSDocDeprecatedTag(method)?.comment).toMatch(/Use `stream`; removed in 1\.0/);
  });
});
