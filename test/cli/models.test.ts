import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey, faults, refusedUrl } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { isOld } from '../../src/cli/commands/models/models.ts';
import { newHome, run, withFake } from './support/in-process.ts';

describe('models', () => {
  it('list prints one model a line in a pipe, and objects as JSON', async () => {
    const { modelsvc } = await withFake();
    const listed = await modelsvc(['models', 'list']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^glm-4\.6\t\d+\t\d+\ttext\t\$\S+ \/ \$\S+\tthinking, tools, code$/m);
    const { stdout } = await modelsvc(['models', 'list', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: 'glm-4.6', listed: true }));
  });

  it('list with a capability contains only models with it', async () => {
    const { modelsvc } = await withFake();
    const { stdout } = await modelsvc(['models', 'list', '--capability', 'vision', '--json']);
    const models = JSON.parse(stdout) as { capabilities: string[] }[];
    expect(models.length).toBeGreaterThan(0);
    expect(models.every(({ capabilities }) => capabilities.includes('vision'))).toBe(true);
  });

  it('get shows one model, and an unknown id is not found', async () => {
    const { modelsvc } = await withFake();
    expect((await modelsvc(['models', 'get', 'glm-4.6'])).stdout).toMatch(/^id: glm-4\.6$/m);
    const unknown = await modelsvc(['models', 'get', 'nope']);
    const text = 'no model "nope": is neither listed by the service nor in the built-in catalogue';
    expect(unknown).toMatchObject({ code: 4, stdout: '', stderr: `modelsvc: ${text}\nRun \`modelsvc models list\`.\n` });
    expect((await modelsvc(['models', 'get', ' '])).code).toBe(2);
  });
});

it('show needs no key and no network', async () => {
  const shown = await run(['models', 'show', 'glm-4.6', '--json'], { env: { HOME: await newHome() } });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: 'glm-4.6' });
  expect(shown.stdout).not.toContain('listed');
  expect(await run(['models', 'show', 'nope'], { env: { HOME: await newHome() } })).toMatchObject({ code: 4 });
});

it.each([['refuses'], ['fails by name'], ['does not answer']])('show prints the built-in row with its date if the host %s', async (how) => {
  const { fake } = await withFake();
  const root = how === 'refuses' ? await refusedUrl() : how === 'fails by name' ? 'https://no-such-host.invalid' : fake.url;
  if (how === 'does not answer') fake.answer('models.list', faults.silentBeforeHeaders());
  const show = (id: string) =>
    run(['models', 'show', id, '--json', '--base-url', root, '--retries', '0', '--timeout', '100ms'], {
      env: { SVC_API_KEY: fakeKey },
    });
  const shown = await show('glm-4.6');
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: 'glm-4.6', max_context: 204800 });
  expect(shown).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^The service cannot be reached\. These facts are built in, as of \d{4}-\d\d(-\d\d)?\.\n$/),
  });
  if (how === 'does not answer') return;
  expect(await show('glm5.3')).toMatchObject({ code: 4, stderr: expect.stringContaining('did you mean glm-5.3?') as string });
  // The service may list it.
  expect(await show('next')).toMatchObject({ code: 7 });
});

