import type { Body, Operation, Reply } from '../document/operations.ts';
import { banner, isObject, type Json, type JsonObject, type Source } from '../document/source.ts';

/** The examples of the spec, for the fake service and the tests. The client never imports them, and the fake no requests. */
export function examplesFile(_source: Source, operations: readonly Operation[]): string {
  const requests = operations.flatMap(({ id, body }): [string, { [name: string]: Json }][] => (body ? [[id, values(body)]] : []));
  const table = operations.map((operation): [string, JsonObject] => {
    const replies: JsonObject = {};
    for (const reply of operation.replies) replies[`${reply.status} ${reply.mediaType}`] = values(reply);
    const parameters: JsonObject = {};
    for (const one of operation.parameters) parameters[one.name] = one.example ?? null;
    return [operation.id, { parameters, ids: operation.body ? idsIn(values(operation.body)) : [], replies }];
  });
  return `${banner}
/** The first of each list of examples is the one the mock serves by default. */
export interface OperationExamples {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Ids in the bodies of requests. */
  readonly ids: readonly string[];
  /** Replies by status and media type, then by example name. */
  readonly replies: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const examples: Readonly<Record<string, OperationExamples>> = {
${table.map(lineOf).join('')}};

/** Request bodies by operation, then by example name. */
export const requests: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
${requests.map(lineOf).join('')}};
`;
}

/** A line for each operation, as JSON in a text: the bundler would print an object over many lines, which are 34 KB in all. */
function lineOf([id, one]: readonly [string, Json]): string {
  const text = JSON.stringify(one).replace(/[\\`]|\$(?=\{)/g, '\\$&');
  return `  ${JSON.stringify(id)}: /* @__PURE__ */ JSON.parse(\`${text}\`),\n`;
}

function idsIn(value: Json, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => idsIn(one, name));
  if (isObject(value)) return Object.entries(value).flatMap(([field, one]) => idsIn(one, field));
  return typeof value === 'string' && /(?:^|_)id$/.test(name) ? [value] : [];
}

function values(part: Body | Reply): { [name: string]: Json } {
  const found: { [name: string]: Json } = {};
  for (const [name, example] of Object.entries(part.examples)) found[name] = isObject(example) ? (example['value'] ?? null) : null;
  return found;
}
