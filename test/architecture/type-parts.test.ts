import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import ts from '../../scripts/typescript.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Part {
  readonly files: readonly string[];
  readonly parts: readonly string[];
}

function part(path: string): Part {
  const parsed = ts.getParsedCommandLineOfConfigFile(path, undefined, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined });
  return { files: parsed?.fileNames ?? [], parts: parsed?.projectReferences?.map((one) => one.path) ?? [] };
}

const { parts } = part(join(root, 'tsconfig/types.json'));

test('the parts of the type check have each file that the editor checks', () => {
  const checked = new Set(parts.flatMap((path) => part(path).files));
  expect(part(join(root, 'tsconfig.json')).files.filter((file) => !checked.has(file))).toEqual([]);
});
