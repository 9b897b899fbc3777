import { block, type Node, print, type Run, replaceRuns, rewriteLines, rewriteLists, statement } from './tree.ts';

/**
 * First pass: how errors are kept. ajv's functions build a list each, count beside it, and hand it up on the function itself. Here one list,
 * `found`, goes down instead: `validate1(found, path, data)` adds to it, its length is the count, and what needs no report is added as `unseen`
 * and cut off again by the code around it.
 */
export function keepErrorsInOneList(functions: readonly Node[]): Node[] {
  let nodes = [...functions];
  nodes = rewriteLists(nodes, (list) => replaceRuns(list, (all, index) => pushed(all, index) ?? called(all, index) ?? cutBack(all, index)));
  nodes = replaceRuns(nodes, (all, index) => {
    const node = all[index];
    return typeof node === 'object' ? { length: 1, put: [validator(node.head, node.body)] } : undefined;
  });
  nodes = rewriteLines(nodes, (line) =>
    line
      .replace(/^const (_errs\d+) = errors;$/, 'const $1 = found.length;')
      .replaceAll(/\b(_errs\d+) === errors\b/g, '$1 === found.length')
      .replaceAll(/\berrors === (_errs\d+)\b/g, 'found.length === $1')
      .replaceAll(/\binstancePath\b/g, 'path'),
  );
  const left = /.*\b(?:vErrors|errors|rootData|parentData\w*|wrapper\d+)\b.*/.exec(print(nodes));
  if (left) throw new Error(`bookkeeping that the compaction does not know: ${left[0].trim()}`);
  return nodes;
}

const errorObject =
  /^const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:"(?:[^"\\]|\\.)*",keyword:("\w+"),params:(\{.*?\})(?:,propertyName:\w+)?\};$/;

/** An error object, and the four statements that put it on the list. */
function pushed(nodes: readonly Node[], index: number): Run | undefined {
  const first = statement(nodes[index], /^const (err\d+) = \{/);
  if (!first) return undefined;
  const [line, name] = first;
  const rest = print(nodes.slice(index + 1, index + 4)).replaceAll(/^ +/gm, '');
  if (rest !== `if(vErrors === null) {\nvErrors = [${name}];\n}\nelse {\nvErrors.push(${name});\n}\nerrors++;\n`)
    throw new Error(`an error that is not put on the list: ${first.input}`);
  const object = errorObject.exec(first.input);
  if (object) return { length: 4, put: [`note(found, ${object[2] ?? 'instancePath'}, ${object[3]}, ${object[4]});`] };
  if (first.input === `${line}};`) return { length: 4, put: ['found.push(unseen);'] };
  throw new Error(`an error that the compaction cannot read: ${first.input}`);
}

const argument = /^if\(!\((\w+(?:\.validate)?)\((.+?), ?\{instancePath(?::(.+?))?,parentData(?::.+)?,parentDataProperty(?::.+)?,rootData\}\)\)\)$/;

/** A call of another validator, and the joining of the lists. */
function called(nodes: readonly Node[], index: number): Run | undefined {
  const call = block(nodes[index], argument);
  if (!call) return undefined;
  const [, name = '', data, path] = call.found;
  if (print(call.body) !== `vErrors = vErrors === null ? ${name}.errors : vErrors.concat(${name}.errors);\nerrors = vErrors.length;\n`)
    throw new Error(`a call whose errors are not joined: ${call.found.input}`);
  return { length: 1, put: [`${name}(found, ${path ?? 'instancePath'}, ${data});`] };
}

/** `errors = _errs1` and the list with it. */
function cutBack(nodes: readonly Node[], index: number): Run | undefined {
  const name = statement(nodes[index], /^errors = (_errs\d+);$/)?.[1];
  if (name === undefined) return undefined;
  const rest = print(nodes.slice(index + 1, index + 2)).replaceAll(/^ +/gm, '');
  if (rest !== `if(vErrors !== null) {\nif(${name}) {\nvErrors.length = ${name};\n}\nelse {\nvErrors = null;\n}\n}\n`)
    throw new Error(`the list is not cut back with its count: ${rest}`);
  return { length: 2, put: [`found.length = ${name};`] };
}

function validator(head: string, body: readonly Node[]): Node {
  const name = /^function (\w+)\(data, \{instancePath="", parentData, parentDataProperty, rootData=data\}=\{\}\)$/.exec(head)?.[1];
  if (name === undefined) throw new Error(`not the head of a validator: ${head}`);
  const frame = [...body.slice(0, 2), ...body.slice(-2)].join(' ');
  if (frame !== `let vErrors = null; let errors = 0; ${name}.errors = vErrors; return errors === 0;`)
    throw new Error(`${name} begins or ends in an unknown way: ${frame}`);
  return { head: `function ${name}(found, path, data)`, body: body.slice(2, -2) };
}
