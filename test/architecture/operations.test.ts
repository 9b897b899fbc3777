// An operation of the document is complete once a method sends it, users reach that method, and the table of operations has its call.
// One sentence names all that is missing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as routes from '../../src/generated/routes.ts';
import { newClient } from '../../src/overlay/index.ts';
import { root, textOf } from '../docs/snippets.ts';
import { everyOperation } from '../support/every-operation.ts';

const folder = 'src/overlay/services';
const services = readdirSync(join(root, folder)).map((file) => ({ file: `${folder}/${file}`, text: textOf(`${folder}/${file}`) }));

interface Place {
  readonly id: string;
  /** Name of the constant of its route. */
  readonly constant: string;
}

/** The steps that an operation lacks, in the order in which they are done. */
function stepsOf(
  { id, constant }: Place,
  sources: readonly { readonly file: string; readonly text: string }[],
  index: string,
  client: object,
): string[] {
  const [group = ''] = id.split('.');
  const used = sources.filter(({ text }) => new RegExp(`\\b${constant}\\b`).test(text));
  const classes = used.flatMap(({ text }) => [...text.matchAll(/^export class (\w+)/gm)].map(([, name = '']) => name));
  const isReachable = group === 'client' || typeof (client as Record<string, unknown>)[group] === 'function';
  return [
    ...(used.length > 0 ? [] : [`a method in ${folder} that sends ${constant}`]),
    ...(isReachable ? [] : [`the accessor ${group}() in src/overlay/client.ts`]),
    ...(used.length === 0 || classes.length === 0 || classes.some((name) => new RegExp(`\\b${name}\\b`).test(index))
      ? []
      : [`the export of ${classes.join(' or ')} in src/overlay/index.ts`]),
    ...(Object.hasOwn(everyOperation, id) ? [] : [`a row '${id}' in test/support/every-operation.ts`]),
  ];
}

const constants = Object.entries(routes).flatMap(([constant, route]) =>
  typeof route === 'object' && 'id' in route && typeof route.id === 'string' ? [{ id: route.id, constant }] : [],
);
const index = textOf('src/overlay/index.ts');
const client = newClient({ apiKey: 'k' });

test('each operation of the document has its method, accessor, export and row', () => {
  const missing = constants.flatMap((place) => {
    const steps = stepsOf(place, services, index, client);
    return steps.length === 0 ? [] : [`${place.id} needs ${steps.join(', ')}.`];
  });
  expect(missing.join('\n')).toBe('');
  expect(constants).toHaveLength(routes.allRoutes.length);
});

test('an operation without any of them is one sentence', () => {
  expect(stepsOf({ id: 'rank.create', constant: 'rankCreate' }, services, index, client)).toEqual([
    'a method in src/overlay/services that sends rankCreate',
    'the accessor rank() in src/overlay/client.ts',
    "a row 'rank.create' in test/support/every-operation.ts",
  ]);
  const own = [{ file: 'rank.ts', text: 'import { rankCreate } from x;\nexport class Ranks {}' }];
  expect(stepsOf({ id: 'rank.create', constant: 'rankCreate' }, own, index, client)).toContain('the export of Ranks in src/overlay/index.ts');
});
