// A change of the document reaches the handwritten methods: the type check names exactly the places that no longer fit.
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { generate } from '../../scripts/generate.ts';
import ts from '../../scripts/typescript.mjs';
import { project } from '../support/small-spec.ts';
import { newFolder } from '../support/storage.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  [field: string]: unknown;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { examples: Record<string, { value: Record<string, unknown> }> }> };
  [field: string]: unknown;
}
interface Spec {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, unknown>; required?: string[] }> };
}

function operationIn({ paths }: Spec, id: string): Operation {
  const found = Object.values(paths)
    .flatMap(Object.values)
    .find((one: Operation) => one.operationId === id) as Operation | undefined;
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
}

/** The bodies of the examples of an operation. */
function bodiesOf(spec: Spec, id: string): Record<string, unknown>[] {
  return Object.values(operationIn(spec, id).requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value);
}

function rename(spec: Spec, id: string, schema: string, name: string, other: string): void {
  const { properties, required } = spec.components.schemas[schema] ?? { properties: {} };
  for (const owner of [properties, ...bodiesOf(spec, id)]) {
    if (owner[name] === undefined) continue;
    owner[other] = owner[name];
    delete owner[name];
  }
  if (required?.includes(name)) required[required.indexOf(name)] = other;
}

const added = (name: string, place: string): Parameter => ({
  name,
  in: place,
  required: true,
  description: 'New.',
  schema: { type: 'string', minLength: 1 },
  example: 'n',
});

/** Edits of the whole document, each with what no longer fits: in files of services, or in `calls.ts`, the program of a user. */
const edits: readonly (readonly [what: string, places: readonly RegExp[], edit: (spec: Spec) => void])[] = [
  [
    'a required query of a method with a filter',
    [/^calls\.ts: .*'region' is missing/],
    (spec) => operationIn(spec, 'files.list').parameters?.push(added('region', 'query')),
  ],
  [
    'a required query of a method without a filter',
    [/^overlay\/services\/quota\.ts: .*'unit' is missing/],
    (spec) => operationIn(spec, 'quota.getModelUsage').parameters?.push(added('unit', 'query')),
  ],
  [
    'a required header of a method without parameters',
    [/^overlay\/services\/models\.ts: .*X-New/, /^overlay\/services\/detection\.ts: .*X-New/],
    (spec) => void (operationIn(spec, 'models.list').parameters = [added('X-New', 'header')]),
  ],
  ...(
    [
      ['query', 'of a method without parameters', 'voice.clone', /^overlay\/services\/voice\.ts: .*'parameters' is missing/],
      ['header', 'of a method with a form', 'fileParser.create', /^overlay\/services\/file-parser\.ts: .*'parameters' is missing/],
      ['query', 'of a method with an id', 'batch.cancel', /^overlay\/services\/batch\.ts: .*'detail' is missing/],
    ] as const
  ).map(([place, method, id, says]): (typeof edits)[number] => [
    `an optional ${place} ${method}`,
    [says],
    (spec) => {
      const operation = operationIn(spec, id);
      operation.parameters = [...(operation.parameters ?? []), { ...added('detail', place), required: false }];
    },
  ]),
  [
    'an optional query of a method with a filter, which takes it',
    [],
    (spec) => operationIn(spec, 'batch.list').parameters?.push({ ...added('kind', 'query'), required: false }),
  ],
  [
    'a field that is required now',
    [/^calls\.ts: .*'top_n' is missing|^calls\.ts: .*RerankRequest/],
    (spec) => {
      (spec.components.schemas['RerankRequest'] as { required: string[] }).required.push('top_n');
      for (const value of bodiesOf(spec, 'rerank.create')) Object.assign(value, { top_n: 1 });
    },
  ],
  [
    'a required query of chat, messages and Responses',
    ['chat', 'messages', 'responses', 'detection'].map((name) => new RegExp(`^overlay/services/${name}\\.ts: .*'parameters' is missing`)),
    (spec) => {
      for (const id of ['chat.create', 'anthropic.create', 'responses.create']) {
        const operation = operationIn(spec, id);
        operation.parameters = [...(operation.parameters ?? []), added('place', 'query')];
      }
    },
  ],
  [
    'a required field of a request that a method makes itself',
    [/^overlay\/services\/responses\.ts: .*'tier' is missing/],
    (spec) => {
      const { properties, required = [] } = spec.components.schemas['ResponsesRequest'] ?? { properties: {} };
      properties['tier'] = { type: 'string', description: 'New.', minLength: 1 };
      required.push('tier');
      for (const value of bodiesOf(spec, 'responses.create')) Object.assign(value, { tier: 'n' });
    },
  ],
  [
    'a renamed field of a request that a method fills',
    [/^overlay\/surfaces\/chat\/request\.ts: .*tool_stream/],
    (spec) => rename(spec, 'chat.create', 'ChatRequest', 'tool_stream', 'tool_pieces'),
  ],
  [
    'a renamed field that a method declares itself',
    [/^overlay\/services\/web-tools\.ts: .*"messages"/, /^calls\.ts: .*TokenCountRequest/],
    (spec) => rename(spec, 'tools.tokenize', 'TokenizeRequest', 'messages', 'texts'),
  ],
  [
    'a renamed parameter of a path',
    [/^overlay\/services\/responses\.ts: .*'response_id' does not exist/],
    ({ paths }) => {
      for (const [path, operations] of Object.entries(paths).filter(([path]) => path.includes('{response_id}'))) {
        paths[path.replace('response_id', 'reply_id')] = operations;
        delete paths[path];
        for (const { parameters = [] } of Object.values(operations))
          for (const one of parameters) if (one.name === 'response_id') one.name = 'reply_id';
      }
    },
  ],
  [
    'a removed operation',
    [/^overlay\/services\/voice\.ts: .*no exported member 'voiceDelete'/, /^overlay\/services\/voice\.ts: .*VoiceDeleteRequest/],
    (spec) => {
      for (const [path, methods] of Object.entries(spec.paths))
        for (const [method, { operationId }] of Object.entries(methods))
          if (operationId === 'voice.delete') {
            delete methods[method];
            if (Object.keys(methods).length === 0) delete spec.paths[path];
          }
    },
  ],
];

