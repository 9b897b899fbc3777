import { readdirSync } from 'node:fs';
import * as monitor from '../../src/monitor/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import * as services from '../../src/services/index.ts';
import { root, type Snippet, textOf } from './snippets.ts';

const folder = 'src/overlay/';
/** Each `@example` of a doc comment. */
export const docExamples: readonly Snippet[] = readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => examplesIn(folder + name))
  .sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);

function examplesIn(file: string): Snippet[] {
  const text = textOf(file);
  return [...text.matchAll(/^ *\* @example\n *\* ```ts\n([\s\S]*?) *\* ```$/gm)].map(({ 1: code = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length + 2,
    code: code.replaceAll(/^ *\* ?/gm, ''),
  }));
}

/** The names of an entry that an example uses. It has a client `c` and zod as `z` besides. */
export const namesIn = (code: string, entry: object = { ...modelsvc, ...monitor, ...services }): string[] =>
  Object.keys(entry).filter((name) => new RegExp(`(?<![.\\w])${name}\\(|\\(${name},`).test(code));

/** An example as a module, with imports in a line before its first one. */
export function moduleOf({ file, line, code }: Snippet): Snippet {
  const imports = `import { ${namesIn(code, monitor).join(', ')} } from '../../src/monitor/index.ts'; import { ${namesIn(code, services).join(', ')} } from '../../src/services/index.ts'; import { type Client, type Context, ${namesIn(code, modelsvc).join(', ')} } from '../../src/overlay/index.ts'; import * as z from 'zod'; void z; void (undefined as Context | undefined);`;
  return { file, line: line - 1, code: `${imports} declare const c: Client; void c;\n${code}` };
}
