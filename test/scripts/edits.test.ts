// Edits of the spec: each is compiled as written, or refused in one line with the place and the cure. None is dropped in silence.
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { checkTypes } from '../../scripts/generate/code/type-check.ts';
import { loadYaml, SpecError, sourceOf } from '../../scripts/generate/document/source.ts';
import { compile } from '../../scripts/generate.ts';
import { fileNames, type Part, project, small, texts, withoutChat } from '../support/small-spec.ts';
import { failureOf } from '../support/spec.ts';
import { newFolder } from '../support/storage.ts';

type Place = readonly (string | number)[];

interface Edit {
  readonly what: string;
  /** Its row of the page on changes of vendors. */
  readonly change?: string;
  /** Values to set, by place. Undefined deletes. */
  readonly set?: readonly (readonly [place: Place, value: unknown])[];
  readonly text?: ((text: string) => string) | undefined;
}

interface Refused extends Edit {
  readonly at: Place;
  readonly says: RegExp;
}

interface Held extends Edit {
  /** Texts that the generated files have. */
  readonly has: readonly (readonly [file: string, text: RegExp])[];
}

const schemas = ['components', 'schemas'];
const field = (schema: string, name: string): Place => [...schemas, schema, 'properties', name];
const rerank = ['paths', '/rerank', 'post'];
const rerankBody = [...rerank, 'requestBody', 'content', 'application/json'];
const rerankReply = [...rerank, 'responses', '200', 'content', 'application/json'];
const files = ['paths', '/files', 'get'];
const oneFile = ['paths', '/files/{file_id}', 'delete'];
const upload = ['paths', '/files', 'post', 'requestBody', 'content'];
const chat = ['paths', '/chat/completions', 'post'];
const chatBody = [...chat, 'requestBody', 'content', 'application/json'];
const asyncChat = ['paths', '/async/chat/completions', 'post'];
const asyncBody = [...asyncChat, 'requestBody', 'content', 'application/json'];
const asyncReply = [...asyncChat, 'responses', '200', 'content', 'application/json'];
const stream = ['paths', '/chat/completions', 'post', 'responses', '200', 'content', 'text/event-stream'];
const encoding = [...upload, 'multipart/form-data', 'encoding'];
const part = field('FileUploadRequest', 'more');
const file = { type: 'string', format: 'binary', description: 'A file.' };
const many = { type: 'array', description: 'Files.', items: file };
const words = (value: string): object => ({ type: 'string', description: 'A text.', ...JSON.parse(value) });
const object = (properties: object, more: object = {}): object => ({ type: 'object', description: 'An object.', properties, ...more });
const text = { type: 'string', description: 'A text.' };
const header = (name: string, schema: object = text): object => ({ name, in: 'header', description: 'H.', schema, example: 'a' });
const union = {
  description: 'One of two.',
  oneOf: ['cat', 'dog'].map((word) => object({ kind: { type: 'string', const: word, description: 'x' } }, { required: ['kind'] })),
  discriminator: { propertyName: 'kind' },
};
const typed = (type: string, more: object): object => ({ type, description: 'x', ...more });
const reply = 'RerankResponse';
const request = 'RerankRequest';
const ofRequest = { $ref: '#/components/schemas/RerankRequest' };
const extra = field(reply, 'extra');
const topN = field(request, 'top_n');
const functionName = field('FunctionDefinition', 'name');
const page = [...files, 'parameters', 1];
const bodyReference = [...rerankBody, 'schema', '$ref'];
const types = 'src/generated/types.ts';
const rules = 'src/generated/rules.ts';
const routes = 'src/generated/routes.ts';

/** Keeps the content of a media type under another name. */
function renamed(place: Place, name: string, old?: string): Edit['text'] {
  return (whole) => {
    const spec = parseDocument(whole);
    const [first] = old === undefined ? Object.keys((spec.getIn(place) as { toJSON(): object }).toJSON()) : [old];
    const kept = spec.getIn([...place, first ?? ''], true);
    spec.deleteIn([...place, first ?? '']);
    spec.setIn([...place, name], kept);
    return print(spec);
  };
}

