import { type ExpectedFields, readExpected } from './expected.ts';
import { mediaTypeOf, wireTypeOf } from './media-type.ts';
import { type OtelSpan, readOtel } from './otel.ts';
import { isObject, type Json, type JsonObject, type Source } from './source.ts';
import { follow, type Place, refOf } from './walk.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Json;
  readonly description: string;
  readonly example: Json | undefined;
  /** The form on the wire, if the document has one. */
  readonly style: Json | undefined;
  readonly explode: Json | undefined;
  readonly place: Place;
}

export interface Body {
  readonly mediaType: string;
  readonly wireType: string;
  /** Number of media types in the document. */
  readonly mediaTypes: number;
  readonly required: boolean;
  readonly schema: JsonObject;
  readonly examples: JsonObject;
  readonly encoding: Json | undefined;
  readonly place: Place;
}

export interface Reply {
  readonly status: string;
  readonly mediaType: string;
  readonly wireType: string;
  readonly schema: JsonObject;
  readonly eventSchema: JsonObject | undefined;
  readonly examples: JsonObject;
  readonly place: Place;
}

/** One operation of the spec, its references followed. */
export interface Operation {
  /** `chat.create`: the tag, a dot, the method of the service. */
  readonly id: string;
  readonly group: string;
  /** `chatCreate`: the name of the route's constant. */
  readonly constant: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly evidence: string;
  readonly surface: string;
  readonly stamped: boolean;
  readonly bills: boolean;
  readonly charges: boolean;
  readonly performs: string | undefined;
  readonly emptyReply: boolean;
  readonly usageIsResult: boolean;
  /** The only host whose description has it. */
  readonly documentedHost: string | undefined;
  readonly failedStatus: string | undefined;
  readonly answerStatus: readonly string[] | undefined;
  readonly expected: ExpectedFields | undefined;
  readonly otel: OtelSpan | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly replies: readonly Reply[];
  /** The statuses of success, also of a reply without content. */
  readonly successes: readonly string[];
  readonly deprecated: boolean;
  readonly place: Place;
}

/** The groups whose calls have service and model in hooks, as the contract lists them. */
const stampedGroups: readonly string[] = ['anthropic', 'chat', 'embeddings', 'rerank', 'responses'];

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export function readOperations(source: Source): Operation[] {
  const operations: Operation[] = [];
  const seen = new Map<string, string>();
  for (const [path, item] of entries(source.value['paths']))
    for (const method of methods) {
      const raw = isObject(item) ? item[method] : undefined;
      if (!isObject(item) || !isObject(raw)) continue;
      const operation = readOperation(source, path, item, method, raw);
      const twin = seen.get(operation.id);
      if (twin !== undefined) throw source.error([...operation.place, 'operationId'], `operationId ${operation.id} is taken by ${twin}`);
      seen.set(operation.id, `${method.toUpperCase()} ${path}`);
      operations.push(operation);
    }
  return operations;
}

function readOperation(source: Source, path: string, item: JsonObject, method: string, raw: JsonObject): Operation {
  const place = ['paths', path, method];
  const id = String(raw['operationId'] ?? '');
  const tags = Array.isArray(raw['tags']) ? raw['tags'] : [];
  const tag = list(source.value['tags']).find((one) => isObject(one) && one['name'] === tags[0]);
  if (tags.length !== 1 || !isObject(tag)) throw source.error([...place, 'tags'], 'an operation belongs to exactly one declared group');
  const group = String(tag['name']);
  if (!new RegExp(`^${group}\\.[a-z][A-Za-z0-9]*$`).test(id))
    throw source.error([...place, 'operationId'], `operationId must be ${group}.<method>, the method in letters and digits`);
  const name = id.slice(group.length + 1);
  const { 'x-failed-status': status } = raw;
  const expects = list(raw['x-expected']);
  const replies = readReplies(source, raw, place);
  const successes = entries(raw['responses']).flatMap(([status]) => (isSuccess({ status }) ? [status] : []));
  if (successes.length === 0) throw source.error([...place, 'responses'], `${id} has no 200 response, nor one of 201 to 204`);
  return {
    id,
    group,
    constant: group + name.charAt(0).toUpperCase() + name.slice(1),
    method: method.toUpperCase(),
    path,
    summary: text(raw['summary']),
    description: text(raw['description']),
    evidence: text(raw['x-evidence']),
    surface: surfaceOf(source, item, place),
    stamped: stampedGroups.includes(group),
    bills: raw['x-bills'] === true,
    // A call that may be repeated without a second bill is free.
    charges: raw['x-bills'] === true && raw['x-charges'] !== false,
    performs: typeof raw['x-performs'] === 'string' ? raw['x-performs'] : undefined,
    emptyReply: expects.includes(null) || successes.includes('204'),
    usageIsResult: expects.length === 1 && expects[0] === 'usage',
    documentedHost: /Documented\s+for\s+the\s+(global|china)\s+host\s+only\./.exec(text(raw['description']))?.[1],
    failedStatus: status === undefined ? undefined : String(isObject(status) ? status['failed'] : status),
    answerStatus: isObject(status) ? list(status['answers']).map(String) : undefined,
    expected: readExpected(source, raw, replies, place),
    otel: readOtel(source, raw, place),
    parameters: readParameters(source, path, item, method, raw),
    body: readBody(source, raw, place),
    replies,
    successes,
    deprecated: raw['deprecated'] === true,
    place,
  };
}

