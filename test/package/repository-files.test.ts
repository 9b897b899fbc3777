import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ownerFields, readOwner } from '../../scripts/release/owner.ts';
import { root, textOf } from '../docs/snippets.ts';

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

const forms = readdirSync(`${root}.github/ISSUE_TEMPLATE`).filter((name) => name !== 'config.yml');
const formOf = (name: string): Form => parse(textOf(`.github/ISSUE_TEMPLATE/${name}`)) as Form;

describe('issue forms', () => {
  it.each(forms)('%s has a name, a description and labeled fields with unique ids', (name) => {
    const form = formOf(name);
    const fields = form.body.filter((field) => field.type !== 'markdown');
    expect(form.name && form.description).toBeTruthy();
    expect(
      form.body.map((field) => field.type).filter((type) => !['markdown', 'input', 'textarea', 'dropdown', 'checkboxes'].includes(type)),
    ).toEqual([]);
    expect(fields.filter((field) => field.id === undefined || typeof field.attributes['label'] !== 'string')).toEqual([]);
    expect(new Set(fields.map((field) => field.id)).size).toBe(fields.length);
  });

  it('a bug names its side, version, runtime, operation, request id and code', () => {
    expect(formOf('bug.yml').body.map((field) => field.id)).toEqual(
      expect.arrayContaining(['origin', 'version', 'runtime', 'operation', 'request-id', 'code']),
    );
  });
});

describe('SECURITY.md', () => {
  it('has a private channel, supported versions, the content of a report, and a warning about keys', () => {
    const page = textOf('SECURITY.md');
    expect(page).toContain('`bugs.email`');
    for (const part of ['Report a vulnerability', '## Supported versions', 'Include:', 'Never send a live API key']) expect(page).toContain(part);
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(textOf('package.json')) as {
    description: string;
    keywords: string[];

    scripts: Record<string, string>;
  };

  it('can be found by the names of the service', () => {
    for (const name of ['Z.ai', 'GLM', 'BigModel']) expect(manifest.description).toContain(name);
    expect(manifest.keywords).toEqual(expect.arrayContaining(['glm', 'z.ai', 'zhipu', 'bigmodel', 'llm', 'openai-compatible', 'anthropic']));
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
  });

  it('has the owner and the repository of their file', async () => {
    expect(manifest).toMatchObject(ownerFields(await readOwner()));
  });

  it('packs a build, also in a clone without one', () => {
    expect(manifest.scripts['prepack']).toBe('npm run -s build');
  });
});
