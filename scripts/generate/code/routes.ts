import type { ExpectedFields } from '../document/expected.ts';
import { formOf } from '../document/form.ts';
import { type Body, isOwnHeader, isSuccess, type Operation, type Parameter, serverRoots } from '../document/operations.ts';
import { banner, type Source } from '../document/source.ts';
import { docComment, keyOf, operationDoc, quote } from './prose.ts';
import { rulesOf } from './request-rules.ts';

/** The roots, apart from the routes: a program that only names hosts loads no route. */
export function rootsFile(source: Source, operations: readonly Operation[]): string {
  const rows = serverRoots(source);
  const names = [...new Set([...operations.map((one) => one.surface), 'coding'])].sort();
  const lines = [...new Set([...rows.keys()].map((key) => key.split(' ')[0] ?? ''))].sort().map((surface) => {
    const china = rows.get(`${surface} china`);
    return `  ${surface}: { global: ${quote(rows.get(`${surface} global`) ?? china ?? '')}, china: ${quote(china ?? '')} },\n`;
  });
  return `${banner}
/** A protocol family or host group: every operation belongs to one, and each has a separate root. */
export type ServiceRoot = ${names.map(quote).join(' | ')};

/** The root of each surface on each host, from the spec's servers. */
export const roots: Readonly<Record<ServiceRoot, Readonly<Record<'global' | 'china', string>>>> = {
${lines.join('')}};

/** The path templates of each surface. */
export const pathsOn: Readonly<Record<Exclude<ServiceRoot, 'coding'>, readonly string[]>> = {
${pathsBySurface(operations)
  .map(([surface, paths]) => `  ${surface}: [${paths.join(', ')}],\n`)
  .join('')}};
`;
}

/** The operations as pure data, one exported constant each, so that a bundle contains only the operations it calls. */
export function routesFile(source: Source, operations: readonly Operation[]): string {
  const usageIsResult = operations.filter((one) => one.usageIsResult).map((one) => quote(one.path));
  return [
    banner,
    "import type { operations } from './operations.ts';",
    "import type { ServiceRoot } from './roots.ts';",
    `import { ${ruleNames(operations).join(', ')}, type Rules } from './rules.ts';`,
    '',
    "export { roots, type ServiceRoot } from './roots.ts';",
    '',
    routeType(operations),
    surfacePaths(operations),
    bytesContent(operations),
    ...operations.map((one) => routeConstant(source, one)),
    `/** Name of an operation, for instance \`chat.create\`. */\nexport type OperationName = ${operations.map((one) => quote(one.id)).join(' | ')};\n`,
    '/** Every operation of the spec. Importing this takes all routes into a bundle. */',
    `export const allRoutes: readonly Route[] = [${operations.map((one) => one.constant).join(', ')}];`,
    '',
    '/** The paths of operations whose `usage` is the answer, not the cost of the call. */',
    `export const usageIsResultPaths: readonly string[] = [${usageIsResult.join(', ')}];`,
    '',
  ].join('\n');
}

function ruleNames(operations: readonly Operation[]): string[] {
  return [...new Set(operations.flatMap((one) => rulesOf(one).map(([, name]) => name)))].sort();
}

function routeConstant(source: Source, operation: Operation): string {
  const form = replyForm(operation);
  const rules = rulesOf(operation);
  const row: [string, string | undefined][] = [
    ['id', quote(operation.id)],
    ['method', quote(operation.method)],
    ['path', quote(operation.path)],
    ['surface', quote(operation.surface)],
    ['request', operation.body && quote(requestForm(operation.body))],
    ['parts', partsOf(source, operation)],
    ['reply', quote(form)],
    ['streams', flag(operation.replies.some((reply) => reply.mediaType === 'text/event-stream'))],
    ['stamped', flag(operation.stamped)],
    ['bills', String(operation.bills)],
    ['charges', operation.charges || operation.method === 'GET' ? undefined : 'false'],
    ['performs', operation.performs && quote(operation.performs)],
    ['isAudio', flag(isAudio(operation))],
    ['emptyReply', flag(operation.emptyReply)],
    ['failedStatus', operation.failedStatus && quote(operation.failedStatus)],
    ['answerStatus', operation.answerStatus && `[${operation.answerStatus.map(quote).join(', ')}]`],
    ['expected', operation.expected && expectedOf(operation.expected)],
    ['pathParameters', JSON.stringify(namesIn('path', operation))],
    ['headerParameters', namesIn('header', operation).length === 0 ? undefined : JSON.stringify(namesIn('header', operation))],
    ['rules', rules.length > 0 ? `{ ${rules.map(([part, name]) => `${part}: ${name}`).join(', ')} }` : undefined],
  ];
  const fields = row.filter(([, value]) => value !== undefined).map(([key, value]) => `  ${key}: ${value},\n`);
  return `${docComment(operationDoc(operation))}export const ${operation.constant}: Route<operations['${operation.id}']> = {\n${fields.join('')}};\n`;
}

/** A false flag is left out, except `bills`, which every route has. */
function flag(holds: boolean): string | undefined {
  return holds ? 'true' : undefined;
}