function print(spec: Document): string {
  return spec.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const up: unique symbol = Symbol('one step above');

/** The row of one value; the error is at its place, or these steps from there. */
function refuse(what: string, place: Place, value: unknown, says: RegExp, ...steps: (string | number | typeof up)[]): Refused {
  const at = steps.reduce<Place>((from, step) => (step === up ? from.slice(0, -1) : from.concat(step)), place);
  return { what, set: [[place, value]], at, says };
}

function seenAt(at: Place, edit: Refused): Refused {
  return { ...edit, at };
}

function ofChange(change: string, edit: Refused): Refused {
  return { ...edit, change };
}

const refused: readonly Refused[] = [
  {
    what: 'other fields of another type than a declared one',
    set: [[field(request, 'extra'), object({ a: text }, { additionalProperties: { type: 'integer' } })]],
    at: [...field(request, 'extra'), 'additionalProperties'],
    says: /fits a and the other fields: allow the types of both/,
  },
  // Names.
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty'].map((name) => ({
    what: `a field ${name}`,
    set: [[field(reply, name), text]] as const,
    at: field(reply, name),
    says: /every object inherits/,
  })),
  {
    what: 'a field __proto__',
    text: (t) => t.replace('    RerankResponse:\n', '    RerankResponse:\n      __proto__: 1\n'),
    at: [],
    says: /__proto__ has no value/,
  },
  refuse('a parameter constructor', [...page, 'name'], 'constructor', /every object inherits/),
  refuse('a schema whose name begins with a dot', [...schemas, '.B'], object({}), /must be a letter, then letters/),
  {
    what: 'two schemas of one name in the code',
    set: [
      [[...schemas, 'A.B'], object({})],
      [[...schemas, 'A_B'], object({})],
    ],
    at: [...schemas, 'A_B'],
    says: /the type A_B is also that of A\.B/,
  },
  refuse('a schema with a dash in its name', [...schemas, 'A-B'], object({}), /must be a letter, then letters/),
  refuse('a schema named by a word of TypeScript', [...schemas, 'string'], object({}), /a word of TypeScript/),
  refuse('a schema named like a type of the client', [...schemas, 'Client'], object({}), /a type of the client: .*x-type-name/),
  refuse('a schema named like a type of the generator', [...schemas, 'FileUpload'], object({}), /a type of the generator/),
  refuse('a schema named like a type of the language', [...schemas, 'Blob'], object({}), /a type of the language/),
  refuse('a schema named like a rule', [...schemas, 'FilesListParameters'], object({}), /the name of the rule of files\.list/),
  {
    what: 'one x-type-name twice',
    set: [
      [[...schemas, request, 'x-type-name'], 'Same'],
      [[...schemas, reply, 'x-type-name'], 'Same'],
    ],
    at: [...schemas, reply, 'x-type-name'],
    says: /the type Same is also that of/,
  },
  {
    what: 'an x-type-name that another schema has',
    change: 'a renamed schema',
    set: [[[...schemas, request, 'x-type-name'], reply]],
    at: [...schemas, reply],
    says: /the type RerankResponse is also that of/,
  },
  refuse('an x-type-name that is no name', [...schemas, request, 'x-type-name'], 'a b', /must be a letter/),
  refuse('x-option: true', [...field(request, 'top_n'), 'x-option'], true, /must be false/),
  refuse('x-option of a schema', [...schemas, request, 'x-option'], false, /only a field or a parameter can be an option/),
  refuse('an x-type-name of a field', [...field(reply, 'id'), 'x-type-name'], 'Id', /only a schema of components/),
  ...['a-b', 'a b'].map((name) => ({
    what: `a group ${name}`,
    set: [[['tags', 0, 'name'], name]] as const,
    at: ['tags', 0, 'name'],
    says: /must be a letter, then letters/,
  })),
  refuse('a group twice', ['tags', 1, 'name'], 'chat', /declared twice/),
  {
    what: 'two ids with one constant',
    // `chat.createAsync` is in the document.
    set: [
      [['tags', 0, 'name'], 'chat'],
      [['tags', 1, 'name'], 'chatCreate'],
      [[...rerank, 'tags'], ['chatCreate']],
      [[...rerank, 'operationId'], 'chatCreate.async'],
    ],
    at: [...rerank, 'operationId'],
    says: /chatCreate\.async has the name chatCreateAsync in the code/,
  },
  // References.
  refuse(
    'properties beside a reference',
    field(reply, 'usage'),
    { $ref: '#/components/schemas/RerankRequest', properties: { a: text } },
    /lost beside \$ref: write allOf/,
    'properties',
  ),
  refuse('required beside the reference of a body', [...rerankBody, 'schema', 'required'], ['top_n'], /lost beside \$ref: write allOf/),
  refuse(
    'a reference to another file',
    bodyReference,
    'other.yaml#/A',
    /is another file: npx redocly bundle openapi\.yaml -o bundled\.yaml writes one document/,
  ),
  refuse(
    'a reference into a schema',
    bodyReference,
    '#/components/schemas/RerankRequest/properties/query',
    /must name a part of components\.schemas/,
  ),
  refuse('a schema by the reference of a response', bodyReference, '#/components/responses/BadRequest', /must name a part of components\.schemas/),
  {
    what: 'a loop of references',
    set: [
      [[...schemas, 'A'], { $ref: '#/components/schemas/B' }],
      [[...schemas, 'B'], { $ref: '#/components/schemas/A' }],
    ],
    at: [...schemas, 'B', '$ref'],
    says: /refers to itself/,
  },
  {
    what: 'a loop of allOf',
    set: [
      [[...schemas, 'A'], { allOf: [{ $ref: '#/components/schemas/B' }] }],
      [[...schemas, 'B'], { anyOf: [{ $ref: '#/components/schemas/A' }] }],
    ],
    at: [...schemas, 'B', 'anyOf', 0, '$ref'],
    says: /refers to itself/,
  },
  {
    what: 'a response that is a reference twice',
    set: [
      [['components', 'responses', 'Again'], { $ref: '#/components/responses/BadRequest' }],
      [[...rerank, 'responses', '400'], { $ref: '#/components/responses/Again' }],
    ],
    at: [...rerank, 'responses', '400', '$ref'],
    says: /is a reference too/,
  },
  ofChange(
    'a shared reply to errors',
    refuse('a description beside the reference of a response', [...rerank, 'responses', '400', 'description'], 'Bad.', /lost beside \$ref/),
  ),
  refuse('a path in another file', ['paths', '/rerank', '$ref'], 'rerank.yaml', /is another file: npx redocly bundle/),
  refuse('a path by reference', ['paths', '/rerank', '$ref'], '#/x', /write the operations here/),
  // Types that would be others.
  refuse('anyOf beside properties', extra, object({ a: text }, { anyOf: [object({ b: text })] }), /write allOf with both/, 'anyOf'),
  refuse('oneOf beside a type', extra, { ...text, oneOf: [{ minLength: 1 }] }, /write allOf with both/, 'oneOf'),
  refuse('items without a type', extra, { description: 'A list.', items: text }, /type: array/, 'items'),
  refuse('open words without a type', extra, { description: 'A word.', 'x-extensible-enum': ['a'] }, /without type/, 'x-extensible-enum'),
  refuse('a required field that is not one', [...schemas, reply, 'required'], ['modle'], /modle is no field of the type/, 0),
  refuse(
    'a branch of allOf that only requires',
    extra,
    { description: 'More.', allOf: [ofRequest, { required: ['top_n'] }] },
    /write required beside allOf/,
    'allOf',
    1,
    'required',
    0,
  ),
  ofChange(
    'an open list of words',
    refuse('oneOf in a request', topN, { description: 'x', oneOf: [{ type: 'integer' }] }, /in a request needs support/, 'oneOf'),
  ),
  ofChange('a new event of a stream', {
    what: 'events without a schema',
    set: [[[...stream, 'x-event-schema'], undefined]],
    at: stream,
    says: /a stream needs/,
  }),
  refuse(
    'a stream that no protocol reads',
    [...rerank, 'responses', '200', 'content', 'text/event-stream'],
    { schema: text, 'x-event-schema': { $ref: '#/components/schemas/RerankResponse' }, examples: { one: { value: 'data: {"results":[]}\n\n' } } },
    /no protocol reads this stream: add rerankCreate to src\/overlay\/streams\/protocols\.ts, with how an item is read and how the stream ends/,
  ),
  ofChange('a field that may be null', refuse('nullable', [...field('FileObject', 'bytes'), 'nullable'], true, /write type: \[\.\.\., 'null'\]/)),
  ofChange('a deprecated parameter', refuse('a tag in a parameter', [...page, 'description'], 'Gone. @deprecated', /write it in backticks/)),
  ofChange('a split operation', {
    what: 'a copy with the same id',
    text: (t) => copied(t, 'rerank.create'),
    at: ['paths', '/rerank/batch', 'post', 'operationId'],
    says: /is taken by POST \/rerank/,
  }),
  ...(
    [
      ['readOnly', true],
      ['patternProperties', {}],
      ['$defs', {}],
      ['example', 'a'],
      ['contentEncoding', 'base64'],
      ['xml', {}],
    ] as const
  ).map(([key, value]) => ({
    what: `the keyword ${key}`,
    set: [[[...field(reply, 'id'), key], value]] as const,
    at: [...field(reply, 'id'), key],
    says: new RegExp(`unsupported keyword ${key.replace('$', '\\$')}: `),
  })),
  refuse('a discriminator of one schema', [...field(reply, 'id'), 'discriminator'], { propertyName: 'a' }, /needs oneOf or anyOf/),
  refuse('a discriminator without its field', extra, { ...union, discriminator: {} }, /the name of a field/, 'discriminator', 'propertyName'),
  refuse('a discriminator without its value', extra, { ...union, oneOf: [object({ kind: text })] }, /has no word of kind/, 'oneOf', 0),
  {
    what: 'a discriminator of another value',
    set: [
      [[...schemas, 'Cat'], object({ kind: { const: 'cat', description: 'x' } })],
      [extra, { ...union, oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: 'kind', mapping: { dog: 'Cat' } } }],
    ],
    at: [...extra, 'discriminator', 'mapping', 'dog'],
    says: /no branch Cat has kind dog/,
  },
  refuse('a oneOf with a discriminator in a request', field(request, 'extra'), union, /oneOf in a request needs support/, 'oneOf'),
  // Root and key.
  ofChange('an endpoint on another root', refuse('servers of one operation', [...rerank, 'servers'], [], /write servers at the path/)),
  refuse('a server without a surface', ['servers', 0, 'x-surface'], undefined, /missing: a server needs/),
  refuse(
    'a second root of a surface',
    ['paths', '/rerank', 'servers'],
    [{ url: 'https://other.example', 'x-surface': 'chat' }],
    /the surface chat global has the root/,
    0,
    'url',
  ),
  {
    what: 'a surface without a root in china',
    set: [[['paths', '/rerank', 'servers'], [{ url: 'https://other.example', 'x-surface': 'rank' }]]],
    at: ['servers'],
    says: /rank global has no root in the region china/,
  },
  refuse('a root with variables', ['servers', 0, 'url'], 'https://{host}/v4', /absolute URL without variables/),
  refuse('variables of a server', ['servers', 0, 'variables'], {}, /one server for each URL/),
  refuse('security of an operation', [...rerank, 'security'], [], /takes the key of the document/),
  refuse(
    'statuses of an answer without that of a failure',
    [...rerank, 'x-failed-status'],
    { answers: ['done'] },
    /must be a text, or \{ failed, answers \}/,
  ),
  refuse('no security', ['security'], undefined, /missing: the document needs/),
  { what: 'security by choice', set: [[['security', 1], {}]], at: ['security'], says: /bearer key alone/ },
  refuse('a key in a header', ['components', 'securitySchemes', 'bearer'], { type: 'apiKey', in: 'header', name: 'x-key' }, /must be http/, 'type'),
  // Serialization.
  refuse('a list by commas', [...page, 'explode'], false, /with explode: true/),
  refuse('a list by pipes', [...page, 'style'], 'pipeDelimited', /must be form, simple or deepObject/),
  refuse('a path in matrix form', [...oneFile, 'parameters', 0, 'style'], 'matrix', /must be form/),
  refuse('reserved characters in a query', [...page, 'allowReserved'], true, /encodes every reserved character/),
  refuse('a parameter by content', [...page, 'content'], {}, /write schema/),
  {
    what: 'a query object in the default form',
    set: [[[...page, 'schema'], { anyOf: [{ type: 'object' }, { type: 'string' }] }]],
    at: [...page, 'style'],
    says: /style deepObject/,
  },
  refuse(
    'a list inside of a query object',
    page,
    { ...header('filter'), in: 'query', style: 'deepObject', schema: object({ by: many }), example: { by: ['a'] } },
    /a query object has texts, numbers and switches: write a list as a parameter of its own/,
    'schema',
    'properties',
    'by',
    'type',
  ),
  refuse('a cookie', [...page, 'in'], 'cookie', /must be path, query or header/),
  ...([words('{"enum":["a"]}'), typed('integer', {}), typed('null', {}), { anyOf: [typed('string', {}), ofRequest] }] as const).flatMap((value) =>
    (['body', 'reply'] as const).map((way) => {
      const at = way === 'body' ? rerankBody : rerankReply;
      const step = 'anyOf' in value ? ['anyOf', 0, 'type'] : ['type'];
      const says = new RegExp(`no method ${way === 'body' ? 'sends' : 'reads'} JSON that is neither an object nor a list`);
      return refuse(`${JSON.stringify(value)} as the ${way}`, [...at, 'schema'], value, says, ...step);
    }),
  ),
  refuse('a list in a path', [...oneFile, 'parameters', 0, 'schema'], { type: 'array', items: text }, /a path has a text, a number or a switch/),
  // Media types.
  ...['application/x-www-form-urlencoded', 'application/octet-stream', '*/*', 'text/plain'].map((type) => ({
    what: `a body of ${type}`,
    text: renamed([...rerank, 'requestBody', 'content'], type),
    at: [...rerank, 'requestBody', 'content', type],
    says: /must be application\/json, application\/\*\+json or multipart/,
  })),
  ...['*/*', 'text/json', 'text/plain'].map((type) => ({
    what: `a reply of ${type}`,
    text: renamed([...rerank, 'responses', '200', 'content'], type),
    at: [...rerank, 'responses', '200', 'content', type],
    says: /must be application\/json, application\/\*\+json, text\/event-stream or the type of a file/,
  })),
  {
    what: 'a reply of bytes with a schema of JSON',
    text: renamed([...rerank, 'responses', '200', 'content'], 'application/zip'),
    at: [...rerank, 'x-expected'],
    says: /only operations with a JSON reply/,
  },
  {
    what: 'a second media type of a body',
    set: [[[...rerank, 'requestBody', 'content', 'multipart/form-data'], { schema: object({ a: text }) }]],
    at: [...rerank, 'requestBody', 'content'],
    says: /one media type/,
  },
  refuse(
    'two media types that are one to the client',
    [...rerank, 'responses', '200', 'content', 'application/vnd.rank+json'],
    { schema: { type: 'object' } },
    /the same to the client as application\/json/,
  ),
  refuse('HEAD', ['paths', '/rerank', 'head'], {}, /has no such method/),
  refuse('a second success', [...rerank, 'responses', '201'], { description: 'Made.' }, /has the success 200: write one/),
  refuse('a success of 205', [...rerank, 'responses', '205'], { description: 'Reset.' }, /must be one of 200 to 204/),
  {
    what: 'a response that is default alone',
    text: renamed([...rerank, 'responses'], 'default'),
    at: [...rerank, 'responses'],
    says: /rerank\.create has no 200 response, nor one of 201 to 204/,
  },
  { what: 'a 204 with content', text: renamed([...rerank, 'responses'], '204'), at: [...rerank, 'responses', '204'], says: /has no content in HTTP/ },
  refuse('a range of statuses', [...rerank, 'responses', '4XX'], { description: 'Bad.' }, /must be one of 200 to 204, a status from 400/),
  {
    what: 'a success without content',
    set: [
      [[...rerank, 'responses', '200', 'content'], undefined],
      [[...rerank, 'x-expected'], undefined],
    ],
    at: [...rerank, 'responses', '200'],
    says: /needs content/,
  },
  {
    what: 'a merge key in responses',
    text: (t) => t.replace('  /rerank:\n    post:\n', '  /rerank:\n    post:\n      <<: {}\n'),
    at: [],
    says: /merge keys/,
  },
  refuse('inline bytes in a body of JSON', field(request, 'image'), typed('string', { format: 'binary' }), /JSON has no bytes/, 'format'),
  refuse('bytes in a reply of JSON', field(reply, 'image'), typed('string', { format: 'binary' }), /JSON has no bytes/, 'format'),
  ...(['image/png, image/jpeg', 'image/*'] as const).map((type) =>
    refuse(`a part of ${type}`, [...encoding, 'file'], { contentType: type }, /must be one media type/, 'contentType'),
  ),
  refuse('a text as JSON in a form', [...encoding, 'purpose'], { contentType: 'application/json' }, /is a text, not JSON/, 'contentType'),
  {
    what: 'an object as XML in a form',
    set: [
      [part, object({})],
      [encoding, { more: { contentType: 'text/xml' } }],
    ],
    at: [...encoding, 'more', 'contentType'],
    says: /an object is sent as JSON/,
  },
  refuse('the encoding of a part that is not one', encoding, { nobody: { style: 'form' } }, /has no field nobody/, 'nobody'),
  refuse('one example of a body', [...rerankBody, 'example'], {}, /write examples/),
  refuse('callbacks', [...rerank, 'callbacks'], {}, /receives no calls/),
  refuse('webhooks', ['webhooks'], {}, /receives no calls/),
  refuse('a misspelt key of an operation', [...rerank, 'sumary'], 'x', /unknown key sumary of an operation; use one of operationId/),
  refuse('a misspelt key of a parameter', [...page, 'requird'], true, /unknown key requird of a parameter/),
  refuse('a list for a map', [...rerank, 'responses'], [], /must be a map/),
  refuse('a text for a switch', [...rerank, 'requestBody', 'required'], 'yes', /must be true or false/),
  // Words.
  ...(
    [
      ['oneOf', request, {}],
      ['anyOf', request, {}],
      ['oneOf', reply, { type: 'string' }],
      ['anyOf', reply, {}],
    ] as const
  ).map(([key, schema, more]) =>
    refuse(
      `words with a description each, by ${key} in ${schema}`,
      field(schema, 'mode'),
      { description: 'M.', ...more, [key]: ['a', 'b'].map((word) => ({ const: word, description: 'W.' })) },
      /a choice of words is one list: write enum: \["a","b"\]/,
      key,
    ),
  ),
  refuse(
    'a pattern with a choice in a request',
    [...functionName, 'pattern'],
    '^(get|set)$',
    /without groups and \|; write enum for a choice of words/,
  ),
  refuse('an empty description', [...field(reply, 'id'), 'description'], '', /must be a text with at least one character, or left out/),
  refuse('const: null', extra, { const: null, description: 'x' }, /write type: 'null'/, 'const'),
  refuse('an object as const', extra, { const: { a: 1 }, description: 'x' }, /write properties or items/, 'const'),
  refuse('an object in an enum', extra, { enum: [{ a: 1 }], description: 'x' }, /write properties or items/, 'enum', 0),
  refuse('an enum of another type', extra, typed('integer', { enum: ['a'] }), /"a" is not of type integer/, 'enum', 0),
  refuse('open words of another type', extra, typed('string', { 'x-extensible-enum': [1] }), /1 is not of type string/, 'x-extensible-enum', 0),
  {
    what: 'a limit of int64',
    text: (t) => t.replace('    RerankRequest:\n', '    RerankRequest:\n      maxProperties: 9223372036854775807\n'),
    at: [],
    says: /no exact number/,
  },
  refuse('an empty range', topN, typed('integer', { minimum: 5, maximum: 4 }), /no value is from minimum 5 to maximum 4/, 'maximum'),
  refuse('an empty exclusive range', topN, typed('integer', { exclusiveMinimum: 4, maximum: 4 }), /no value is from exclusiveMinimum 4/, 'maximum'),
  refuse('an empty range of lengths', field(request, 'extra'), words('{"minLength":3,"maxLength":2}'), /no value is from/, 'maxLength'),
  refuse('a default that breaks its schema', topN, typed('integer', { default: 'many' }), /does not fit its schema: must be integer/, 'default'),
  refuse('an example of a schema that breaks it', extra, typed('integer', { examples: ['many'] }), /does not fit its schema/, 'examples', 0),
  refuse(
    'a tag in a sentence',
    extra,
    { type: 'string', default: 'a', description: 'Use a, not @deprecated b.' },
    /write it in backticks/,
    'description',
  ),
  refuse(
    'a deprecated operation whose method is not',
    [...rerank, 'deprecated'],
    true,
    /rerank\.create in src\/overlay calls rerank\.create: add @deprecated to its doc comment/,
  ),
  refuse('a tag in a summary', [...rerank, 'summary'], 'Rank. @deprecated', /write it in backticks/),
  refuse('a tag in a default', extra, { ...text, default: '@deprecated' }, /write it in backticks/, 'default'),
  refuse('a root with a slash at its end', ['servers', 0, 'url'], 'https://api.z.ai/api/paas/v4/', /without \/ at its end/),
  refuse('a parameter without a name', [...page, 'name'], undefined, /missing: a parameter needs name, in, schema/),
  refuse('a parameter without a schema', [...page, 'schema'], undefined, /missing: a parameter needs/),
  refuse('a media type without a schema', [...rerankBody, 'schema'], undefined, /missing: a media type needs schema/),
  refuse('two forms of examples', [...page, 'examples'], { a: { value: 'b' } }, /lost beside example/),
  refuse('a document without paths', ['paths'], undefined, /missing: the document needs/),
  refuse('a schema named like a constant', [...schemas, 'rerankCreate'], object({}), /the name of rerank\.create in the code/),
  {
    what: 'a type that is declared nowhere',
    set: [[extra, { ...text, 'x-typescript': 'Nobody' }]],
    at: [...schemas, reply],
    says: /would not compile: Cannot find name 'Nobody'/,
  },
  refuse('items beside prefixItems', extra, typed('array', { prefixItems: [text], items: text }), /beside prefixItems/, 'items'),
  refuse('a range of a text', field(request, 'extra'), { ...text, minimum: 3 }, /no effect on type string: it is for number or integer/, 'minimum'),
  refuse('fields of a text', extra, { ...text, properties: { a: text } }, /no effect on type string: it is for object/, 'properties'),
  refuse('null beside allOf', extra, { type: ['object', 'null'], allOf: [ofRequest], description: 'x' }, /write anyOf of both/, 'type'),
  ...['Authorization', 'X-Api-Key', 'Cookie', 'Host', 'Content-Length'].map((name) =>
    ofChange('a new header', refuse(`a header ${name}`, [...rerank, 'parameters'], [header(name)], new RegExp(`sets ${name} itself`), 0)),
  ),
  refuse('a header with a blank', [...rerank, 'parameters'], [header('x tenant')], /no name of a header/, 0, 'name'),
  refuse('an object in a header', [...rerank, 'parameters'], [header('x-tenant', object({}))], /a text, a number or a list/, 0, 'schema'),
  refuse(
    'a required header that may be empty',
    [...rerank, 'parameters'],
    [{ ...header('x-tenant'), required: true }],
    /x-tenant may be empty/,
    0,
    'schema',
  ),
  refuse('a path with a query', ['paths', '/later?x=1'], {}, /have no query/),
  refuse('two paths of the same URLs', ['paths', '/files/{other}'], {}, /matches the same URLs as \/files\/\{file_id\}/),
  refuse('a file in an object of a form', part, object({ file }), /a field of its own/, 'properties', 'file', 'format'),
  refuse('a list of lists in a form', part, { ...many, items: many }, /no list of lists/, 'items'),
  ofChange(
    'a file that becomes a list',
    refuse('a file or a text in a form', part, { description: 'x', anyOf: [file, text] }, /is file or text in a form/),
  ),
  refuse('a list of words in a form', part, { type: 'array', items: words('{"enum":["a","b"]}'), description: 'W.' }, /for more into encoding/),
  {
    what: 'a list of several texts in a form',
    set: [
      [part, { type: 'array', items: text, minItems: 2, description: 'W.' }],
      [[...encoding, 'more'], { style: 'form', explode: true }],
    ],
    at: [...part, 'minItems'],
    says: /Prism, the mock, reads one text/,
  },
  {
    what: 'a parameter of a path with a dot',
    text: (t) => t.replaceAll('file_id}', 'file.id}').replaceAll('name: file_id', 'name: file.id'),
    at: ['parameters'],
    says: /serves no path with \{file\.id\}/,
  },
  // Facts, examples and rules.
  refuse(
    'a $ref that leads nowhere',
    [...chatBody, 'schema', '$ref'],
    '#/components/schemas/Nobody',
    /#\/components\/schemas\/Nobody does not exist/,
  ),
  refuse('a $ref deep in a schema that leads nowhere', [...field('Tool', 'function'), '$ref'], '#/components/schemas/Nobody', /does not exist/),
  refuse(
    'an operation id that is taken',
    [...asyncChat, 'operationId'],
    'chat.create',
    /operationId chat\.create is taken by POST \/chat\/completions/,
  ),
  refuse('an operation without a group', [...asyncChat, 'tags'], undefined, /exactly one declared group/),
  refuse('an operation of a group that nobody declared', [...asyncChat, 'tags', 0], 'nonsense', /exactly one declared group/, up),
  refuse('a JSON operation that does not say what it expects', [...asyncChat, 'x-expected'], undefined, /must list fields of the reply/),
  refuse('a promise that the reply has no field for', [...asyncChat, 'x-expected', 0], 'nonsense', /the reply has no field nonsense/, up),
  refuse('an operation without a request example', [...asyncBody, 'examples'], undefined, /chat\.createAsync has no request example/, up),
  refuse(
    'an operation without a reply example',
    [...asyncReply, 'examples'],
    undefined,
    /chat\.createAsync has no example for 200 application\/json/,
    up,
  ),
  refuse(
    'a request example that does not fit',
    [...asyncBody, 'examples', 'text', 'value', 'messages'],
    'hi',
    /the example does not fit its schema: \/messages must be array/,
  ),
  refuse(
    'a reply example that does not fit',
    [...asyncReply, 'examples', 'processing', 'value', 'id'],
    5,
    /the example does not fit its schema: \/id must be string/,
  ),
  refuse(
    'a stream example with a frame that is no JSON',
    [...stream, 'examples', 'text', 'value'],
    'data: {"id":\n\n',
    /a data line is not JSON/,
    up,
  ),
  refuse(
    'a keyword that the pipeline would drop',
    [...field('Tool', 'function'), 'unevaluatedProperties'],
    false,
    /unsupported keyword unevaluatedProperties/,
  ),
  refuse('a type that is not one', [...field('ChatRequest', 'seed'), 'type'], 'strng', /not JSON Schema/),
  refuse('a pattern that is not one', [...functionName, 'pattern'], '^[a-z', /not a regular expression/),
  refuse('a pattern that can take more than linear time', [...functionName, 'pattern'], '^([a-z]+)+$', /may take more than linear time/),
  refuse(
    'a request rule that violations.ts cannot apply',
    [...field(request, 'documents'), 'uniqueItems'],
    true,
    /the keyword uniqueItems in a request needs support/,
  ),
  refuse(
    'an evidence word of one’s own',
    [...asyncChat, 'x-evidence'],
    'hearsay',
    /must be one of documented, recorded, reported, sdk-only, unconfirmed/,
  ),
  refuse('an older version of OpenAPI', ['openapi'], '3.0.3', /must be 3\.1\.0, 3\.1\.1 or 3\.1\.2, not 3\.0\.3/),
  refuse('an older version of OpenAPI, as a number', ['openapi'], 3.0, /must be 3\.1\.0, 3\.1\.1 or 3\.1\.2, not 3/),
  refuse(
    'a path parameter that is not declared',
    [...oneFile, 'parameters'],
    undefined,
    /the path has \{file_id\}, and no parameter of that name is declared/,
    up,
  ),
  refuse('a path parameter that the path lacks', [...oneFile, 'parameters', 0, 'name'], 'id', /the path has no \{id\}/, up),
  refuse('a path parameter that may be left out', [...oneFile, 'parameters', 0, 'required'], false, /a path parameter is required/, up),
  refuse('a parameter in a place that is not one', [...oneFile, 'parameters', 0, 'in'], 'url', /must be path, query or header/),
  refuse(
    'a misspelt extension of a field',
    [...field('ChatRequest', 'seed'), 'x-evidnce'],
    'sdk-only',
    /unknown extension x-evidnce; use one of .*x-evidence/,
  ),
  refuse('a misspelt extension of an operation', [...asyncChat, 'x-bill'], true, /unknown extension x-bill;/),
  refuse('an extension whose value would be ignored', [...asyncChat, 'x-bills'], 'yes', /must be true or false/),
  refuse(
    'a required text of a request that may be empty',
    [...field('ChatRequest', 'model'), 'minLength'],
    undefined,
    /the required text model may be empty: add minLength: 1, or minLength: 0 if it may/,
    up,
  ),
  refuse(
    'a required text of a request whose pattern allows none',
    [...functionName, 'pattern'],
    '^[a-z]*$',
    /the required text name may be empty/,
    up,
  ),
  refuse(
    'a required text of a query that may be empty',
    [...files, 'parameters', 0, 'schema', 'minLength'],
    undefined,
    /the required text purpose may be empty/,
    up,
  ),
  refuse(
    'a word of evidence without a source',
    ['paths', '/account/info', 'get', 'x-evidence'],
    'documented',
    /x-sources has no source for documented on biz/,
    up,
  ),
  seenAt(
    ['paths', '/subscription/list', 'get'],
    refuse(
      'a source without a date',
      ['x-sources', 'biz', 'reported', 0],
      'public captures',
      /source public captures of operation:account\.subscriptions must end in a date/,
    ),
  ),
  refuse('a source without a word of evidence', [...field('Tool', 'type'), 'x-source'], ['page 2026-10'], /needs x-evidence beside it/),
  refuse(
    'a refusal without a code',
    [...chat, 'x-refuses', 0, 'code'],
    undefined,
    /must be a list of refusals with name, when, status, code/,
    up,
    up,
  ),
  refuse(
    'a default without a condition',
    [...field('Thinking', 'clear_thinking'), 'x-defaults', 0, 'when'],
    undefined,
    /must be a list of defaults with when and value/,
    up,
    up,
  ),
  seenAt(
    [...chat, 'x-refuses', 0],
    refuse(
      'two refusals of one name',
      [...chat, 'x-refuses', 1, 'name'],
      'model_with_1m',
      /claim refusal:chat\.create\.model_with_1m is made here and at spec\/openapi\.yaml#\/paths\/~1chat~1completions\/post\/x-refuses\/model_with_1m/,
    ),
  ),
  refuse(
    'an operation whose span is undecided',
    [...asyncChat, 'x-otel'],
    undefined,
    /must be none, or \{ operation, output\? \} with operation one of chat, /,
  ),
  refuse('a span with an unknown operation name', [...asyncChat, 'x-otel', 'operation'], 'nonsense', /must be none, or /, up),
  {
    what: 'a parameter declared twice',
    set: [[[...oneFile, 'parameters', 1], { name: 'file_id', in: 'path', required: true, description: 'F.', schema: text, example: 'a' }]],
    at: [...oneFile, 'parameters', 1],
    says: /file_id is declared twice/,
  },
  // Forms that other generators write.
  {
    what: 'a reply of text/csv',
    text: renamed([...rerank, 'responses', '200', 'content'], 'text/csv'),
    at: [...rerank, 'responses', '200', 'content', 'text/csv'],
    says: /write another text as application\/octet-stream/,
  },
  refuse('a closed request', [...schemas, request, 'additionalProperties'], false, /may have unknown fields.*leave it out/),
  refuse('a field that is never allowed', field(request, 'extra'), false, /write type: 'null'/),
  refuse(
    'two closed objects in allOf',
    extra,
    { description: 'Both.', allOf: [object({ a: text }, { additionalProperties: false }), object({ b: text }, { additionalProperties: false })] },
    /excludes b of another part/,
    'allOf',
  ),
  refuse('files of any name', [...schemas, 'FileUploadRequest', 'additionalProperties'], file, /a field of its own/, 'format'),
  refuse('a field with the name of an option', field('FileUploadRequest', 'filename'), text, /filename is an option of every upload/),
  // YAML.
  { what: 'an empty file', text: () => '', at: [], says: /must be a map/ },
  { what: 'an alias without anchor', text: (t) => t.replace('security:\n', 'security: *none\nx-confirmed:\n'), at: [], says: /no anchor before it/ },
  { what: 'a directive of YAML', text: (t) => `%YAML 1.1\n---\n${t}`, at: [], says: /%YAML directive/ },
  { what: 'two documents', text: (t) => `${t}\n---\na: 1\n`, at: [], says: /multiple documents/ },
  { what: 'an unknown tag', text: (t) => t.replace('openapi: 3.1.0', 'openapi: !version 3.1.0'), at: [], says: /Unresolved tag: !version/ },
  {
    what: 'an alias inside its own anchor',
    text: (t) => t.replace('security:\n', 'security: &key\n  - *key\n'),
    at: [],
    says: /inside its own anchor/,
  },
];

