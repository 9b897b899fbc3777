import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import ts from '../../scripts/typescript.mjs';
import * as monitor from '../../src/monitor/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import { type Config, newClient, newService } from '../../src/overlay/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { diagnosticsOf } from './fences/compile.ts';
import { root, type Snippet, textOf } from './snippets.ts';

const folder = 'src/overlay/';
/** Each `@example` of a doc comment. */
const examples = readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
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
const namesIn = (code: string, entry: object = { ...modelsvc, ...monitor }): string[] =>
  Object.keys(entry).filter((name) => new RegExp(`(?<![.\\w])${name}\\(|\\(${name},`).test(code));

/** An example as a module, with imports in a line before its first one. */
function moduleOf({ file, line, code }: Snippet): Snippet {
  const imports = `import { ${namesIn(code, monitor).join(', ')} } from '../../src/monitor/index.ts'; import { type Client, type Context, ${namesIn(code, modelsvc).join(', ')} } from '../../src/overlay/index.ts'; import * as z from 'zod'; void z; void (undefined as Context | undefined);`;
  return { file, line: line - 1, code: `${imports} declare const c: Client; void c;\n${code}` };
}

const fake = await sharedFake();

/** The config of an example, with the address and the key of the fake. */
const local = (config: Config): Config => ({ ...fake.configFor(config), apiKey: fakeKey });

/** Runs an example over the fake service, and returns the texts that it prints. */
async function run({ code }: Snippet): Promise<unknown[][]> {
  const printed: unknown[][] = [];
  const given: Record<string, unknown> = {
    ...modelsvc,
    ...monitor,
    z,
    c: newClient(fake.configFor()),
    console: { log: (...values: unknown[]) => printed.push(values), error: (...values: unknown[]) => printed.push([...values, undefined]) },
    newClient: (config: Config) => newClient(local(config)),
    newService: ((service, config) => newService(service, local(config))) satisfies typeof newService,
  };
  const names = [...namesIn(code), 'z', 'c', 'console'];
  const { outputText } = ts.transpileModule(`async function example() {${code}}`, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const example = new Function(...names, `${outputText}; return example();`) as (...values: unknown[]) => Promise<void>;
  await example(...names.map((name) => given[name]));
  return printed;
}

const wrong = (code: string): Snippet => ({ file: 'wrong.ts', line: 7, code });

describe('examples in doc comments', () => {
  it('are there for the methods that people call first', () => {
    expect(examples.length).toBeGreaterThanOrEqual(20);
  });

  it('compile, and would not if they were wrong', () => {
    // One program for both: checking the types of the package takes most of its time.
    expect(diagnosticsOf([...examples, wrong('await c.chat().create({ model: 5 });\nawait c.chats();\n')].map(moduleOf))).toEqual([
      expect.stringContaining('wrong.ts:7 '),
      expect.stringContaining('wrong.ts:8 '),
    ]);
  });

  it.each(examples.map((one) => [`${one.file}:${one.line}`, one] as const))('%s runs over the fake service', async (_, example) => {
    const requests: Readonly<Record<string, () => unknown>> = {
      defineTool: () => fake.chat.reply({ toolCalls: [{ name: 'weather', arguments: '{"city":"Metz"}' }] }).reply('Rain.'),
      responseFormat: () =>
        fake.answer(example.code.includes('responses()') ? 'responses.create' : 'chat.create', { turn: { text: '{"answer":"No"}' } }),
    };
    for (const [name, script] of Object.entries(requests)) if (example.code.includes(`${name}(`) && !example.code.includes('clock')) script();
    const printed = await run(example);
    expect(fake.requests.length).toBeGreaterThan(0);
    // A value that the reply does not have would be printed as undefined.
    expect(printed.flat()).not.toContain(undefined);
    if (example.code.includes('console.log')) expect(printed.length).toBeGreaterThan(0);
  });

  it('would not run if they were wrong', async () => {
    await expect(run(wrong("await c.chat().createSimple(undefined, '', 'x');"))).rejects.toThrow('model');
    const elsewhere = "await newClient({ apiKey: 'k', maxRetries: 0, baseURL: 'http://192.0.2.1/' }).chat().createSimple(undefined, 'm', 'x');";
    await expect(run(wrong(elsewhere))).rejects.toMatchObject({ cause: { message: 'a test tried to connect to 192.0.2.1' } });
  });
});