function expectedOf(expected: ExpectedFields): string {
  const fields = Object.entries(expected).map(([name, kind]) => `${keyOf(name)}: ${quote(kind)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function isAudio(operation: Operation): boolean {
  return operation.replies.some((reply) => isSuccess(reply) && reply.mediaType.startsWith('audio/'));
}

/** JSON of a kind of its own goes by its media type. */
function requestForm({ mediaType, wireType }: Body): string {
  if (mediaType === 'multipart/form-data') return 'multipart';
  return wireType === mediaType ? 'json' : wireType;
}

function namesIn(place: Parameter['in'], { parameters }: Operation): string[] {
  return parameters.filter((one) => one.in === place && !isOwnHeader(one)).map(({ name }) => name);
}

/** The fields of a form that are more than a text. */
function partsOf(source: Source, { body }: Operation): string | undefined {
  if (body?.mediaType !== 'multipart/form-data') return undefined;
  const rows = [...formOf(source, body)].flatMap(([name, { as, type }]) => {
    const columns = [
      ...(as.startsWith('file') ? [`files: ${as === 'file' ? "'one'" : "'many'"}`] : []),
      ...(type === undefined ? [] : [`type: ${quote(type)}`]),
    ];
    return columns.length === 0 ? [] : [`${keyOf(name)}: { ${columns.join(', ')} }`];
  });
  return rows.length === 0 ? undefined : `{ ${rows.join(', ')} }`;
}

/** The words of a form in the type of a route. */
function formsOf(known: readonly string[], used: readonly string[]): string {
  return [...new Set([...known, ...used])].map(quote).join(' | ');
}

function replyForm(operation: Operation): string {
  const replies = operation.replies.filter(isSuccess);
  const json = replies.find(({ mediaType }) => mediaType === 'application/json');
  if (json) return json.wireType === json.mediaType ? 'json' : json.wireType;
  return replies.length === 0 ? 'json' : 'bytes';
}

function surfacePaths(operations: readonly Operation[]): string {
  const lines = pathsBySurface(operations).map(([surface, paths]) => `  ${surface}: ${paths.join(' | ')};\n`);
  return `/** The paths of each surface, for its typed bindings. */\nexport interface SurfacePaths {\n${lines.join('')}}\n`;
}

function bytesContent(operations: readonly Operation[]): string {
  const types = operations.filter((one) => replyForm(one) === 'bytes').flatMap(({ replies }) => replies.filter(isSuccess));
  const contents = [...new Set(types.flatMap(({ mediaType, schema }) => (schema['format'] === 'binary' ? [mediaType] : [])))];
  const type = contents.map((one) => `{ ${quote(one)}: Uint8Array }`).join(' | ') || 'never';
  return `/** The content of a reply of bytes, for the typed bindings. */\nexport type BytesContent = ${type};\n`;
}

function pathsBySurface(operations: readonly Operation[]): [surface: string, paths: string[]][] {
  const surfaces = [...new Set(operations.map((one) => one.surface))].sort();
  return surfaces.map((surface) => [surface, [...new Set(operations.filter((one) => one.surface === surface).map((one) => quote(one.path)))]]);
}

function routeType(operations: readonly Operation[]): string {
  const requests = operations.flatMap(({ body }) => (body ? [requestForm(body)] : []));
  return `/** How a form sends a field. \`type\` is the media type of its part: of JSON, of a text, or of a file without its own. */
export interface PartForm {
  readonly files?: 'one' | 'many';
  readonly type?: string;
}

/** One operation of the spec, as data. */
export interface Route<Operation = unknown> {
  /** \`chat.create\`: service and method, as errors name it. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the surface's root, with \`{parameters}\`. */
  readonly path: string;
  readonly surface: ServiceRoot;
  readonly request?: ${formsOf(['json', 'multipart'], requests)};
  /** How a form sends a field that is more than a text. */
  readonly parts?: { readonly [name: string]: PartForm };
  readonly reply: ${formsOf(['json', 'bytes'], operations.map(replyForm))};
  /** Whether the bytes are audio, which is never text. */
  readonly isAudio?: boolean;
  /** Whether an empty reply with status 200 is a success. */
  readonly emptyReply?: boolean;
  /** Whether the reply can be an event stream. */
  readonly streams?: boolean;
  /** Whether hooks get service and model without \`withService\` and \`withModel\`. */
  readonly stamped?: boolean;
  /** Whether a repeated call may be billed, or performed, twice. */
  readonly bills: boolean;
  /** False for a free operation. Absent on GET, which is always free. */
  readonly charges?: boolean;
  /** An answer and no more, or the creation of a thing that stays: a batch, a file, a job, a voice. */
  readonly performs?: 'answer' | 'creation';
  /** The value of \`status\` that makes a 200 reply a failure. */
  readonly failedStatus?: string;
  /** The values of \`status\` of an answer; a 200 reply with another one is a failure. */
  readonly answerStatus?: readonly string[];
  /** Fields by kind of which every success of a JSON operation has at least one; a reply without any of them is a failure. */
  readonly expected?: Readonly<Record<string, 'array' | 'filled' | 'object' | 'value'>>;
  readonly pathParameters: readonly string[];
  readonly headerParameters?: readonly string[];
  /** The rules for body and parameters. */
  readonly rules?: Rules;
  /** Carries the operation's types; never present. */
  readonly operation?: Operation;
}
`;
}
