/** Refuses a document that cannot be compiled without loss. The rest is a model of operations, and each part of it becomes code. */
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { type Operation, readOperations } from '../document/operations.ts';
import { isObject, resolve, type Source } from '../document/source.ts';
import { ajvWith } from './ajv.ts';
import { checkRequiredTexts } from './empty-text.ts';
import { exampleProblems } from './example-check.ts';
import { checkNames, checkStreams } from './names.ts';
import { checkMediaTypes, checkOperation, checkPaths, checkSecurity, checkServers } from './operations.ts';
import { checkSchemas, checkValues } from './schemas.ts';
import { checkTree } from './tree.ts';

/** The operations of a document that can be compiled. */
export function checkSpec(source: Source): Operation[] {
  const { openapi } = source.value;
  if (!/^3\.1\.[0-2]$/.test(String(openapi))) throw source.error(['openapi'], `must be 3.1.0, 3.1.1 or 3.1.2, not ${String(openapi)}`);
  checkTree(source);
  checkPaths(source);
  checkMediaTypes(source);
  checkServers(source);
  checkSecurity(source);
  checkSchemas(source);
  const operations = readOperations(source);
  for (const operation of operations) checkOperation(source, operation);
  checkNames(source, operations);
  checkStreams(source, operations);
  checkRequiredTexts(source, operations);
  const ajv = ajvWith(source.value);
  const schemas = resolve(source.value, '#/components/schemas');
  checkCompiles(source, ajv, Object.keys(isObject(schemas) ? schemas : {}));
  checkValues(source, ajv);
  for (const problem of exampleProblems(ajv, operations)) throw source.error(problem.place, problem.text);
  return operations;
}

/** Report problems that only ajv finds: keywords without effect, or an `if` without a `then`. */
function checkCompiles(source: Source, ajv: Ajv2020, names: readonly string[]): void {
  for (const name of names)
    try {
      ajv.compile({ $ref: `spec#/$defs/${name}` });
    } catch (error) {
      throw source.error(['components', 'schemas', name], (error as Error).message);
    }
}
