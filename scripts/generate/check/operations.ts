/** Operations that the client could not send or read in the form of the document. */

import { refuseScalar } from '../document/expected.ts';
import { formOf } from '../document/form.ts';
import { mediaTypeOf } from '../document/media-type.ts';
import { entries, isSuccess, list, type Operation, type Parameter, type Reply, regionOf } from '../document/operations.ts';
import { evidenceWords } from '../document/shape.ts';
import { isObject, type Json, type Source } from '../document/source.ts';
import { documentOf, follow, isOfSameValue, type Node, nodeOf, nodesOf, type Place, reached } from '../document/walk.ts';

export function checkOperation(source: Source, operation: Operation): void {
  const { place, body, id } = operation;
  if (!evidenceWords.includes(operation.evidence)) throw source.error([...place, 'x-evidence'], `must be one of ${evidenceWords.join(', ')}`);
  if (operation.summary === '' || operation.description === '') throw source.error(place, 'needs a summary and a description');
  checkParameters(source, operation);
  if (body) {
    if (operation.method === 'GET') throw source.error([...place, 'requestBody'], 'GET has no body');
    if (body.mediaTypes !== 1) throw source.error(body.place.slice(0, -1), 'must have exactly one media type');
    if (Object.keys(body.examples).length === 0) throw source.error(body.place, `${id} has no request example`);
    if (body.mediaType !== 'application/json') formOf(source, body);
    else {
      refuseBytes(source, body.schema, [...body.place, 'schema']);
      refuseScalar(source, body, 'sends');
    }
  }
  checkReplies(source, operation);
}

function checkReplies(source: Source, { id, place, replies, successes }: Operation): void {
  const [success = '', other] = successes;
  if (other !== undefined)
    throw source.error([...place, 'responses', other], `${id} has the success ${success}: write one, and null in x-expected if it may be empty`);
  const whole = replies.filter((reply) => isSuccess(reply) && reply.mediaType !== 'text/event-stream');
  const hasContent = replies.some(isSuccess);
  if (success === '204' && hasContent) throw source.error([...place, 'responses', '204'], 'has no content in HTTP: write 200, or leave content out');
  if (success !== '204' && !hasContent)
    throw source.error(
      [...place, 'responses', success],
      'needs content: write application/json with a schema, and null in x-expected if it may be empty; only 204 has none',
    );
  if (whole.length > 1)
    throw source.error(
      whole[1]?.place ?? place,
      'a reply is JSON or the bytes of one type of file, and may also be an event stream: leave the others out',
    );
  for (const reply of replies) checkReply(source, id, reply);
}

function checkReply(source: Source, id: string, { status, mediaType, schema, eventSchema, examples, place }: Reply): void {
  if (Object.keys(examples).length === 0) throw source.error(place, `${id} has no example for ${status} ${mediaType}`);
  const isStream = mediaType === 'text/event-stream';
  if (isStream && eventSchema === undefined) throw source.error(place, 'a stream needs x-event-schema');
  if (!isStream && eventSchema !== undefined) throw source.error([...place, 'x-event-schema'], 'only text/event-stream has events');
  if (mediaType === 'application/json') refuseBytes(source, schema, [...place, 'schema']);
  else if (!isStream && schema['format'] !== 'binary')
    throw source.error([...place, 'schema'], 'the client reads this reply as bytes: write type: string, format: binary');
}

/** JSON has no bytes: the value of such a field cannot be sent. */
function refuseBytes(source: Source, schema: Json, place: Place): void {
  const bytes = reached(source, nodeOf('schema', schema, place), new Set()).find(({ value }) => isObject(value) && value['format'] === 'binary');
  if (bytes) throw source.error([...bytes.place, 'format'], 'JSON has no bytes: write multipart/form-data, or a text in base64');
}