describe('models.yaml', () => {
  /** A fake, and a folder of settings with this models.yaml. */
  async function withModels(text: string | undefined) {
    const { fake, modelsvc } = await withFake();
    const folder = await newHome();
    const path = join(folder, 'models.yaml');
    if (text !== undefined) await writeFile(path, text);
    return { fake, path, modelsvc: (...args: string[]) => modelsvc(args, { env: { SVC_CONFIG_DIR: folder } }) };
  }

  const twoRows = `models:
  - id: glm-0
    context_tokens: 2000000
    max_output_tokens: 5
    price: { input: 1000, output: 2000 }
    source: [release note]
    as_of: 2020-01
  - { id: glm-4.6, context_tokens: 7 }
`;

  it('adds a model with context and price, and corrects another: list, get, cost', async () => {
    const { fake, path, modelsvc } = await withModels(twoRows);
    const listed = await modelsvc('models', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^glm-4\.6\t7\t131072\ttext\t\$\S+ \/ \$\S+\tthinking, tools, code\tmodels\.yaml$/m);
    expect(listed.stdout).toMatch(/^glm-0\t2000000\t5\ttext\t\$\S+ \/ \$\S+\t\tmodels\.yaml$/m);
    expect(listed.stdout).toMatch(/^glm-4\.7\t.*\t$/m);
    expect((await modelsvc('models', 'list', '--capability', 'text')).stdout).toContain('glm-0\t');

    const { stdout } = await modelsvc('models', 'get', 'glm-0', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ id: 'glm-0', listed: false, max_context: 2000000, source: [path, 'release note'], as_of: '2020-01' });

    fake.chat.reply({ usage: { input: 1000, output: 1000 } });
    const { stderr } = await modelsvc('chat', '-m', 'glm-0', '--usage', '--no-stream', 'hi');
    expect(stderr).toContain('1000 tokens in, 1000 out, about $3.00');
  });

  it('get shows evidence, source and date, and that a row is older than 90 days', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { modelsvc } = await withModels(`models: [{ id: glm-0, as_of: 2020-01 }, { id: glm-7, as_of: ${today}, evidence: reported }]`);
    expect((await modelsvc('models', 'get', 'glm-0')).stdout).toMatch(/^as_of: 2020-01\n# These facts are older than 90 days\./m);
    const fresh = (await modelsvc('models', 'get', 'glm-7')).stdout;
    expect(fresh).toMatch(/^evidence: reported\nsource:\n {2}- .*models\.yaml\nas_of: \d/m);
    expect(fresh).not.toContain('older');
    expect((await modelsvc('models', 'get', 'glm-5.3')).stdout).toMatch(/^source:\n {2}- live list 2026-10-09\n(?: {2}- .*\n)+as_of: 2026-10-09$/m);
  });

  it.each([
    ['2026-08-24', false],
    ['2026-08-23', true],
    ['2026-08', false],
    ['2026-07', true],
    ['2027-01', false],
    [undefined, false],
    ['soon', false],
    [5, false],
  ])('facts of %s are, on 2026-11-22, older than 90 days: %s', (asOf, old) => {
    expect(isOld(asOf, new Date('2026-11-22T12:00:00Z'))).toBe(old);
  });

  it.each([
    ['a misspelt field', 'models: [{ id: glm-0, contex_tokens: 5 }]', ': models[0].contex_tokens of glm-0 is unknown; did you mean context_tokens?'],
    ['an empty field', 'models:\n  - id: glm-0\n    price:\n', ': models[0].price of glm-0 must not be null: leave the field out'],
    ['no list', 'models: glm-0', ' must have a list of rows under models'],
    ['another name of the list', 'model: [{ id: glm-0 }]', ': "model" is unknown; the rows are a list under models'],
    ['rows without models', '- id: glm-0', ' must have a list of rows under models'],
    ['a word', 'glm-0', ' must have a list of rows under models'],
    ['broken YAML', 'models: [{ id: glm-0 }', ' is not valid YAML: '],
    ['a key twice', 'models: [{ id: glm-0, id: glm-7 }]', ' is not valid YAML: '],
  ])('with %s is one usage error that names the file, the row and the field, and no request is sent', async (_name, text, message) => {
    const { fake, path, modelsvc } = await withModels(text);
    const { code, stdout, stderr } = await modelsvc('chat', 'hi');
    expect({ code, stdout, requests: fake.requests.length }).toEqual({ code: 2, stdout: '', requests: 0 });
    expect(stderr.startsWith(`modelsvc: ${path}${message}`)).toBe(true);
    expect(stderr).toMatch(/\nRepair the file, or move it away\.\n$/);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });

  it('that is a folder is named', async () => {
    const { path, modelsvc } = await withModels(undefined);
    await mkdir(path);
    const folder = await modelsvc('models', 'list');
    expect([folder.code, folder.stderr]).toEqual([2, `modelsvc: ${path} is a directory\nMove it away.\n`]);
  });

  it.skipIf(process.getuid?.() === 0)('without permission is named', async () => {
    const { path, modelsvc } = await withModels(twoRows);
    await chmod(path, 0o000);
    const { code, stderr } = await modelsvc('models', 'list');
    expect([code, stderr.split('\n', 1)[0]]).toEqual([2, `modelsvc: cannot read the store: no permission for ${path}`]);
  });

  it('that is empty, or absent, has no effect', async () => {
    for (const text of ['', '# models: later\n', undefined]) {
      const { modelsvc } = await withModels(text);
      expect((await modelsvc('models', 'list')).stdout).toMatch(/^glm-4\.6\t204800\t131072\ttext\t\$\S+ \/ \$\S+\tthinking, tools, code$/m);
    }
  });

  it('is read by no command that sends no request, and completes ids', async () => {
    const { path, modelsvc } = await withModels('models: [{ id: glm-0-of-mine }, 5');
    expect((await run(['--help'], { env: { SVC_CONFIG_DIR: join(path, '..') } })).code).toBe(0);
    const completed = async () => (await run(['__complete', 'models', 'get', 'glm-'], { env: { SVC_CONFIG_DIR: join(path, '..') } })).stdout;
    expect(await completed()).toContain('glm-5.3');
    await writeFile(path, 'models: [{ id: glm-0-of-mine }, 5]');
    expect(await completed()).toContain('glm-0-of-mine');
    expect((await modelsvc('models', 'list')).code).toBe(2);
  });
});

describe('usage', () => {
  it('no key: how to get going, exit code 3', async () => {
    const { stderr, code } = await run(['models', 'list']);
    expect(code).toBe(3);
    expect(stderr).toBe('modelsvc: no API key\nRun `modelsvc accounts add NAME`, or set SVC_API_KEY.\n');
  });

  it('a wrong key is exit code 3, and not printed', async () => {
    const { modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['models', 'list', '--json'], { env: { SVC_API_KEY: 'wrong-key-of-a-user' } });
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'api', status: 401, exit_code: 3 } });
    expect(stderr).not.toContain('wrong-key');
  });
});
