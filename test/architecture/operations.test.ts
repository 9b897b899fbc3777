// An operation of the document is complete once a method sends it, users reach that method, and its reply requires no field without a source.
// One sentence names all that is missing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { newClient } from '../../src/overlay/index.ts';
import { root, textOf } from '../docs/snippets.ts';
import { openapi } from '../support/openapi.ts';
import { unstatedFields } from '../support/recordings.ts';

const folder = 'src/overlay/services';
const services = readdirSync(join(root, folder)).map((file) => ({ file: `${folder}/${file}`, text: textOf(`${folder}/${file}`) }));

/** The steps that an operation lacks, in the order in which they are done. */
function stepsOf(
  id: string,
  constant: string,
  sources: readonly { readonly file: string; readonly text: string }[],
  index: string,
  unstated: readonly string[] = [],
): string[] {
  const [group = '', name = ''] = id.split('.');
  const used = sources.filter(({ text }) => new RegExp(`\\b${constant}\\b`).test(text));
  const classes = used.flatMap(({ text }) => [...text.matchAll(/^export class (\w+)/gm)].map(([, one = '']) => one));
  const service = group === 'client' ? client : client[group]?.();
  const words = group.replace(/[A-Z]/g, (letter) => `[ ]?${letter.toLowerCase()}`);
  const isExported = used.length === 0 || classes.length === 0 || classes.some((one) => new RegExp(`\\b${one}\\b`).test(index));
  return [
    ...(used.length > 0 ? [] : [`a method ${name} in ${folder} that sends ${constant}`]),
    ...(service ? [] : [`the accessor ${group}() in src/overlay/client.ts`]),
    ...(isExported ? [] : [`the export of ${classes.join(' or ')} in src/services/index.ts`]),
    ...(!service || typeof service[name] === 'function' ? [] : [`the name ${name} for its method`]),
    ...(service === client || pages.contract.includes(`\`${group}()\``) ? [] : [`\`${group}()\` in a row of docs/contract.md`]),
    ...(service === client || new RegExp(`\\b${words}`, 'i').test(pages.changelog) ? [] : [`an entry with c.${group}() in CHANGELOG.md`]),
    ...(unstated.length === 0 ? [] : [`a source in test/support/recordings.ts, for ${unstated.join(' and ')}`]),
  ];
}

const index = textOf('src/services/index.ts');
const pages = { contract: textOf('docs/contract.md'), changelog: textOf('CHANGELOG.md') };
const client = newClient({ apiKey: 'k' }) as unknown as Record<string, () => Record<string, unknown>>;

test('each operation of the document has its method, accessor, export and sources', () => {
  const missing = readOperations(openapi).flatMap((operation) => {
    const { id, constant } = operation;
    const steps = stepsOf(id, constant, services, index, unstatedFields(operation));
    return steps.length === 0 ? [] : [`${id} needs ${steps.join(', ')}.`];
  });
  expect(missing.join('\n')).toBe('');
});

test('an operation without any of them is one sentence', () => {
  expect(stepsOf('grade.create', 'gradeCreate', services, index, ['name'])).toEqual([
    'a method create in src/overlay/services that sends gradeCreate',
    'the accessor grade() in src/overlay/client.ts',
    '`grade()` in a row of docs/contract.md',
    'an entry with c.grade() in CHANGELOG.md',
    'a source in test/support/recordings.ts, for name',
  ]);
  const own = [{ file: 'grade.ts', text: 'import { gradeCreate } from x;\nexport class Ranks {}' }];
  expect(stepsOf('grade.create', 'gradeCreate', own, index)).toContain('the export of Ranks in src/services/index.ts');
  expect(stepsOf('rerank.sort', 'rerankCreate', services, index)).toEqual(['the name sort for its method']);
});