/** Edits of the other files of `spec/`. */
const refusedRows: Readonly<Record<Exclude<Part, 'openapi'>, readonly Refused[]>> = {
  codes: [
    refuse('a business code of a source without a name', ['codes', 1, 'source', 1], 'hearsay', /hearsay is not among the sources/),
    seenAt(
      ['codes', 1],
      refuse(
        'a business code with a source without a date',
        ['sources', 'G', 'source', 0],
        'global docs',
        /source global docs of code:1000 must end in a date/,
      ),
    ),
    refuse('a misspelt field of a business code', ['codes', 0, 'backof'], 2, /unknown field backof; use one of code, status, category/),
    refuse('a category that is not one', ['codes', 0, 'category'], 'nonsense', /must be one of auth, account/),
    refuse('a business code without a text', ['codes', 0, 'message'], undefined, /missing/),
    refuse('two rows for one business code', ['codes', 1, 'code'], '401', /code 401 has two rows/),
  ],
  models: [
    refuse('a refusal of a model that is not described', ['refusals', 'plan'], undefined, /missing, and glm-5\.3-flashx has it/),
    seenAt(
      ['services', 0],
      refuse(
        'two prices of one name',
        ['services', 1, 'name'],
        'picture of glm-image',
        /claim price:service\.picture of glm-image is made here and at /,
      ),
    ),
    refuse('a misspelt field of a model', ['models', 1, 'contxt_tokens'], 128000, /unknown field contxt_tokens; use one of .*context_tokens/),
    refuse('a misspelt field of a price', ['models', 0, 'prices', 0, 'ouput'], 1, /unknown field ouput; use one of input, output/),
    refuse('a word for a number of a model', ['models', 1, 'context_tokens'], 'plenty', /must be integer/),
    refuse('a word for a price', ['models', 0, 'prices', 0, 'input'], 'free', /must be number/),
    refuse('a price without a source', ['models', 0, 'prices', 0, 'source'], undefined, /missing/),
    refuse('a source without a date', ['models', 0, 'source', 0], 'somewhere', /must match pattern/),
    refuse('an evidence word of one’s own for a model', ['models', 0, 'evidence'], 'hearsay', /must be one of documented, recorded/),
    refuse('a default model that the vendor is to retire', ['defaults', 'text'], 'glm-4.5', /glm-4.5 has no row with status current/),
    refuse('a class of effort without a model', ['effort', 'classes', 2, 'of', 'family'], 'GLM-9', /no model has this class/, up),
    refuse(
      'a class of effort with a field that its models refuse',
      ['effort', 'classes', 0, 'chat', 'off', 'send', 'thinking', 'type'],
      'disabled',
      /glm-5.3 refuses it/,
      up,
      up,
      up,
    ),
    refuse('an unknown word of effort', ['models', 0, 'effort', 0], 'ultra', /ultra is not among the words of effort/, up),
    refuse('a model of the plan without a row', ['models', 0, 'plan_model'], 'glm-9', /glm-9 has no row/),
    {
      what: 'a price without a number',
      set: ['input', 'output'].map((name) => [['models', 0, 'prices', 0, name], undefined]),
      at: ['models', 0, 'prices', 0, 'input'],
      says: /missing/,
    },
    refuse('two rows for one model', ['models', 1, 'id'], 'glm-5.3', /has two rows/),
    {
      what: 'a model without a class of effort',
      set: [
        [['effort', 'classes', 5], undefined],
        [['models', 0, 'thinking'], 'none'],
      ],
      at: ['models', 0, 'thinking'],
      says: /glm-5.3 has no class in effort/,
    },
  ],
};