const calls = `
import { newClient } from './overlay/index.ts';
const c = newClient({ apiKey: 'k' });
export const all = [
  c.files().list(undefined, { purpose: 'batch' }),
  c.batch().list(undefined, { kind: 'n' }),
  c.rerank().create(undefined, { model: 'rerank', query: 'q', documents: ['d'] }),
  c.tools().tokenize(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'q' }] }),
];
`;

test('the type check names each place that an edit of the document no longer fits, and no other', async () => {
  const root = await newFolder();
  for (const folder of ['spec', 'docs', 'src']) await cp(join(project, folder), join(root, folder), { recursive: true });
  await cp(join(project, 'package.json'), join(root, 'package.json'));
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
  const file = join(root, 'spec/openapi.yaml');
  const spec = parse(ts.sys.readFile(file) ?? '') as Spec;
  for (const [, , edit] of edits) edit(spec);
  await writeFile(file, stringify(spec, { lineWidth: 0, aliasDuplicateObjects: false }));
  await generate(root, false);
  await writeFile(join(root, 'src/calls.ts'), calls);
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, root);
  const program = ts.createProgram({ rootNames: [join(root, 'src/calls.ts')], options });
  const places = ts
    .getPreEmitDiagnostics(program)
    .map((one) => `${relative(join(root, 'src'), one.file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`);
  const unnamed = edits.flatMap(([what, wanted]) =>
    wanted.filter((place) => !places.some((one) => place.test(one))).map((place) => `${what}: ${place}`),
  );
  expect(unnamed).toEqual([]);
  expect(places.filter((one) => !edits.some(([, wanted]) => wanted.some((place) => place.test(one))))).toEqual([]);
});
