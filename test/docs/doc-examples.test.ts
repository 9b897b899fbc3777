import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import ts from '../../scripts/typescript.mjs';
import * as monitor from '../../src/monitor/index.ts';
import * as modelsvc from '../../src/overlay/index.ts';
import { type Config, newClient } from '../../src/overlay/index.ts';
import * as services from '../../src/services/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { docExamples, namesIn } from './doc-examples.ts';
import type { Snippet } from './snippets.ts';

const fake = await sharedFake();

/** The config of an example, with the address and the key of the fake. */
const local = (config: Config): Config => ({ ...fake.configFor(config), apiKey: fakeKey });

/** Runs an example over the fake service, and returns the texts that it prints. */
async function run({ code }: Snippet): Promise<unknown[][]> {
  const printed: unknown[][] = [];
  const given: Record<string, unknown> = {
    ...modelsvc,
    ...monitor,
    ...services,
    z,
    c: newClient(fake.configFor()),
    console: { log: (...values: unknown[]) => printed.push(values), error: (...values: unknown[]) => printed.push([...values, undefined]) },
    newClient: (config: Config) => newClient(local(config)),
    newService: ((service, config) => services.newService(service, local(config))) satisfies typeof services.newService,
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
    expect(docExamples.length).toBeGreaterThanOrEqual(20);
  });

  it.each(docExamples.map((one) => [`${one.file}:${one.line}`, one] as const))('%s runs over the fake service', async (_, example) => {
    const requests: Readonly<Record<string, () => unknown>> = {
      defineTool: () => fake.chat.reply({ toolCalls: [{ name: 'weather', arguments: '{"city":"Metz"}' }] }).reply('Rain.'),
      outputFormat: () =>
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