/** Edits that follow the page on changes of vendors, and edits that it lists as refused. */
const changes: readonly (Held & { readonly change: string })[] = [
  {
    change: 'an open list of words',
    what: 'a text or one of its words',
    set: [[field(request, 'mode'), { description: 'M.', anyOf: [{ ...text, minLength: 1 }, words('{"enum":["fast","exact"]}')] }]],
    has: [
      [types, /mode\?: \(string & \{\}\) \| \("fast" \| "exact"\) \| null/],
      [rules, /mode: \{\s*anyOf: \[\{ type: 'string', minLength: 1 \}, \{ type: 'string', enum: \['fast', 'exact'\] \}\]/],
    ],
  },
  {
    change: 'a new event of a stream',
    what: 'a second schema of the events',
    set: [
      [[...schemas, 'ChatNote'], object({ note: text })],
      [[...stream, 'x-event-schema'], { anyOf: [{ $ref: '#/components/schemas/ChatChunk' }, { $ref: '#/components/schemas/ChatNote' }] }],
    ],
    has: [[types, /interface ChatNote \{[^}]*note\?: string/]],
  },
  {
    change: 'a field that may be null',
    what: 'a type with null',
    set: [
      [
        [...field('FileObject', 'bytes'), 'type'],
        ['integer', 'null'],
      ],
    ],
    has: [[types, /bytes\?: number \| null/]],
  },
  {
    change: 'a renamed schema',
    what: 'a new name, and the old one in the client',
    text: (t) => t.replaceAll(request, 'RankRequest').replace('    RankRequest:\n', `    RankRequest:\n      x-type-name: ${request}\n`),
    has: [
      [types, /interface RerankRequest/],
      [rules, /const RankRequest: Rule/],
      [routes, /body: RankRequest/],
    ],
  },
  {
    change: 'an endpoint on another root',
    what: 'the root of another surface',
    text: (t) => {
      const spec = parseDocument(t);
      const other = spec.getIn(['paths', '/account/info', 'servers']) as { toJSON(): unknown };
      spec.setIn(['paths', '/rerank', 'servers'], spec.createNode(other.toJSON()));
      spec.setIn([...rerank, 'x-evidence'], 'sdk-only');
      return print(spec);
    },
    has: [[routes, /id: 'rerank\.create'[^}]*surface: 'biz'/]],
  },
  {
    change: 'a file that becomes a list',
    what: 'a file or a list of them',
    set: [[field('FileUploadRequest', 'file'), { description: 'F.', anyOf: [file, { ...many, maxItems: 3 }] }]],
    has: [
      [types, /file: FileSource \| readonly FileSource\[\]/],
      [rules, /file: \{ allOf: \[\{ maxItems: 3 \}\] \}/],
      [routes, /id: 'files\.upload'[^}]*parts: \{ file: \{ files: 'many' \}/],
    ],
  },
  {
    change: 'a deprecated parameter',
    what: 'a parameter with deprecated',
    set: [[[...page, 'deprecated'], true]],
    has: [['src/generated/operations.ts', /@deprecated/]],
  },
  {
    change: 'a new header',
    what: 'a required header, and one of the reply',
    set: [
      [[...rerank, 'parameters'], [{ ...header('x-tenant', { type: 'string', minLength: 1 }), required: true }]],
      [[...rerank, 'responses', '200', 'headers', 'x-left'], { description: 'L.', schema: { type: 'integer' }, example: 1 }],
    ],
    has: [
      ['src/generated/operations.ts', /"x-tenant": string[\s\S]*"x-left"\?: number/],
      [rules, /'x-tenant': \{ type: 'string', minLength: 1 \} \}, required: \['x-tenant'\]/],
      [routes, /headerParameters: \["x-tenant"\]/],
    ],
  },
  {
    change: 'a split operation',
    what: 'a copy at another path, with an id of its own',
    text: (t) => copied(t, 'rerank.batch'),
    has: [[routes, /const rerankBatch: Route<operations\['rerank\.batch'\]>/]],
  },
  {
    change: 'a shared reply to errors',
    what: 'a response of components',
    text: (t) => {
      const spec = parseDocument(t);
      spec.setIn(['components', 'responses', 'Busy'], spec.getIn(['components', 'responses', 'BadRequest'], true));
      spec.setIn([...rerank, 'responses', '503'], spec.createNode({ $ref: '#/components/responses/Busy' }));
      return print(spec);
    },
    has: [['src/generated/operations.ts', /503: components\["responses"\]\["Busy"\]/]],
  },
];

