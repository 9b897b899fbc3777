// --fallback: models to ask if the first one refuses.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';
import { parsed } from '../support/rows.ts';

const unknown = faults.error(400, '1211');
const commands = [
  ['chat', 'chat.create'],
  ['messages', 'anthropic.create'],
  ['responses', 'responses.create'],
] as const;

const asked = (fake: FakeService): string[] => fake.requests.map(({ body }) => (body as { model: string }).model);

describe.each(commands)('%s', (command, operation) => {
  it.each([[], ['--no-stream']])('prints the answer of the next model, and a note who answered %s', async (...more) => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, unknown, unknown, { turn: { text: 'hi' } });
    const { stdout, stderr, code } = await modelsvc([
      ...[command, '-m', 'glm-5.2', '--fallback', 'glm-5.3', '--fallback', 'glm-4.7', '--no-save', ...more.flat()],
      'Hello',
    ]);
    expect({ stdout, code }).toEqual({ stdout: 'hi\n', code: 0 });
    expect(stderr).toContain('glm-4.7 answered: glm-5.2 refused with code 1211, glm-5.3 refused with code 1211.');
    expect(asked(fake)).toEqual(['glm-5.2', 'glm-5.3', 'glm-4.7']);
  });

  it.each([
    ['itself', 'glm-5.2'],
    ['a blank', ' '],
  ])('%s is a usage error before any request', async (_name, model) => {
    const { fake, modelsvc } = await withFake();
    const { stderr, code } = await modelsvc([command, '-m', 'glm-5.2', '--fallback', model, '--no-save', 'Hello']);
    expect([stderr, code]).toEqual([expect.stringMatching(/^modelsvc: --fallback (is in the list twice|must be a model id)/m), 2]);
    expect(fake.requests).toEqual([]);
  });

  it.each([[], ['--no-stream']])('with --retry-for an overload asks the next model at once, and a round of overloads waits %s', async (...more) => {
    const { fake, modelsvc } = await withFake();
    const busy = faults.rateLimit({ ms: 1 }, '1305');
    fake.answer(operation, busy, busy, busy, { turn: { text: 'hi' } });
    const args = [command, '-m', 'glm-5.2', '--fallback', 'glm-5.3', '--retry-for', '1m', '--no-save', ...more.flat(), 'Hello'];
    const { stdout, stderr, code } = await modelsvc(args);
    expect({ stdout, code }).toEqual({ stdout: 'hi\n', code: 0 });
    expect(stderr).toContain('glm-5.3 answered: glm-5.2 refused with code 1305.');
    expect(asked(fake)).toEqual(['glm-5.2', 'glm-5.3', 'glm-5.2', 'glm-5.3']);
  });

  it('without --fallback, --retry-for asks the same model again', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, faults.rateLimit({ ms: 1 }, '1305'), { turn: { text: 'hi' } });
    expect(await modelsvc([command, '-m', 'glm-5.2', '--retry-for', '1m', '--no-save', 'Hello'])).toMatchObject({ stdout: 'hi\n', code: 0 });
    expect(asked(fake)).toEqual(['glm-5.2', 'glm-5.2']);
  });
});

it('a job has no fallback', async () => {
  const { modelsvc } = await withFake();
  const { stderr, code } = await modelsvc(['chat', '--async', '--fallback', 'glm-4.7', 'Hello']);
  expect([stderr, code]).toEqual([expect.stringContaining('--async and --fallback exclude each other'), 2]);
});

describe('map', () => {
  it('each row names its model, and the list is part of the resumable run', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'rows'), 'a\nb\n');
    const map = (...models: string[]): ReturnType<typeof modelsvc> =>
      modelsvc(['map', 'T {line}', 'rows', '-O', 'out.jsonl', '--ordered', '--concurrency', '1', '-m', 'glm-5.2', ...models], { cwd });
    fake.fallback('chat.create', ({ body }) => (/glm-5.2.*T a/.test(JSON.stringify(body)) ? unknown : { turn: { text: 'done' } }));
    expect(await map('--fallback', 'glm-4.7')).toMatchObject({ code: 0 });
    const stored = await readFile(join(cwd, 'out.jsonl'), 'utf8');
    expect(parsed(stored)).toMatchObject([
      { output: 'done', model: 'glm-4.7' },
      { output: 'done', model: 'glm-5.2' },
    ]);
    const before = fake.requests.length;
    expect(await map('--fallback', 'glm-4.7')).toMatchObject({ code: 0 });
    for (const other of [['--fallback', 'glm-5.3'], []]) {
      const { stderr, code } = await map(...other);
      expect([stderr, code]).toEqual([expect.stringContaining('has the result of another question for row 0'), 2]);
    }
    expect(fake.requests).toHaveLength(before);
  });

  it('a row without --fallback names no model', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one');
    expect(parsed((await modelsvc(['map', '{line}'], { stdin: 'a' })).stdout)[0]).not.toHaveProperty('model');
  });
});
