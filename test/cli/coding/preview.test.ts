import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../../src/cli/coding/edits/draft.ts';
import type { Path } from '../../../src/cli/coding/edits/edit.ts';
import { formatNamed } from '../../../src/cli/coding/formats.ts';
import type { OwnValue } from '../../../src/cli/coding/masked.ts';
import { previewOf } from '../../../src/cli/coding/preview.ts';
import { hashOf, type RecordedEdit } from '../../../src/cli/coding/record.ts';
import type { FileFormat } from '../../../src/cli/coding/tool.ts';
import { codingHome } from './support/home.ts';

const formats: readonly FileFormat[] = ['json', 'jsonc', 'toml', 'yaml'];
/** Keys are ASCII without spaces; one of a real account has at least 16 characters. */
const secret = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 16, maxLength: 60 });
const names = fc.constantFrom('apiKey', 'api_key', 'ANTHROPIC_AUTH_TOKEN', 'experimental_bearer_token', 'openai-api-key', 'Authorization', 'x');

async function withValue(format: FileFormat, text: string, path: Path, value: string): Promise<string> {
  const draft = new Draft(await formatNamed(format), text);
  draft.set(path, value);
  return draft.finish();
}

/** The preview of a new file, of a removed one, and of a file in which `model` is set next to the value. */
async function previews(format: FileFormat, text: string, own: readonly OwnValue[], secrets: readonly string[]): Promise<string> {
  const file = { path: 'f', format, own };
  const beside = await withValue(format, text, ['provider', 'model'], 'glm');
  const all = [
    await previewOf({ ...file, before: undefined, after: text }, secrets),
    await previewOf({ ...file, before: text, after: undefined }, secrets),
    await previewOf({ ...file, before: text, after: beside }, secrets),
  ];
  return all.join('\n');
}

describe('the preview', () => {
  test.each(formats)('of a %s file never shows the key that is written, nor a text of another program', async (format) => {
    await fc.assert(
      fc.asyncProperty(secret, names, fc.boolean(), fc.constantFrom('known', 'own', 'foreign'), async (key, name, isBearer, kind) => {
        const value = isBearer ? `Bearer ${key}` : key;
        const path = ['provider', name];
        const own = kind === 'foreign' ? [] : [{ path, hashes: [hashOf(value)], hasKey: true }];
        const shown = await previews(format, await withValue(format, '', path, value), own, kind === 'known' ? [key] : []);
        expect(shown).not.toContain(key);
        // The text of the file has escapes instead of some characters.
        expect(shown).not.toContain(JSON.stringify(key).slice(1, -1));
        if (kind === 'known') expect(shown).toContain('…');
      }),
      { numRuns: 300 },
    );
  });

  test.each(['json', 'jsonc'] as const)('of a %s file in one line has a line for each field', async (format) => {
    const before = JSON.stringify({ theme: 'dark', list: Array.from({ length: 60 }, (_, at) => at), env: { A: 'b' } });
    const shown = await previewOf({ path: 'f', format, own: [], before, after: await withValue(format, before, ['env', 'MODEL'], 'glm') }, []);
    expect(shown.split('\n').every((line) => line.length < 40)).toBe(true);
    expect(shown.split('\n').filter((line) => /^[+-](?![+-])/.test(line))).toEqual(['-    "A": …', '+    "A": …,', '+    "MODEL": …']);
  });

  test.each(formats)('of a %s file shows what was added to a list of the user, and none of its items', async (format) => {
    const path = ['enabled'];
    const user = ['https://user:word@host', 'private-name'];
    const empty = new Draft(await formatNamed(format), '');
    empty.set(path, user);
    const before = empty.finish() ?? '';
    const draft = new Draft(await formatNamed(format), before);
    const value = [...user, 'modelsvc/glm'];
    const { before: earlier } = draft.set(path, value);
    const own = [{ path, hashes: [hashOf(value)], ...(earlier !== undefined && { before: earlier }) }];
    const shown = await previewOf({ path: 'f', format, own, before, after: draft.finish() }, []);
    expect(shown).toContain('modelsvc/glm');
    expect(shown).not.toMatch(/word|private/);
  });

  test('shows keys, numbers and own texts around a change', async () => {
    const before = '{\n  "a": 1, // token 0123456789\n  "b": true,\n  "c": "x",\n  "url": "https://user:word@host"\n}\n';
    const after = before.replace('"c": "x"', '"c": "y",\n  "max_tokens": 131072,\n  "apiKey": "$SVC_API_KEY"');
    const own = [['c', 'y'] as const, ['apiKey', '$SVC_API_KEY'] as const].map(([name, value]) => ({ path: [name], hashes: [hashOf(value)] }));
    expect(await previewOf({ path: '/f.json', format: 'jsonc', before, after, own }, [])).toMatchInlineSnapshot(`
      "--- /f.json
      +++ /f.json
      @@ -2,5 +2,7 @@
         "a": 1, …
         "b": true,
      -  "c": …,
      +  "c": "y",
      +  "max_tokens": 131072,
      +  "apiKey": "$SVC_API_KEY",
         "url": …
       }"
    `);
  });
});

test('a hash differs by value, and takes big integers', () => {
  const edit: Pick<RecordedEdit, 'hashes'> = { hashes: [hashOf('1')] };
  expect(edit.hashes).not.toContain(hashOf(1));
  expect(hashOf(12345678901234567890n)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashOf(undefined)).not.toBe(hashOf('undefined'));
});

test('the diff in the guide is what `load` prints', async () => {
  const page = readFileSync('docs/guides/coding-tools.md', 'utf8');
  const [, command = '', shown] = /^```console\n\$ modelsvc (.*)\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const user = await codingHome();
  await user.put('.aider.conf.yml', 'dark-mode: true\n# mine\nmodel: opus\n');
  const { stdout } = await user.ok([...command.split(' '), '--no-check']);
  expect(stdout.replaceAll(user.home, '~')).toBe(shown);
});