/** A second path with the same operation. */
function copied(whole: string, id: string): string {
  const spec = parseDocument(whole);
  const { operationId: _, ...others } = (spec.getIn(rerank) as { toJSON(): Record<string, unknown> }).toJSON();
  spec.setIn(['paths', '/rerank/batch', 'post'], spec.createNode({ operationId: id, ...others }));
  return print(spec);
}

const keywords = ['then', 'else', 'if', 'contains', 'x-tag', 'description', 'examples', 'format', 'default', 'required', '$ref', 'not'];

const held: readonly Held[] = [
  ...changes,
  ...['3.1.1', '3.1.2'].map((version) => ({
    what: `OpenAPI ${version}`,
    text: (t: string) => t.replace('openapi: 3.1.0', `openapi: ${version}`),
    has: [[routes, /rerankCreate/]] as const,
  })),
  {
    what: 'a field that is no option, and one whose switch is on',
    set: [
      [[...field(request, 'top_n'), 'x-option'], false],
      [field(request, 'tidy'), { type: 'boolean', default: true, description: 'Tidy the texts. Slow.' }],
      [field(request, 'tone'), { type: 'string', 'x-extensible-enum': ['dry', 'warm'], default: 'dry', description: 'The tone.' }],
    ],
    has: [
      ['src/generated/options.ts', /field: 'tidy', name: 'no-tidy', kind: 'flag', off: true, summary: 'Turn this off: tidy the texts'/],
      ['src/generated/options.ts', /field: 'tone', known: \['dry', 'warm'\], summary: 'The tone', default: 'dry'/],
      ['src/generated/options.ts', /^(?![\s\S]*'top_n')/],
    ],
  },
  {
    what: 'a pattern with a choice in a reply',
    set: [[field(reply, 'choice'), { ...text, pattern: '^(get|set)+$' }]],
    has: [[types, /choice\?: string/]],
  },
  {
    what: 'fields that are named like keywords',
    set: keywords.flatMap((name) => [[field(reply, name), text] as const, [field(request, name), { ...text, maxLength: 7 }] as const]),
    has: keywords.flatMap((name) => {
      const key = name.replace('$', '\\$');
      return [
        [types, new RegExp(`interface RerankResponse \\{[\\s\\S]*?\\n    (${key}|["']${key}["'])\\?: string`)],
        [rules, new RegExp(`const RerankRequest: Rule = [\\s\\S]*?\\n    ('${key}'|${key}): \\{ type: 'string', maxLength: 7 \\}`)],
      ] as const;
    }),
  },
  ...['202', '203'].map((status) => ({
    what: `a success of ${status}`,
    text: renamed([...rerank, 'responses'], status),
    has: [
      ['src/generated/operations.ts', new RegExp(`"rerank\\.create": [\\s\\S]*? ${status}: \\{[\\s\\S]*?"application/json": RerankResponse`)],
      ['src/generated/examples.ts', new RegExp(`"${status} application/json"`)],
      [routes, /id: 'rerank\.create'[^}]*reply: 'json',[^}]*expected: /],
    ] as const,
  })),
  {
    what: 'an empty reply beside a field that is expected',
    text: (t) => t.replace(/x-expected: \[results\]/, 'x-expected: [results, null]'),
    has: [[routes, /id: 'rerank\.create'[^}]*emptyReply: true,\s*expected: \{ results: 'array' \}/]],
  },
  {
    what: 'usage alone as the answer',
    text: (t) => t.replace(/x-expected: \[results\]/, 'x-expected: [usage]'),
    has: [[routes, /usageIsResultPaths: readonly string\[\] = \['\/rerank'\]/]],
  },
  {
    what: 'statuses of a failure and of an answer',
    text: (t) => t.replace(/x-expected: \[results\]/, 'x-expected: [results]\n      x-failed-status: { failed: lost, answers: [done, cut] }'),
    has: [[routes, /id: 'rerank\.create'[^}]*failedStatus: 'lost',\s*answerStatus: \['done', 'cut'\]/]],
  },
  {
    what: 'the only host whose description has an operation',
    set: [[[...rerank, 'description'], 'Ranks. Documented for the global host only.']],
    has: [['docs/hosts.md', /Documented for the global host only: `rerank\.create`\./]],
  },
  {
    what: 'a success by reference',
    text: (t) => moved(t, [...rerank, 'responses', '200'], 'responses'),
    has: [
      ['src/generated/operations.ts', /200: components\["responses"\]\["Moved"\]/],
      [routes, /id: 'rerank\.create'[^}]*reply: 'json'/],
    ],
  },
  ...['Application/JSON', 'application/json; charset=utf-8', 'application/json;charset=utf-8'].map((type) => ({
    what: `${type} both ways`,
    text: (t: string) =>
      [
        [...rerank, 'requestBody', 'content'],
        [...rerank, 'responses', '200', 'content'],
      ].reduce((all, at) => renamed(at, type)?.(all) ?? '', t),
    has: [
      [routes, /id: 'rerank\.create'[^}]*request: 'json',\s*reply: 'json'/],
      ['src/generated/operations.ts', /"rerank\.create": [\s\S]*?"application\/json": RerankRequest[\s\S]*?"application\/json": RerankResponse/],
      ['src/generated/examples.ts', /"200 application\/json"/],
    ] as const,
  })),
  {
    what: 'an event stream with a charset',
    text: renamed(['paths', '/chat/completions', 'post', 'responses', '200', 'content'], 'Text/Event-Stream; charset=utf-8', 'text/event-stream'),
    has: [
      [routes, /id: 'chat\.create'[^}]*reply: 'json',\s*streams: true/],
      ['src/generated/examples.ts', /"200 text\/event-stream"/],
    ],
  },
  {
    what: 'a discriminator whose words stand in allOf',
    set: [
      [[...schemas, 'Pet'], object({ name: text })],
      ...['Cat', 'Dog'].map(
        (name) =>
          [
            [...schemas, name],
            {
              description: 'A pet.',
              allOf: [{ $ref: '#/components/schemas/Pet' }, object({ kind: { const: name, description: 'x' } }, { required: ['kind'] })],
            },
          ] as const,
      ),
      [
        field(reply, 'pet'),
        {
          description: 'One of two.',
          oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
          discriminator: { propertyName: 'kind', mapping: { Cat: 'Cat' } },
        },
      ],
    ],
    has: [
      [types, /type Cat = Pet & \{[^}]*kind: "Cat"/],
      [types, /pet\?: Cat \| Dog;/],
    ],
  },
  { what: 'an operation without a reply to errors', set: [[[...rerank, 'responses', '400'], undefined]], has: [[routes, /id: 'rerank\.create'/]] },
  {
    what: 'a word with a line break',
    set: [[field(request, 'broken'), { type: 'string', enum: ['a\nb', 'c\\', '\u2028'], description: 'x' }]],
    has: [[rules, /'a\\nb', 'c\\\\', '\\u2028'/]],
  },
  {
    what: 'a comment end in a description',
    set: [[field(reply, 'ending'), { ...text, description: 'Ends */ here.' }]],
    has: [[types, /Ends \*\\\/ here/]],
  },
  {
    what: 'a tag in backticks',
    set: [[field(reply, 'tagged'), { ...text, default: 'a', description: 'Not `@deprecated`.' }]],
    has: [[types, /Not `@deprecated`/]],
  },
  {
    what: 'a limit beside a reference',
    set: [
      [[...schemas, 'Name'], { ...text, minLength: 1 }],
      [field(request, 'limited'), { $ref: '#/components/schemas/Name', maxLength: 4 }],
    ],
    has: [[rules, /limited: \{ \$ref: \(\) => Name, maxLength: 4 \}/]],
  },
  {
    what: 'a limit beside the reference of a body',
    set: [[[...rerankBody, 'schema', 'maxProperties'], 9]],
    has: [
      [rules, /const RerankCreateBody: Rule = \{ \$ref: \(\) => RerankRequest, maxProperties: 9 \}/],
      [routes, /body: RerankCreateBody/],
    ],
  },
  { what: 'a default that is an object', set: [[field(reply, 'inner'), object({ a: text }, { default: {} })]], has: [[types, /inner\?: \{/]] },
  {
    what: 'open words that are numbers',
    set: [[field(reply, 'number'), { type: 'integer', 'x-extensible-enum': [1, 2], description: 'x' }]],
    has: [[types, /number\?: 1 \| 2 \| number;/]],
  },
  {
    what: 'a field with a dash that every success has',
    set: [
      [field(reply, 'a-b'), text],
      [[...rerank, 'x-expected'], ['a-b']],
    ],
    has: [[routes, /expected: \{ 'a-b': 'value' \}/]],
  },
  {
    what: 'a pipe in a condition',
    set: [[['paths', '/chat/completions', 'post', 'x-refuses', 0, 'when'], 'a | b']],
    has: [['docs/evidence.md', /\| a \\\| b \|/]],
  },
  { what: 'a path without operations', set: [[['paths', '/later'], {}]], has: [[routes, /rerankCreate/]] },
  {
    what: 'a schema called Rule',
    set: [
      [[...schemas, 'Rule'], object({ a: text })],
      [field(request, 'rule'), { $ref: '#/components/schemas/Rule' }],
    ],
    has: [
      [types, /interface Rule/],
      [rules, /const Rule: Rule/],
    ],
  },
  {
    what: 'a model with a recursive field',
    set: [
      [[...schemas, 'Tree'], object({ left: { $ref: '#/components/schemas/Tree' } })],
      [field(request, 'tree'), { $ref: '#/components/schemas/Tree' }],
    ],
    has: [[rules, /left: \{ \$ref: \(\) => Tree \}/]],
  },
];

