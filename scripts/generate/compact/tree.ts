/**
 * ajv's code as a tree. ajv writes one statement, one `… {` or one `}` a line, so that no parser is needed; anything else is refused.
 */
export interface Block {
  /** The line before the brace: `if(…)`, `else`, `for(…)`, `function …(…)`. */
  readonly head: string;
  readonly body: Node[];
}

export type Node = string | Block;

export function parse(code: string): Node[] {
  const open: Block[] = [{ head: '', body: [] }];
  for (const raw of code.split('\n')) {
    const line = raw.trim();
    const inside = open.at(-1);
    if (line === '' || line === ';') continue;
    if (!inside) throw new Error(`more braces closed than opened at ${line}`);
    if (/^(?:if\(.*\)|else|for\(.*\)|function \w+\(.*\)) ?\{$/.test(line)) {
      const block: Block = { head: line.slice(0, -1).trim(), body: [] };
      inside.body.push(block);
      open.push(block);
    } else if (line === '}' || line === '};') open.pop();
    else if (/^[^{].*;$/.test(line)) inside.body.push(line);
    else throw new Error(`not a line that the compaction knows: ${line}`);
  }
  const [root] = open;
  if (open.length !== 1 || !root) throw new Error('a brace is left open');
  return root.body;
}

export function print(nodes: readonly Node[], indent = ''): string {
  return nodes
    .map((node) => (typeof node === 'string' ? `${indent}${node}\n` : `${indent}${node.head} {\n${print(node.body, `${indent}  `)}${indent}}\n`))
    .join('');
}

/** Every list of statements, the innermost first, as `change` rewrites it. */
export function rewriteLists(nodes: readonly Node[], change: (nodes: Node[]) => Node[]): Node[] {
  return change(nodes.map((node) => (typeof node === 'string' ? node : { head: node.head, body: rewriteLists(node.body, change) })));
}

/** Every statement and every head of a block. */
export function rewriteLines(nodes: readonly Node[], change: (line: string) => string): Node[] {
  return nodes.map((node) => (typeof node === 'string' ? change(node) : { head: change(node.head), body: rewriteLines(node.body, change) }));
}

/** What stands at a place of a list of statements, said in another way; undefined when something else stands there. */
export type Rule = (nodes: readonly Node[], index: number) => Run | undefined;

export interface Run {
  /** How many statements are replaced. */
  readonly length: number;
  readonly put: Node[];
}

/** The list with every run that the rule knows replaced. */
export function replaceRuns(nodes: readonly Node[], rule: Rule): Node[] {
  const out: Node[] = [];
  for (let index = 0; index < nodes.length; ) {
    const run = rule(nodes, index);
    out.push(...(run ? run.put : nodes.slice(index, index + 1)));
    index += run?.length ?? 1;
  }
  return out;
}

/** The match of a plain statement. */
export function statement(node: Node | undefined, pattern: RegExp): RegExpExecArray | undefined {
  return typeof node === 'string' ? (pattern.exec(node) ?? undefined) : undefined;
}

/** The block with this head, and the match of it. */
export function block(node: Node | undefined, pattern: RegExp): { readonly found: RegExpExecArray; readonly body: readonly Node[] } | undefined {
  if (typeof node !== 'object') return undefined;
  const found = pattern.exec(node.head);
  return found ? { found, body: node.body } : undefined;
}