/** The surface of an operation, from its servers. Each operation has exactly one; the coding plan is a second root of chat. */
function surfaceOf(source: Source, item: JsonObject, place: Place): string {
  const own = list(item['servers']);
  const servers = own.length > 0 ? own : list(source.value['servers']);
  const surfaces = new Set(servers.map((server) => (isObject(server) ? String(server['x-surface']) : '')));
  surfaces.delete('coding');
  const [surface] = surfaces;
  if (surfaces.size !== 1 || surface === undefined || surface === 'undefined')
    throw source.error(place.slice(0, 2), 'servers must name one x-surface');
  return surface;
}

/** The parameters of the operation, and of its path unless the operation replaces them. */
function readParameters(source: Source, path: string, item: JsonObject, method: string, raw: JsonObject): Parameter[] {
  const read = (holder: JsonObject, place: Place): Parameter[] =>
    list(holder['parameters']).map((one, index) => readParameter(source, one, [...place, 'parameters', index]));
  const own = read(raw, ['paths', path, method]);
  const shared = read(item, ['paths', path]).filter((one) => !own.some((other) => other.name === one.name && other.in === one.in));
  return [...shared, ...own];
}

function readParameter(source: Source, one: Json, place: Place): Parameter {
  const followed = follow(source.value, one);
  const [first] = Object.values(readExamples(source, followed['examples']));
  return {
    name: String(followed['name']),
    in: followed['in'] as Parameter['in'],
    required: followed['required'] === true,
    schema: followed['schema'] ?? true,
    description: text(followed['description']),
    example: followed['example'] ?? (isObject(first) ? first['value'] : undefined),
    style: followed['style'],
    explode: followed['explode'],
    place,
  };
}

function readBody(source: Source, raw: JsonObject, place: Place): Body | undefined {
  if (raw['requestBody'] === undefined) return undefined;
  const body = follow(source.value, raw['requestBody']);
  const media = entries(body['content']);
  const [written, content] = media[0] ?? ['', {}];
  return {
    mediaType: mediaTypeOf(written),
    wireType: wireTypeOf(written),
    mediaTypes: media.length,
    required: body['required'] === true,
    ...readMedia(source, content),
    encoding: entries(content).find(([key]) => key === 'encoding')?.[1],
    place: [...place, 'requestBody', ...(refOf(raw['requestBody']) === undefined ? ['content', written] : [])],
  };
}

function readReplies(source: Source, raw: JsonObject, place: Place): Reply[] {
  return entries(raw['responses']).flatMap(([status, one]) =>
    entries(follow(source.value, one)['content']).map(([written, content]): Reply => {
      const events = isObject(content) ? content['x-event-schema'] : undefined;
      return {
        status,
        mediaType: mediaTypeOf(written),
        wireType: wireTypeOf(written),
        ...readMedia(source, content),
        eventSchema: isObject(events) ? events : undefined,
        place: [...place, 'responses', status, ...(refOf(one) === undefined ? ['content', written] : [])],
      };
    }),
  );
}

function readMedia(source: Source, content: Json): { readonly schema: JsonObject; readonly examples: JsonObject } {
  const { schema, examples } = isObject(content) ? content : {};
  return { schema: isObject(schema) ? schema : {}, examples: readExamples(source, examples) };
}

/** Examples by name, their references followed. */
function readExamples(source: Source, examples: Json | undefined): JsonObject {
  return Object.fromEntries(entries(examples).map(([name, example]) => [name, follow(source.value, example)]));
}

export function isSuccess({ status }: Pick<Reply, 'status'>): boolean {
  return status.startsWith('2');
}

/** A header that the client adds by itself: it has no rule, and a call need not name it. */
export function isOwnHeader({ in: place, name }: Pick<Parameter, 'in' | 'name'>): boolean {
  return place === 'header' && ['accept-language', 'anthropic-version', 'user-agent'].includes(name.toLowerCase());
}

/** The name of a schema in the code. */
export function codeName(schema: string): string {
  return schema.replaceAll('.', '_');
}

/** The constant of the rule of a part whose schema has no name. */
export function ruleName(constant: string, part: string): string {
  return constant.charAt(0).toUpperCase() + constant.slice(1) + part.charAt(0).toUpperCase() + part.slice(1);
}

/** The region of a server, by its host. */
export function regionOf({ url }: JsonObject): 'global' | 'china' {
  return /^https?:\/\/([^/]*\.)?bigmodel\.cn(?:[:/]|$)/.test(String(url)) ? 'china' : 'global';
}

/** The root of each surface and region, by `<surface> <region>`, from all servers of the document. */
export function serverRoots(source: Source): Map<string, string> {
  const roots = new Map<string, string>();
  for (const holder of [source.value, ...entries(source.value['paths']).map(([, item]) => item)])
    for (const server of list(isObject(holder) ? holder['servers'] : undefined))
      if (isObject(server)) roots.set(`${server['x-surface']} ${regionOf(server)}`, String(server['url']));
  return roots;
}

export function entries(node: Json | undefined): [string, Json][] {
  return isObject(node) ? Object.entries(node) : [];
}

export function list(node: Json | undefined): Json[] {
  return Array.isArray(node) ? node : [];
}

function text(node: Json | undefined): string {
  return typeof node === 'string' ? node.trim() : '';
}