/** Moves a node to `components` and leaves a reference. */
function moved(whole: string, place: Place, section: string): string {
  const spec = parseDocument(whole);
  spec.setIn(['components', section, 'Moved'], spec.getIn(place, true));
  spec.setIn(place, spec.createNode({ $ref: `#/components/${section}/Moved` }));
  return print(spec);
}

const documents: Readonly<Record<Part | 'withoutChat', Document>> = {
  openapi: parseDocument(texts.openapi),
  withoutChat: parseDocument(withoutChat()),
  codes: parseDocument(texts.codes),
  models: parseDocument(texts.models),
};

/** Whether a place, a schema that a value refers to, or an id next to a new one is in the document of chat alone. A row of the page is compared with the files of that one. */
function needsChat({ change, set = [] }: Edit): boolean {
  if (change !== undefined || /"chat[^"]/.test(JSON.stringify(set))) return true;
  const [all, most] = [documents.openapi, documents.withoutChat];
  const names = [...JSON.stringify(set).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => [...schemas, name]);
  const places = [...set.map(([place]) => place), ...names].flatMap((place) => place.map((_, length) => place.slice(0, length + 1)));
  return places.some((place) => all.hasIn(place) && !most.hasIn(place));
}

function edited(edit: Edit, part: Part = 'openapi'): string {
  const { set = [], text: change } = edit;
  if (change) return change(texts[part]);
  const spec = documents[part === 'openapi' && !needsChat(edit) ? 'withoutChat' : part].clone() as Document;
  for (const [place, value] of set) {
    if (value === undefined) spec.deleteIn(place);
    else spec.setIn(place, typeof value === 'object' ? spec.createNode(value) : value);
  }
  return print(spec);
}