/** Headers that no call can name: the client or its transport sets them, or they are credentials (`checkedHeaders` of the client). */
const closedHeaders =
  /^(accept|content-type|(proxy-)?authorization|(x-)?api-key|cookie|connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** Refuse parameters that do not match the path: an undeclared one would go out as `{id}`. */
function checkParameters(source: Source, { path, place, parameters }: Operation): void {
  const inPath = new Set([...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name));
  const seen = new Set<string>();
  for (const parameter of parameters) {
    const { name, in: at, required, place: own } = parameter;
    if (!['path', 'query', 'header'].includes(at)) throw source.error([...own, 'in'], 'must be path, query or header');
    if (at === 'path' && !inPath.has(name)) throw source.error(own, `the path has no {${name}}`);
    if (at === 'path' && !/^[\w-]+$/.test(name))
      throw source.error([...own, 'name'], `Prism, the mock, serves no path with {${name}}: use letters, digits, _ and -`);
    if (at === 'path' && !required) throw source.error(own, 'a path parameter is required: true');
    if (at === 'header' && closedHeaders.test(name)) throw source.error(own, `the client sets ${name} itself: leave it out`);
    if (at === 'header' && !/^[!#$%&'*+.^`|~\w-]+$/.test(name)) throw source.error([...own, 'name'], `${name} is no name of a header`);
    if (name in {}) throw source.error([...own, 'name'], `${name} is a field that every object inherits: no call could name it`);
    const unique = at === 'header' ? name.toLowerCase() : name;
    if (seen.has(unique)) throw source.error(own, `${name} is declared twice`);
    seen.add(unique);
    checkStyle(source, parameter);
    refuseBytes(source, parameter.schema, [...own, 'schema']);
    if (parameter.example === undefined) throw source.error(own, `parameter ${name} has no example`);
  }
  for (const name of inPath)
    if (!parameters.some((one) => one.in === 'path' && one.name === name))
      throw source.error(place, `the path has {${name}}, and no parameter of that name is declared`);
}

/** Refuse a form of writing a value that is not the client's: `createFinalURL` has one for each place and type. */
function checkStyle(source: Source, { in: at, schema, place, style, explode }: Parameter): void {
  const parts = reached(source, nodeOf('schema', schema, [...place, 'schema']), new Set(), isOfSameValue);
  const has = (type: string): boolean => parts.some(({ value }) => isObject(value) && [value['type']].flat().includes(type));
  const isObjectValue = has('object') || parts.some(({ value }) => isObject(value) && value['properties'] !== undefined);
  if (at === 'path' && (isObjectValue || has('array')))
    throw source.error([...place, 'schema'], 'a path has a text, a number or a switch: write its type');
  if (at === 'header' && isObjectValue) throw source.error([...place, 'schema'], 'a header is a text, a number or a list: write its type');
  if (isObjectValue) for (const part of parts) checkFlat(source, part);
  const wanted = at === 'query' ? (isObjectValue ? 'deepObject' : 'form') : 'simple';
  const given = style ?? (at === 'query' ? 'form' : 'simple');
  if (given !== wanted) throw source.error([...place, 'style'], `the client writes such a value in style ${wanted}: write it, or another type`);
  if (explode !== undefined && explode !== (at === 'query'))
    throw source.error([...place, 'explode'], `the client writes such a value with explode: ${at === 'query'}: leave it out`);
}

/** The client writes the fields of a query object as texts: neither it nor Prism has a form for a list there. */
function checkFlat(source: Source, { value, place }: Node): void {
  for (const [name, field] of entries(isObject(value) ? value['properties'] : undefined))
    for (const one of reached(source, nodeOf('schema', field, [...place, 'properties', name]), new Set(), isOfSameValue))
      if (isObject(one.value) && [one.value['type']].flat().some((type) => type === 'array' || type === 'object'))
        throw source.error([...one.place, 'type'], 'a query object has texts, numbers and switches: write a list as a parameter of its own');
}

/** Refuses two media types of a body or a response that the client takes for one. */
export function checkMediaTypes(source: Source): void {
  for (const { value, place } of nodesOf(documentOf(source)).filter(({ kind }) => kind === 'body' || kind === 'response')) {
    const seen = new Map<string, string>();
    for (const [type] of entries(isObject(value) ? value['content'] : undefined)) {
      const twin = seen.get(mediaTypeOf(type));
      if (twin !== undefined) throw source.error([...place, 'content', type], `is the same to the client as ${twin}: leave one out`);
      seen.set(mediaTypeOf(type), type);
    }
  }
}

/** Refuses two paths that match the same URLs. */
export function checkPaths(source: Source): void {
  const seen = new Map<string, string>();
  for (const [path] of entries(source.value['paths'])) {
    const form = path.replaceAll(/\{[^}]*\}/g, '{}');
    const twin = seen.get(form);
    if (twin !== undefined) throw source.error(['paths', path], `matches the same URLs as ${twin}: write its operations there`);
    seen.set(form, path);
  }
}

/** One root for each surface and region, and one key. */
export function checkServers(source: Source): void {
  const roots = new Map<string, string>();
  for (const { value, place } of nodesOf(documentOf(source)).filter(({ kind }) => kind === 'server')) {
    const server = follow(source.value, value);
    const name = `${server['x-surface']} ${regionOf(server)}`;
    const other = roots.get(name);
    if (other !== undefined && other !== server['url'])
      throw source.error([...place, 'url'], `the surface ${name} has the root ${other}: write it, or another x-surface`);
    roots.set(name, String(server['url']));
  }
  for (const name of roots.keys())
    if (!roots.has(name.replace(/ global$/, ' china'))) throw source.error(['servers'], `the surface ${name} has no root in the region china`);
}

export function checkSecurity(source: Source): void {
  const { security } = source.value;
  const [first, ...others] = list(security);
  const [scheme, ...more] = entries(first);
  const { components } = source.value;
  const schemes = isObject(components) ? components['securitySchemes'] : undefined;
  const isKey = scheme !== undefined && isObject(schemes) && schemes[scheme[0]] !== undefined && list(scheme[1]).length === 0;
  if (!isKey || others.length > 0 || more.length > 0)
    throw source.error(['security'], 'must be the bearer key alone: the client sends it with every call');
}
