// A small spec, which compiles in a quarter of the time of the whole one.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { sourceOf } from '../../scripts/generate/document/source.ts';
import type { Spec } from '../../scripts/generate.ts';

export const project: string = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of the small spec: those that a test breaks, and one with an anchor that they need. */
const smallPaths = [
  '/chat/completions',
  '/async/chat/completions',
  '/files',
  '/files/{file_id}',
  '/rerank',
  '/account/info',
  '/subscription/list',
  '/usage/quota/limit',
];

/** The spec with a few paths and what they refer to. It compiles in a quarter of the time. */
function smallSpec(whole: string, kept: readonly string[]): string {
  const document = parseDocument(whole);
  const { paths, components } = document.toJS() as Record<'paths' | 'components', Record<string, Record<string, unknown>>>;
  const reached = new Set(['securitySchemes']);
  const visit = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const isNew = !reached.has(`${kind} ${name}`);
      reached.add(`${kind} ${name}`);
      if (isNew) visit(components[kind]?.[name]);
    }
  };
  for (const [path, item] of Object.entries(paths)) {
    if (kept.includes(path)) visit(item);
    else document.deleteIn(['paths', path]);
  }
  for (const [kind, parts] of Object.entries(components))
    for (const name of Object.keys(parts)) if (!reached.has(kind) && !reached.has(`${kind} ${name}`)) document.deleteIn(['components', kind, name]);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

export const texts = {
  openapi: smallSpec(await readFile(join(project, 'spec/openapi.yaml'), 'utf8'), smallPaths),
  codes: await readFile(join(project, 'spec/error-codes.yaml'), 'utf8'),
  models: await readFile(join(project, 'spec/models.yaml'), 'utf8'),
};
/** The small spec without chat, whose schemas are three quarters of it. */
export function withoutChat(): string {
  return smallSpec(
    texts.openapi,
    smallPaths.filter((path) => !path.includes('/chat/')),
  );
}
export const fileNames = { openapi: 'openapi.yaml', codes: 'error-codes.yaml', models: 'models.yaml' } as const;
export type Part = keyof typeof texts;
export const parts = Object.keys(texts) as Part[];
export const small: Spec = {
  openapi: sourceOf(fileNames.openapi, texts.openapi),
  codes: sourceOf(fileNames.codes, texts.codes),
  models: sourceOf(fileNames.models, texts.models),
};