async function compiled(changed: string, part: Part = 'openapi'): Promise<Map<string, string>> {
  expect(changed).not.toBe(texts[part]);
  const spec = { ...small, [part]: sourceOf(fileNames[part], changed) };
  const result = await compile(spec);
  checkTypes(spec.openapi, result);
  return result;
}

/** Where the node of a place begins, or the deepest one above it. */
function pointOf(text: string, place: Place): string {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  for (let depth = place.length; ; depth--) {
    const node = document.getIn(place.slice(0, depth), true);
    if (!isNode(node)) continue;
    const { line, col } = lines.linePos(node.range?.[0] ?? 0);
    return `${line}:${col}`;
  }
}

/** The page on changes of vendors: the files of `src/generated` of each change, and words of a refusal. */
const described = new Map(
  readFileSync(join(project, 'docs/internals/vendor-changes.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| a'))
    .map((line) => {
      const [change = '', , , files = '', refusal = ''] = line.slice(2, -2).split(' | ');
      return [change, { files: quotedIn(files), refusal: quotedIn(refusal).at(-1) }] as const;
    }),
);
const unedited = compile(small);
/** Values that no page describes are set in one document, which compiles once. */
const isTogether = ({ change, text: edits }: Edit): boolean => change === undefined && edits === undefined;
let together: Promise<Map<string, string>> | undefined;

