import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openerOf } from '../../../src/cli/coding/formats.ts';
import { previewOf } from '../../../src/cli/coding/preview.ts';
import { hashOf, type RecordedEdit } from '../../../src/cli/coding/record.ts';
import type { FileFormat } from '../../../src/cli/coding/tool.ts';
import { single } from './edits/single.ts';

const formats: readonly FileFormat[] = ['json', 'jsonc', 'toml', 'yaml'];
/** Keys are ASCII without spaces; one of a real account has at least 16 characters. */
const secret = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 16, maxLength: 60 });
const names = fc.constantFrom('apiKey', 'api_key', 'ANTHROPIC_AUTH_TOKEN', 'experimental_bearer_token', 'openai-api-key', 'Authorization', 'x');

describe('the preview', () => {
  test.each(formats)('of a %s file never shows the key that is written', async (format) => {
    const editor = single(await openerOf(format));
    fc.assert(
      fc.property(secret, names, fc.boolean(), (key, name, isBearer) => {
        const { text } = editor.set('', ['provider', name], isBearer ? `Bearer ${key}` : key);
        expect(previewOf('f', undefined, text, [key])).not.toContain(key);
        expect(previewOf('f', text, undefined, [key])).not.toContain(key);
        // The text of the file has escapes in place of some characters.
        const written = JSON.stringify(key).slice(1, -1);
        expect(previewOf('f', undefined, text, [key])).not.toContain(written);
      }),
      { numRuns: 500 },
    );
  });

  test.each(formats)('of a %s file never shows the value of a name such as apiKey, known or not', async (format) => {
    const editor = single(await openerOf(format));
    const plain = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{15,40}$/);
    fc.assert(
      fc.property(plain, fc.constantFrom('apiKey', 'api_key', 'ANTHROPIC_AUTH_TOKEN', 'clientSecret', 'password', 'Authorization'), (key, name) => {
        const before = editor.set('', ['provider', name], key).text;
        const after = editor.set(before, ['provider', 'model'], 'glm').text;
        expect(previewOf('f', before, after, [])).not.toContain(key);
      }),
      { numRuns: 500 },
    );
  });

  test('shows the lines around a change, and hides no harmless value', () => {
    const before = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "token": "user-0123456789"\n}\n';
    const after = before.replace(
      '"c": 3',
      '"c": 4,\n  "max_tokens": 131072,\n  "apiKey": "$SVC_API_KEY",\n  "apiKeyHelper": "modelsvc accounts token"',
    );
    expect(previewOf('/f.json', before, after, [])).toMatchInlineSnapshot(`
      "--- /f.json
      +++ /f.json
      @@ -2,5 +2,8 @@
         "a": 1,
         "b": 2,
      -  "c": 3,
      +  "c": 4,
      +  "max_tokens": 131072,
      +  "apiKey": "$SVC_API_KEY",
      +  "apiKeyHelper": "modelsvc accounts token",
         "token": "…"
       }"
    `);
  });
});

test('a hash tells values apart, and takes big integers', () => {
  const edit: Pick<RecordedEdit, 'hashes'> = { hashes: [hashOf('1')] };
  expect(edit.hashes).not.toContain(hashOf(1));
  expect(hashOf(12345678901234567890n)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashOf(undefined)).not.toBe(hashOf('undefined'));
});
