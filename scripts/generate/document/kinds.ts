/**
 * The nodes of an OpenAPI document by kind, with the keys of each: what a key becomes, or the cure of one that is not compiled. A key that is not
 * in the table is refused. `docs/internals/spec-format.md` is made from it.
 */
import { mediaTypeOf } from './media-type.ts';
import { otelForm } from './otel.ts';
import { evidenceWords } from './shape.ts';
import { isObject, type Json } from './source.ts';

export type KindName = keyof typeof kinds;

/** The value of a key that has no further nodes. */
export interface Leaf {
  readonly isValid: (value: Json) => boolean;
  readonly must: string;
}

/** The value of a key that is a node, a list of nodes, or a map of nodes by name. */
export interface Branch {
  readonly shape: 'one' | 'list' | 'map';
  readonly kind: KindName;
  /** The names of a map. */
  readonly names?: Leaf;
}

export type Row = { readonly form: Leaf | Branch; readonly becomes: string } | { readonly cure: string };

export interface Kind {
  readonly title: string;
  /** The part of `components` that a reference to such a node names. */
  readonly section?: string;
  /** Keys that such a node must have. A reference has none of them. */
  readonly needs?: readonly string[];
  readonly keys: { readonly [key: string]: Row };
}

const aText: Leaf = {
  isValid: (value) => typeof value === 'string' && value !== '',
  must: 'must be a text with at least one character, or left out',
};
const aSwitch: Leaf = { isValid: (value) => typeof value === 'boolean', must: 'must be true or false' };
const aList: Leaf = { isValid: Array.isArray, must: 'must be a list' };
const aMap: Leaf = { isValid: isObject, must: 'must be a map' };
/** A keyword of JSON Schema: its metaschema has the form. */
const any: Leaf = { isValid: () => true, must: '' };
const wordOf = (...words: string[]): Leaf => ({
  isValid: (value) => words.includes(String(value)),
  must: `must be ${words.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
});
const named = (pattern: RegExp, must: string): Leaf => ({ isValid: (value) => pattern.test(String(value)), must });

const anIdentifier = named(/^[A-Za-z][A-Za-z0-9_]*$/, 'must be a letter, then letters, digits and _: it becomes a name in the code');
const aSchema = named(/^[A-Za-z][A-Za-z0-9_.]*$/, 'must be a letter, then letters, digits, _ and dots: it becomes a name in the code');
const aComponent = named(/^[\w.-]+$/, 'must have only letters, digits, dots, dashes and _');
const aPath = named(/^\/[^?#\s]*$/, 'must begin with /, and have no query');
const aStatus = named(/^(20[0-4]|[45]\d\d|default)$/, 'must be one of 200 to 204, a status from 400 to 599, or default: other replies have no type');
const aField: Leaf = {
  isValid: (name) => !(String(name) in {}),
  must: 'is a field that every object inherits, and TypeScript fits no object to its type: leave it out',
};
const aRequestType: Leaf = {
  isValid: (type) => ['application/json', 'multipart/form-data'].includes(mediaTypeOf(String(type))),
  must: 'must be application/json, application/*+json or multipart/form-data',
};
const aReplyType: Leaf = {
  isValid: (type) =>
    /^(text\/event-stream|(application|audio|font|image|model|video)\/[a-z0-9.+-]+)$/.test(mediaTypeOf(String(type))) &&
    !/urlencoded$/.test(mediaTypeOf(String(type))),
  must: 'must be application/json, application/*+json, text/event-stream or the type of a file: write another text as application/octet-stream with format: binary',
};
const aPartType = named(
  /^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/,
  'must be one media type without *: a part has one; write the others in the description',
);
const evidence: Leaf = { isValid: (value) => evidenceWords.includes(String(value)), must: `must be one of ${evidenceWords.join(', ')}` };
const failedStatus: Leaf = {
  isValid: (value) => aText.isValid(value) || (isObject(value) && aText.isValid(value['failed'] ?? null) && Array.isArray(value['answers'])),
  must: 'must be a text, or { failed, answers } with a text and a list of texts',
};
const refusals: Leaf = {
  isValid: (value) =>
    Array.isArray(value) &&
    value.every((one) => isObject(one) && refusalKeys.every((key) => one[key] !== undefined) && evidence.isValid(one['evidence'] ?? '')),
  must: 'must be a list of refusals with name, when, status, code, evidence and source',
};
const refusalKeys = ['name', 'when', 'status', 'code', 'evidence', 'source'];
const defaults: Leaf = {
  isValid: (value) => Array.isArray(value) && value.every((one) => isObject(one) && typeof one['when'] === 'string' && one['value'] !== undefined),
  must: 'must be a list of defaults with when and value',
};

const as = (form: Leaf, becomes: string): Row => ({ form, becomes });
const one = (kind: string, becomes: string): Row => ({ form: { shape: 'one', kind: kind as KindName }, becomes });
const listOf = (kind: string, becomes: string): Row => ({ form: { shape: 'list', kind: kind as KindName }, becomes });
const mapOf = (kind: string, names: Leaf, becomes: string): Row => ({ form: { shape: 'map', kind: kind as KindName, names }, becomes });
const no = (cure: string): Row => ({ cure });
const each = (keys: string, row: Row): { [key: string]: Row } => Object.fromEntries(keys.split(' ').map((key) => [key, row]));

const noLinks = no('write the link into the description');
const noStyle = no('the client has one form for each place: leave it out');
const description = as(aText, 'Doc comments.');
const reference = as(aText, 'The node that it names.');
const claimed = {
  'x-evidence': as(evidence, 'Evidence in doc comments, claims and docs/evidence.md.'),
  'x-source': as(aList, 'Sources of the claim.'),
};
const sample = {
  example: as(any, 'The example of the fake service.'),
  examples: mapOf('example', aComponent, 'The first one is the example of the fake service.'),
};

export const kinds = {
  document: {
    title: 'the document',
    needs: ['servers', 'security', 'tags', 'paths', 'components'],
    keys: {
      openapi: as(any, 'Must be 3.1.0, 3.1.1 or 3.1.2.'),
      info: one('info', 'Not compiled: text for readers of the document.'),
      servers: listOf('server', 'The roots of the surface of every path without servers of its own.'),
      security: as(any, 'Must be the bearer key, which the client sends with every call.'),
      tags: listOf('tag', 'The groups of operations.'),
      paths: mapOf('path', aPath, 'Routes.'),
      components: one('components', 'Parts to refer to.'),
      'x-sources': as(aMap, 'Sources of claims, by surface and word of evidence.'),
      'x-confirmed': as(aMap, 'Sources of claims that a run has confirmed.'),
      webhooks: no('the client receives no calls: leave it out'),
      jsonSchemaDialect: no('schemas have the dialect of OpenAPI 3.1: leave it out'),
      externalDocs: noLinks,
    },
  },
  info: {
    title: 'the info',
    keys: { ...each('title version summary description license contact termsOfService', as(any, 'Not compiled: text for readers.')) },
  },
  server: {
    title: 'a server',
    needs: ['url', 'x-surface'],
    keys: {
      url: as(
        named(/^https?:\/\/[^{}?#\s]*[^{}?#\s/]$/, 'must be an absolute URL without variables, and without / at its end'),
        'The root of a surface, in the region china on bigmodel.cn, else global.',
      ),
      description: as(aText, 'Not compiled: text for readers.'),
      'x-surface': as(anIdentifier, 'The surface of the paths.'),
      variables: no('write one server for each URL'),
    },
  },
  tag: {
    title: 'a group',
    needs: ['name'],
    keys: {
      name: as(anIdentifier, 'The first part of operation ids.'),
      description: as(aText, 'Not compiled: text for readers.'),
      externalDocs: noLinks,
    },
  },
  path: {
    title: 'a path',
    keys: {
      ...each('get post put patch delete', one('operation', 'A route.')),
      servers: listOf('server', 'The roots of its surface.'),
      parameters: listOf('parameter', 'Parameters of each of its operations; one of the same name and place in the operation replaces it.'),
      ...each('head options trace', no('the client has no such method: leave it out')),
      $ref: no('write the operations here'),
      summary: no('write it at each operation'),
      description: no('write it at each operation'),
    },
  },
  operation: {
    title: 'an operation',
    keys: {
      operationId: as(aText, 'Service and method, and the name of the route.'),
      tags: as(aList, 'Its group, exactly one.'),
      summary: as(aText, 'The first line of the doc comment.'),
      description,
      deprecated: as(aSwitch, 'The tag @deprecated in the doc comment of the route; the methods that call it must have one too.'),
      parameters: listOf('parameter', 'Parameters in types, routes and rules.'),
      requestBody: one('body', 'The body of the request.'),
      responses: mapOf('response', aStatus, 'Types of replies, and the form in which they are read.'),
      ...claimed,
      'x-refuses': as(refusals, 'Claims: requests that the service refuses.'),
      'x-otel': as(otelForm, 'The GenAI span of the call.'),
      'x-expected': as(
        aList,
        'Fields of which every success has at least one; null, if an empty reply is one. usage alone is the answer, not the cost.',
      ),
      'x-filled': as(aList, 'Lists among the fields of x-expected that count only with an item.'),
      'x-bills': as(aSwitch, 'A call that is not repeated after a response timeout.'),
      'x-charges': as(aSwitch, 'False for a free operation: a budget does not count it, and `billed` of its errors is `no`.'),
      'x-performs': as(
        wordOf('answer', 'creation'),
        'The effect of a call. answer: a refusal inside a 200 is retried. creation: a thing that stays, so retryFor does not apply.',
      ),
      'x-failed-status': as(failedStatus, 'The value of status that makes a reply a failure, and the values of an answer, if others are failures.'),
      servers: no('write servers at the path: all operations of a path have one root'),
      security: no('every operation takes the key of the document: leave it out'),
      callbacks: no('the client receives no calls: leave it out'),
      externalDocs: noLinks,
    },
  },
  parameter: {
    title: 'a parameter',
    needs: ['name', 'in', 'schema'],
    section: 'parameters',
    keys: {
      $ref: reference,
      name: as(aText, 'The name in types, rules and URL.'),
      in: as(wordOf('path', 'query', 'header'), 'Its place. A header has a name that the client does not set itself.'),
      required: as(aSwitch, 'A required field in types and rules, except of a header that the client adds.'),
      description,
      deprecated: as(aSwitch, 'The tag @deprecated in its doc comment.'),
      schema: one('schema', 'Type and rule.'),
      style: as(wordOf('form', 'simple', 'deepObject'), 'Must be the form in which the client writes such a value.'),
      explode: as(aSwitch, 'Must be the form in which the client writes such a value.'),
      ...sample,
      ...claimed,
      content: no('write schema: the client sends no JSON in parameters'),
      allowReserved: no('the client encodes every reserved character: leave it out'),
      allowEmptyValue: no('leave it out'),
    },
  },
  body: {
    title: 'a request body',
    needs: ['content'],
    section: 'requestBodies',
    keys: {
      $ref: reference,
      required: as(aSwitch, 'A required body in types.'),
      description,
      content: mapOf('media', aRequestType, 'JSON, or a form with files. Exactly one.'),
    },
  },
  media: {
    title: 'a media type',
    needs: ['schema'],
    keys: {
      schema: one('schema', 'The type; of a request also the rule.'),
      examples: mapOf('example', aComponent, 'Examples of the fake service; each must fit the schema.'),
      encoding: mapOf('encoding', any, 'Must be the form in which the client writes such a part.'),
      'x-event-schema': one('schema', 'Checks the events of the examples.'),
      'x-evidence': claimed['x-evidence'],
      example: no('write examples'),
    },
  },
  encoding: {
    title: 'the encoding of a part',
    keys: {
      style: as(wordOf('form'), 'Lists are sent as one part for each item.'),
      explode: as(wordOf('true'), 'Lists are sent as one part for each item.'),
      contentType: as(aPartType, 'The type of a part: of a file without its own type, of a text, or of JSON.'),
      headers: no('parts have no headers of their own: leave it out'),
      allowReserved: noStyle,
    },
  },
  response: {
    title: 'a response',
    section: 'responses',
    keys: {
      $ref: reference,
      description,
      headers: mapOf('header', any, 'Types of the reply.'),
      content: mapOf('media', aReplyType, 'JSON, an event stream, or bytes.'),
      links: no('leave it out'),
    },
  },
  header: {
    title: 'a response header',
    needs: ['schema'],
    section: 'headers',
    keys: {
      $ref: reference,
      description,
      required: as(aSwitch, 'A required field in types.'),
      deprecated: as(aSwitch, 'The tag @deprecated in its doc comment.'),
      schema: one('schema', 'Its type.'),
      ...sample,
      ...claimed,
      style: noStyle,
      explode: noStyle,
      content: no('write schema'),
    },
  },
  example: {
    title: 'an example',
    needs: ['value'],
    section: 'examples',
    keys: {
      $ref: reference,
      value: as(any, 'Data of the fake service, and of tests.'),
      summary: as(aText, 'Not compiled: text for readers.'),
      description: as(aText, 'Not compiled: text for readers.'),
      externalValue: no('write value'),
    },
  },
  components: {
    title: 'the components',
    needs: ['schemas'],
    keys: {
      schemas: mapOf('schema', aSchema, 'Named types and rules; a dot becomes _.'),
      responses: mapOf('response', aComponent, 'Responses by reference.'),
      parameters: mapOf('parameter', aComponent, 'Parameters by reference.'),
      requestBodies: mapOf('body', aComponent, 'Bodies by reference.'),
      headers: mapOf('header', aComponent, 'Headers by reference.'),
      examples: mapOf('example', aComponent, 'Examples by reference.'),
      securitySchemes: mapOf('security', aComponent, 'The key.'),
      links: no('leave it out'),
      callbacks: no('the client receives no calls: leave it out'),
      pathItems: no('write the operations at their path'),
    },
  },
  security: {
    title: 'a security scheme',
    needs: ['type', 'scheme'],
    keys: {
      type: as(wordOf('http'), 'The client sends a bearer key.'),
      scheme: as(wordOf('bearer'), 'The client sends a bearer key.'),
      description: as(aText, 'Not compiled: text for readers.'),
      bearerFormat: as(aText, 'Not compiled: text for readers.'),
    },
  },
  schema: {
    title: 'a schema',
    section: 'schemas',
    keys: {
      $ref: as(aText, 'The named type, and its rule.'),
      description,
      title: as(aText, 'Doc comments.'),
      deprecated: as(aSwitch, 'The tag @deprecated in doc comments.'),
      type: as(any, 'Type and rule.'),
      properties: mapOf('schema', aField, 'Fields of the type, and their rules.'),
      required: as(any, 'Required fields of type and rule.'),
      items: one('schema', 'Type and rule of items.'),
      prefixItems: listOf('schema', 'A tuple; in replies only.'),
      additionalProperties: one('schema', 'Type and rule of other fields.'),
      propertyNames: one('schema', 'A rule.'),
      allOf: listOf('schema', 'An intersection, and each rule.'),
      anyOf: listOf('schema', 'A union, and a rule.'),
      oneOf: listOf('schema', 'A union; in replies only.'),
      discriminator: as(aMap, 'Not compiled: must agree with the words of const, which decide.'),
      if: one('schema', 'A rule.'),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: one('schema', 'A rule.'),
      else: one('schema', 'Checks examples; in replies only.'),
      not: one('schema', 'Checks examples; in replies only.'),
      contains: one('schema', 'A rule.'),
      maxContains: as(any, 'A rule.'),
      minContains: as(any, 'Checks examples; in replies only.'),
      enum: as(any, 'A union of the words, and a rule.'),
      const: as(any, 'The type of one word, and a rule.'),
      default: as(any, 'The default in the doc comment.'),
      format: as(any, 'Doc comments; binary is a file or bytes.'),
      pattern: as(any, 'Doc comments, and a rule.'),
      ...each(
        'minimum maximum exclusiveMinimum multipleOf minLength maxLength minItems maxItems maxProperties',
        as(any, 'Doc comments of ranges, and a rule.'),
      ),
      ...each('exclusiveMaximum uniqueItems minProperties', as(any, 'Checks examples; in replies only.')),
      examples: as(any, 'Not compiled: must fit the schema.'),
      ...claimed,
      'x-extensible-enum': as(aList, 'A union of the words and any text.'),
      'x-type-name': as(anIdentifier, 'The name of the type, if the client has a type of the schema’s own name.'),
      'x-typescript': as(aText, 'The type, as TypeScript.'),
      'x-filled': as(aSwitch, 'A required field in types of replies, which the client fills in.'),
      'x-refuses': as(refusals, 'Claims: requests that the service refuses.'),
      'x-defaults': as(defaults, 'Claims: defaults under a condition.'),
      'x-usual': as(aList, 'Fields of a reply that the judgement of exchanges expects.'),
      'x-option': as(wordOf('false'), 'false: no option of the command line has the field.'),
      'x-known-shapes': mapOf('schema', any, 'Not compiled: shapes that were seen.'),
      nullable: no("write type: [..., 'null']"),
      example: no('write examples, a list'),
      readOnly: no('write a schema for requests and one for replies'),
      writeOnly: no('write a schema for requests and one for replies'),
      xml: no('leave it out'),
      externalDocs: noLinks,
      ...each('unevaluatedProperties unevaluatedItems', no('unknown fields are always allowed: leave it out')),
      patternProperties: no('write additionalProperties and propertyNames'),
      dependentRequired: no('write if and then'),
      dependentSchemas: no('write if and then'),
      ...each(
        '$defs definitions $id $anchor $dynamicRef $dynamicAnchor $schema',
        no('write the schema into components.schemas and refer to it there'),
      ),
      $comment: no('write a comment of YAML'),
      ...each('contentEncoding contentMediaType contentSchema', no('write format: binary for a file, and type: string for a text')),
    },
  },
} satisfies { readonly [name: string]: Kind };

export function kindOf(name: KindName): Kind {
  return kinds[name];
}