function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

it('the page on changes of vendors has the changes of this table', () => {
  expect([...described.keys()]).toEqual(changes.map(({ change }) => change));
  expect([...described.keys()].sort()).toEqual([...new Set(refused.flatMap(({ change }) => change ?? []))].sort());
});

const refusals: readonly (Refused & { readonly part?: Part })[] = [
  ...refused,
  ...(['codes', 'models'] as const).flatMap((part) => refusedRows[part].map((row) => ({ ...row, part }))),
];

describe('an edit of the spec is refused with place and cure', () => {
  it.each(refusals)('$what', async ({ part = 'openapi', ...edit }) => {
    const changed = edited(edit, part);
    const error = await failureOf(() => compiled(changed, part));
    expect(error).toBeInstanceOf(SpecError);
    const { message } = error as Error;
    const [, file, point, place = ''] = /^([\w.-]+):(\d+:\d+): (?:([^\n]*?): )?[^\n]+$/.exec(message) ?? [];
    expect(file, message).toBe(fileNames[part]);
    expect(message).toMatch(edit.says);
    if (edit.text !== undefined) return void expect(place).toContain(edit.at.join(' > '));
    expect(place).toBe(edit.at.join(' > '));
    expect(point, message).toBe(pointOf(changed, edit.at));
    if (edit.change !== undefined) expect(message).toContain(described.get(edit.change)?.refusal);
  });
});

describe('an edit of the spec is compiled as written', () => {
  it.each(held)('$what', async (edit) => {
    together ??= compiled(edited({ what: 'all', set: held.filter(isTogether).flatMap(({ set = [] }) => set) }));
    const result = await (isTogether(edit) ? together : compiled(edited(edit)));
    for (const [file, wanted] of edit.has) expect(result.get(file), file).toMatch(wanted);
    if (edit.change === undefined) return;
    const before = await unedited;
    const changed = [...result].flatMap(([path, text]) => (path.startsWith('src/generated/') && before.get(path) !== text ? [basename(path)] : []));
    expect(changed.sort()).toEqual(described.get(edit.change)?.files);
  });
});

it('the cure of a reference to another file makes one document, which compiles', async () => {
  const folder = await newFolder();
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  const text = edited({ what: '', set: [[field(reply, 'extra'), { $ref: 'other.yaml#/Extra' }]] });
  await writeFile(join(folder, 'openapi.yaml'), text);
  await writeFile(
    join(folder, 'other.yaml'),
    'Extra: { type: object, description: More., properties: { own: { type: string, description: Own. } } }\n',
  );
  const { message } = (await failureOf(() => compile({ ...small, openapi: sourceOf('openapi.yaml', text) }))) as Error;
  const [, command = ''] = /(npx redocly .*) writes one document/.exec(message) ?? [];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await promisify(exec)(command, { cwd: folder, env });
  const result = await compile({ ...small, openapi: await loadYaml(join(folder, 'bundled.yaml')) });
  expect(result.get(types)).toMatch(/interface RerankResponse [\s\S]*extra\?: Extra;/);
});
