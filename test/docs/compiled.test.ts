import { expect, it } from 'vitest';
import { tableModules } from '../migration/table-modules.ts';
import { docExamples, moduleOf } from './doc-examples.ts';
import { diagnosticsOf } from './fences/compile.ts';
import { frameworks, hasFrameworks, pages, type Snippet, snippetsOf } from './snippets.ts';

const openai = "import OpenAI from 'openai'; const client = new OpenAI(); type Option = keyof NonNullable<ConstructorParameters<typeof OpenAI>[0]>;";

/** One of each kind, with an error in the first two lines. */
const wrong: readonly Snippet[] = [
  { file: 'wrong fence', line: 1, code: "import { newClient, noSuchName } from 'modelsvc';\nnewClient({ apiKey: 5 });\n" },
  moduleOf({ file: 'wrong example', line: 2, code: 'await c.chat().create({ model: 5 });\nawait c.chats();\n' }),
  { file: 'wrong column', line: 1, code: `${openai} void client.chat.completions.creat;\n'defaultHeader' satisfies Option;\n` },
];

// One program for all: checking the types of the packages takes most of its time. A name of a table is a line that compiles only if the name exists.
it('the fences of pages, the examples of doc comments and the names in migration tables compile, and would not if they were wrong', () => {
  const fences = pages().flatMap((file) => (file === frameworks.page ? [] : snippetsOf(file, 'ts')));
  const found = diagnosticsOf([...fences, ...docExamples.map(moduleOf), ...tableModules, ...wrong]);
  const expected = [/^wrong fence:1 /, /^wrong fence:2 /, /^wrong example:2 /, /^wrong example:3 /, /^wrong column:1 /, /^wrong column:2 /];
  expect(found).toEqual(expected.map((words) => expect.stringMatching(words)));
});

it.skipIf(!hasFrameworks)('the fences of frameworks compile with their packages, and would not if they were wrong', () => {
  const wrongHere = { file: 'wrong', line: 1, code: "import { Runner } from '@openai/agents';\nnew Runner({ tracing: 5 });\n" };
  expect(diagnosticsOf([...snippetsOf(frameworks.page, 'ts'), wrongHere], frameworks.folder)).toEqual([expect.stringMatching(/^wrong:2 /)]);
});
