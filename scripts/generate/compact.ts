/**
 * Makes ajv's stand-alone code small. ajv writes each error out as an object literal, with its way through the schema, and hands
 * bookkeeping from function to function that only custom keywords read. What is left says path, keyword and parameters.
 */
export function compact(code: string): string {
  return (
    helpers +
    code
      .replace(/^"use strict";/, '')
      .replaceAll(/const \w+ = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;\n?/g, '')
      .replaceAll(/\bfunc\d+\((\w+(?:\.\w+)*)\) < 1\b/g, '$1.length < 1')
      .replaceAll(/\bfunc\d+(?=\()/g, 'codePoints')
      .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
      .replaceAll(
        errorPush,
        (_all, _name, path: string | undefined, keyword: string, params: string) =>
          `vErrors = note(vErrors, ${path ?? 'instancePath'}, ${keyword}, ${params});\nerrors++;`,
      )
      // The branches of an `if` only count their errors.
      .replaceAll(
        /const (err\d+) = \{\};\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g,
        'vErrors = note(vErrors);\nerrors++;',
      )
      .replaceAll(
        /vErrors = vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\);\nerrors = vErrors\.length;/g,
        'vErrors = both(vErrors, $1.errors);\nerrors = vErrors.length;',
      )
      .replaceAll('{instancePath="", parentData, parentDataProperty, rootData=data}={}', 'instancePath = ""')
      .replaceAll(
        /\{instancePath(?::((?:[^,{}"]|"(?:[^"\\]|\\.)*")+))?,parentData(?::\w+)?,parentDataProperty(?::(?:\w+|"(?:[^"\\]|\\.)*"))?,rootData\}/g,
        (_all, path: string | undefined) => path ?? 'instancePath',
      )
      .replaceAll(/^const schema\d+ = .*;\n/gm, (line) => (used(code, line) ? line : ''))
  );
}

const errorPush =
  /const (err\d+) = \{instancePath(?::((?:[^,{}"]|"(?:[^"\\]|\\.)*")+))?,keyword:("\w+"),params:(\{.*\})\};\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g;

const helpers = `
const codePoints = (text) => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
const note = (errors, instancePath, keyword, params) => {
  const error = { instancePath, keyword, params };
  if (errors === null) return [error];
  errors.push(error);
  return errors;
};
const both = (errors, more) => (errors === null ? more : errors.concat(more));
`;

/** ajv declares every schema as data, and reads few of them. */
function used(code: string, declaration: string): boolean {
  const name = /^const (schema\d+)/.exec(declaration)?.[1] ?? '';
  return new RegExp(`\\b${name}\\b`).test(code.replace(declaration, ''));
}
