// Edits of the whole spec at once: the client that is generated compiles, and each call reaches a server as edited.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { generate } from '../../scripts/generate.ts';
import ts from '../../scripts/typescript.mjs';
import type { Answer, FakeService, startFakeService } from '../../src/testing/index.ts';
import { startMock } from '../support/prism.ts';
import { startRawServer } from '../support/raw-server.ts';
import { project } from '../support/small-spec.ts';

const schemas = ['components', 'schemas'];
const text = { type: 'string', description: 'A text.' };
const id = { name: 'job', in: 'path', required: true, description: 'The job.', schema: { type: 'string', minLength: 1 }, example: 'j1' };
const words = 'summary: A job.\ndescription: Does it.\nx-evidence: unconfirmed\nx-otel: none\nx-expected: [id]\ntags: [rerank]\n';

const jobs = { schema: { $ref: '#/components/schemas/Job' }, examples: { one: { value: { id: 'j1', note: 'n' } } } };
const done = { description: 'Done.', content: { 'application/json': jobs } };

const kind = { description: 'Done.', content: { 'application/vnd.job+json; version=2': jobs } };

const query = (name: string, schema: object, example: unknown): object => ({ name, in: 'query', description: 'Q.', schema, example });
const numbered = (name: string): object => ({ name, in: 'path', required: true, description: 'N.', schema: { type: 'integer' }, example: 1 });

/** A body that is a note. */
function note(type: string): object {
  return { required: true, content: { [type]: { schema: { $ref: '#/components/schemas/Note' }, examples: { one: { value: { note: 'n' } } } } } };
}

const bytes = { type: 'string', format: 'binary', description: 'A file.' };
const list = { type: 'array', description: 'Files.', items: bytes, minItems: 1, maxItems: 3 };
const meta = { type: 'object', description: 'M.', properties: { note: text } };
const picture = { prompt: { ...text, minLength: 1 }, images: list, mask: bytes, meta };
const types = { images: { contentType: 'image/png' }, prompt: { contentType: 'text/plain; charset=utf-8' } };

/** A form whose first two fields are required. */
function form(properties: object, encoding: object): object {
  const required = Object.keys(properties).slice(0, 2);
  const value = Object.fromEntries(required.map((name) => [name, name === 'images' ? ['(bytes)'] : '(text)']));
  const schema = { type: 'object', description: 'A form.', properties, required };
  return { required: true, content: { 'multipart/form-data': { schema, encoding, examples: { one: { value } } } } };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The operation with what every operation has. */
function operation(name: string, more: object): object {
  const responses = { 200: done };
  return { ...(parseDocument(words).toJS() as object), operationId: `rerank.${name}`, responses, ...more };
}

interface Edit {
  readonly what: string;
  readonly set: readonly (readonly [place: readonly string[], value: unknown])[];
  /** The body of a function of the client `c` and its settings `s`. It compiles, and its result is JSON. */
  readonly call: string;
  readonly sent: object;
  readonly result?: unknown;
  /** The answer of the fake, instead of the usual one. Undefined: its example. */
  readonly reply?: Answer | undefined;
}

const pet = (kind: string, more: object): object => ({
  type: 'object',
  description: 'A pet.',
  properties: { kind: { type: 'string', const: kind, description: 'K.' }, ...more },
  required: ['kind'],
});
const pets = {
  description: 'A pet.',
  oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: { propertyName: 'kind' },
};

const rerank = "c.rerank().create(undefined, { model: 'rerank', query: 'q', documents: ['d']";

const edits: readonly Edit[] = [
  {
    what: 'a field named as a keyword',
    set: [[[...schemas, 'RerankRequest', 'properties', 'contains'], { ...text, maxLength: 7 }]],
    call: `return (await ${rerank}, contains: 'soon' })).results.length;`,
    sent: { path: '/rerank', body: { model: 'rerank', query: 'q', documents: ['d'], contains: 'soon' } },
    result: 1,
  },
  {
    what: 'a field with a quote and a rule',
    set: [[[...schemas, 'RerankRequest', 'properties', "it's"], { ...text, enum: ["a'b", 'c\nd'] }]],
    call: `return (await ${rerank}, "it's": 'c\\nd' })).results.length;`,
    sent: { path: '/rerank', body: { model: 'rerank', query: 'q', documents: ['d'], "it's": 'c\nd' } },
    result: 1,
  },
  {
    what: 'a field x-tag of a reply',
    set: [[[...schemas, 'RerankResponse', 'properties', 'x-tag'], text]],
    call: `const answer = await ${rerank} }); const tag: string | undefined = answer['x-tag']; return tag;`,
    sent: { path: '/rerank' },
    result: 'seen',
  },
  {
    what: 'an operation with a digit in its id, and a parameter over that of its path',
    set: [
      [[...schemas, 'Job'], { type: 'object', description: 'A job.', properties: { id: text, note: text } }],
      [['paths', '/rerank/{job}', 'parameters'], [id]],
      [['paths', '/rerank/{job}', 'get'], operation('get2', { parameters: [{ ...id, schema: { type: 'integer' }, example: 5 }] })],
    ],
    call: `
      const { data } = await c.bindings('chat').GET('/rerank/{job}', { params: { path: { job: 5 } } });
      const get = (job: number) =>
        requestJson(s, routes.rerankGet2, undefined, () => ({ parameters: { job } })).then(({ id }) => id, (error: Error) => error.message);
      // @ts-expect-error: the job is a number.
      return [data?.id, await get(5), await get('5'), await get(Number.NaN)];`,
    sent: { method: 'GET', path: '/rerank/5' },
    result: ['j1', 'j1', 'rerank.get2: job must be an integer', 'rerank.get2: job must be an integer'],
  },
  {
    what: 'a body, an example and a parameter by reference',
    set: [
      [['components', 'examples', 'Note'], { value: { note: 'n' } }],
      [['components', 'parameters', 'Page'], { name: 'page', in: 'query', description: 'Page.', schema: { type: 'integer' }, example: 2 }],
      [
        ['components', 'requestBodies', 'Note'],
        {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Note' }, examples: { one: { $ref: '#/components/examples/Note' } } },
          },
        },
      ],
      [[...schemas, 'Note'], { type: 'object', description: 'A note.', properties: { note: { ...text, minLength: 1 } }, required: ['note'] }],
      [
        ['paths', '/notes', 'post'],
        operation('note', { requestBody: { $ref: '#/components/requestBodies/Note' }, parameters: [{ $ref: '#/components/parameters/Page' }] }),
      ],
    ],
    call: "const { data } = await c.bindings('chat').POST('/notes', { params: { query: { page: 3 } }, body: { note: 'x' } }); return data?.id;",
    sent: { method: 'POST', path: '/notes', query: 'page=3', body: { note: 'x' } },
    result: 'j1',
  },
  {
    what: 'required beside allOf',
    set: [
      [
        [...schemas, 'RerankResponse', 'properties', 'job'],
        { description: 'Its job.', allOf: [{ $ref: '#/components/schemas/Job' }], required: ['note'] },
      ],
    ],
    call: `const answer = await ${rerank} }); const note: string | undefined = answer.job && answer.job.note.trim(); return note;`,
    sent: { path: '/rerank' },
    result: 'n',
  },
  {
    what: 'a child with fields of its own in a request',
    set: [
      [
        [...schemas, 'RerankRequest', 'properties', 'child'],
        {
          description: 'More.',
          allOf: [{ $ref: '#/components/schemas/Note' }, { type: 'object', properties: { own: { ...text, minLength: 1 } }, required: ['own'] }],
        },
      ],
    ],
    call: `return (await ${rerank}, child: { note: 'a', own: 'b' } })).results.length;`,
    sent: { path: '/rerank', body: { model: 'rerank', query: 'q', documents: ['d'], child: { note: 'a', own: 'b' } } },
    result: 1,
  },
  {
    what: 'an object and a list in a query',
    set: [
      [
        ['paths', '/notes', 'get'],
        operation('notes', {
          parameters: [
            {
              name: 'filter',
              in: 'query',
              style: 'deepObject',
              description: 'F.',
              schema: { type: 'object', properties: { by: text } },
              example: { by: 'a' },
            },
            { name: 'tags', in: 'query', description: 'T.', schema: { type: 'array', items: { type: 'string' } }, example: ['a'] },
          ],
        }),
      ],
    ],
    call: "const { data } = await c.bindings('chat').GET('/notes', { params: { query: { filter: { by: 'me' }, tags: ['a', 'b'] } } }); return data?.id;",
    sent: { method: 'GET', path: '/notes', query: 'filter[by]=me&tags=a&tags=b' },
    result: 'j1',
  },
  {
    what: 'two numbers in one step of a path',
    set: [[['paths', '/spans/{from}-{to}', 'get'], operation('span', { parameters: [numbered('from'), numbered('to')] })]],
    call: 'return (await requestJson(s, routes.rerankSpan, undefined, () => ({ parameters: { from: 1, to: 20 } }))).note;',
    sent: { method: 'GET', path: '/spans/1-20', operation: 'rerank.span', parameters: { from: '1', to: '20' } },
    reply: undefined,
    result: 'n',
  },
  ...(
    [
      ['read', '/jobs/{job}', '/jobs/a%3Ab.c'],
      ['readFile', '/jobs/{job}.json', '/jobs/a%3Ab.c.json'],
      ['readCancel', '/jobs/{job}:cancel', '/jobs/a%3Ab.c:cancel'],
    ] as const
  ).map(([name, template, path]) => ({
    what: `an id in ${template}`,
    set: [[['paths', template, 'get'], operation(name, { parameters: [id] })]] as const,
    call: `return (await requestJson(s, routes.rerankR${name.slice(1)}, undefined, () => ({ parameters: { job: 'a:b.c' } }))).note;`,
    sent: { method: 'GET', path, operation: `rerank.${name}`, parameters: { job: 'a:b.c' } },
    reply: undefined,
    result: 'n',
  })),
  {
    what: 'numbers and switches in the lists and objects of a query',
    set: [
      [
        ['paths', '/sized', 'get'],
        operation('sized', {
          parameters: [
            { ...query('sizes', { type: 'array', items: { type: 'integer', minimum: 1 } }, [1]), required: true },
            query('flags', { type: 'array', items: { type: 'boolean' } }, [true]),
            {
              ...query('size', { type: 'object', properties: { least: { type: 'integer', description: 'L.' } }, required: ['least'] }, { least: 1 }),
              style: 'deepObject',
              required: true,
            },
          ],
        }),
      ],
    ],
    call: `
      const get = (parameters: object) =>
        requestJson(s, routes.rerankSized, undefined, () => ({ parameters: parameters as never })).then(({ note }) => note, (error: Error) => error.message);
      return [await get({ sizes: ['1'], size: { least: 2 } }), await get({ sizes: [1, 2], flags: [true, false], size: { least: 2 } })];`,
    sent: { method: 'GET', path: '/sized', query: 'sizes=1&sizes=2&flags=true&flags=false&size[least]=2' },
    reply: undefined,
    result: ['rerank.sized: sizes[0] must be an integer', 'n'],
  },
  ...(
    [
      ['sizes.1', { sizes: [1, 'b'], size: { least: 2 } }, 'sizes=1&sizes=b&size[least]=2'],
      ['size.least', { sizes: [1], size: { least: 'b' } }, 'sizes=1&size[least]=b'],
    ] as const
  ).map(([place, given, sent]) => ({
    what: `a text for ${place} of a query`,
    set: [],
    call: `
      const { error } = await c.bindings('chat').GET('/sized', { params: { query: ${JSON.stringify(given)} as never } });
      return JSON.stringify(error).includes('${place} is not allowed');`,
    sent: { method: 'GET', path: '/sized', query: sent },
    reply: undefined,
    result: true,
  })),
  {
    what: 'PUT and PATCH on one path, one of them deprecated',
    set: [
      [['paths', '/jobs/{job}', 'put'], operation('put', { parameters: [id], deprecated: true })],
      [['paths', '/jobs/{job}', 'patch'], operation('patch', { parameters: [id] })],
    ],
    call: "const { data } = await c.bindings('chat').PUT('/jobs/{job}', { params: { path: { job: 'a/b' } } }); return data?.id;",
    sent: { method: 'PUT', path: '/jobs/a%2Fb' },
    result: 'j1',
  },
  {
    what: 'a field whose value may be one of two forms',
    set: [
      [
        [...schemas, 'RerankRequest', 'properties', 'depth'],
        {
          description: 'D.',
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'string', enum: ['all'] },
          ],
        },
      ],
    ],
    call: `return (await ${rerank}, depth: 'all' })).results.length;`,
    sent: { path: '/rerank', body: { model: 'rerank', query: 'q', documents: ['d'], depth: 'all' } },
    result: 1,
  },
  {
    what: 'a success of 201',
    set: [[['paths', '/made', 'post'], operation('make', { responses: { 201: done } })]],
    call: 'const made = await requestJson(s, routes.rerankMake, undefined, () => ({})); const note: string | undefined = made.note; return note;',
    sent: { method: 'POST', path: '/made' },
    reply: { body: { id: 'j1', note: 'new' }, status: 201 },
    result: 'new',
  },
  {
    what: 'a 201 without a field of its success',
    set: [],
    call: "return await requestJson(s, routes.rerankMake, undefined, () => ({})).catch((error: Error) => error.message.includes('the response has no id'));",
    sent: { method: 'POST', path: '/made' },
    reply: { body: {}, status: 201 },
    result: true,
  },
  {
    what: 'a 204, with the reply of the fake',
    set: [[['paths', '/made', 'delete'], operation('drop', { responses: { 204: { description: 'Gone.' } }, 'x-expected': undefined })]],
    call: `
      const gone = await requestJson(s, routes.rerankDrop, undefined, () => ({}));
      // @ts-expect-error: a 204 has no fields.
      void gone.id;
      const { response } = await c.bindings('chat').DELETE('/made');
      return [Object.keys(gone), response.status];`,
    sent: { method: 'DELETE', path: '/made' },
    reply: undefined,
    result: [[], 204],
  },
  {
    what: 'a oneOf with a discriminator in a reply',
    set: [
      [[...schemas, 'Cat'], pet('cat', { lives: { type: 'integer', description: 'L.' } })],
      [[...schemas, 'Dog'], pet('dog', {})],
      [[...schemas, 'RerankResponse', 'properties', 'pet'], pets],
    ],
    call: `const { pet } = await ${rerank} }); const lives: number | undefined = pet?.kind === 'cat' ? pet.lives : undefined; return lives;`,
    sent: { path: '/rerank' },
    result: 9,
  },
  {
    what: 'a discriminator without its value in a reply',
    set: [],
    call: `const { pet } = await ${rerank} }); return pet && [pet.kind === 'cat', Object.keys(pet)];`,
    sent: { path: '/rerank' },
    reply: { body: { results: [], pet: {} } },
    result: [false, []],
  },
  {
    what: 'a schema with dots in its name',
    set: [
      [[...schemas, 'acme.Tag'], { type: 'object', description: 'T.', properties: { name: { ...text, minLength: 1 } }, required: ['name'] }],
      [[...schemas, 'RerankRequest', 'properties', 'tag'], { $ref: '#/components/schemas/acme.Tag' }],
    ],
    call: `
      // @ts-expect-error: the name is required.
      const none = await ${rerank}, tag: {} }).catch((error: Error) => error.message);
      const tag: acme_Tag = { name: 'new' };
      const { results } = await ${rerank}, tag });
      return [none, results.length];`,
    sent: { path: '/rerank', body: { model: 'rerank', query: 'q', documents: ['d'], tag: { name: 'new' } } },
    result: ['rerank.create: tag.name is required', 1],
  },
  {
    what: 'JSON of a kind of its own',
    set: [[['paths', '/patched', 'patch'], operation('edit', { requestBody: note('application/merge-patch+json'), responses: { 200: kind } })]],
    call: `
      const edited = await requestJson(s, routes.rerankEdit, undefined, () => ({ body: { note: 'x' } }));
      const { data } = await c.bindings('chat').PATCH('/patched', { body: { note: 'x' } });
      const note: string | undefined = edited.note;
      return [note, data?.note];`,
    sent: {
      method: 'PATCH',
      path: '/patched',
      body: { note: 'x' },
      headers: { accept: 'application/vnd.job+json; version=2', 'content-type': 'application/merge-patch+json' },
    },
    reply: { body: '{"id":"j1","note":"n"}', headers: { 'content-type': 'application/vnd.job+json' } },
    result: ['n', 'n'],
  },
  {
    what: 'JSON with a charset and capitals, refused by its rule',
    set: [[['paths', '/patched', 'put'], operation('edit2', { requestBody: note('Application/JSON; charset=utf-8') })]],
    call: `
      const wrong = await requestJson(s, routes.rerankEdit2, undefined, () => ({ body: {} as never })).catch((error: Error) => error.message);
      // @ts-expect-error: the note is required.
      const wrongBody = () => c.bindings('chat').PUT('/patched', { body: {} });
      void wrongBody;
      const { data } = await c.bindings('chat').PUT('/patched', { body: { note: 'x' } });
      return [wrong, data?.note];`,
    sent: { method: 'PUT', path: '/patched', headers: { 'content-type': 'application/json' } },
    result: ['rerank.edit2: note is required', 'n'],
  },
  {
    what: 'several files in one field, a file of an inline form, JSON and a text with types',
    set: [[['paths', '/pictures', 'post'], operation('paint', { requestBody: form(picture, types) })]],
    call: `
      type Paint = NonNullable<operations['rerank.paint']['requestBody']>['content']['multipart/form-data'];
      const send = (request: Paint & UploadOptions, to = s) =>
        requestJson(to, routes.rerankPaint, undefined, () => uploadInput(routes.rerankPaint, request)).catch((error: Error) => error.message);
      const file = new Blob(['1']);
      // @ts-expect-error: a path is not a file.
      const path = await send({ prompt: 'p', images: ['a.png'] });
      // @ts-expect-error: the images are a list.
      const one = await send({ prompt: 'p', images: file });
      const tooMany = await send({ prompt: 'p', images: [file, file, file, file] }, vendor);
      const named = await send({ prompt: 'p', images: [file, file], filename: 'a.png' });
      const images = [new File(['1'], 'a.gif', { type: 'image/gif' }), new TextEncoder().encode('22')];
      await send({ prompt: 'p', images, mask: new File(['3'], 'm.png'), meta: { note: 'n' } });
      const { note } = (await send({ prompt: 'p', images: [file] })) as { note?: string };
      return [path, one, tooMany, named, note];`,
    sent: {
      method: 'POST',
      path: '/pictures',
      body: {
        prompt: 'p',
        images: [
          { name: 'a.gif', type: 'image/gif', bytes: bytesOf('1') },
          { name: 'file', type: 'image/png', bytes: bytesOf('22') },
        ],
        mask: { name: 'm.png', type: 'application/octet-stream', bytes: bytesOf('3') },
        meta: { note: 'n' },
      },
      parts: [{ headers: { 'content-type': 'text/plain; charset=utf-8' } }, {}, {}, {}, { headers: { 'content-type': 'application/json' } }],
    },
    reply: undefined,
    result: [
      'rerank.paint: images[0] must be a Blob, bytes, a stream of bytes or a FileUpload; for a path use fileFromPath of modelsvc/node',
      'rerank.paint: images must be an array',
      'rerank.paint: images must have at most 3 entries',
      'rerank.paint: filename is for one file: pass a File or FileUpload for each',
      'n',
    ],
  },
  {
    what: 'a file or a list of files',
    set: [[['paths', '/pictures', 'put'], operation('paint2', { requestBody: form({ image: { description: 'I.', anyOf: [bytes, list] } }, {}) })]],
    call: `
      type Paint = NonNullable<operations['rerank.paint2']['requestBody']>['content']['multipart/form-data'];
      const send = (request: Paint, to = s) =>
        requestJson(to, routes.rerankPaint2, undefined, () => uploadInput(routes.rerankPaint2, request)).catch((error: Error) => error.message);
      const file = new Blob(['1']);
      await send({ image: file });
      await send({ image: [file, file] });
      return send({ image: [file, file, file, file] }, vendor);`,
    sent: { method: 'PUT', path: '/pictures', body: { image: { name: 'file', bytes: bytesOf('1') } } },
    reply: undefined,
    result: 'rerank.paint2: image must have at most 3 entries',
  },
  {
    what: 'a form, and bytes as the reply, by PUT and PATCH of the bindings',
    set: ['put', 'patch'].map((method) => [
      ['paths', '/sketches', method],
      operation(
        `sketch_${method}`.replace(/_./, (at) => at.slice(1).toUpperCase()),
        {
          requestBody: form({ name: { ...text, minLength: 1 }, image: bytes }, {}),
          responses: { 200: { description: 'A picture.', content: { 'image/png': { schema: bytes, examples: { one: { value: '(png)' } } } } } },
          'x-expected': undefined,
        },
      ),
    ]),
    call: `
      const raw = c.bindings('chat');
      const body = { name: 'n', image: new Blob(['1']) };
      const answers = [
        await raw.PUT('/sketches', { body }),
        await raw.PATCH('/sketches', { body }),
        await raw.request('put', '/sketches', { body }),
        await raw.request('patch', '/sketches', { body }),
      ];
      // @ts-expect-error: the image is a file.
      void (() => raw.PUT('/sketches', { body: { name: 'n', image: 'a.png' } }));
      return answers.map(({ data }) => new TextDecoder().decode(data as ArrayBuffer));`,
    sent: { method: 'PUT', path: '/sketches', body: { name: 'n', image: { name: 'file', bytes: bytesOf('1') } } },
    reply: { body: new TextEncoder().encode('png'), headers: { 'content-type': 'image/png' } },
    result: ['png', 'png', 'png', 'png'],
  },
  {
    what: 'a list as the whole body',
    set: [
      [
        ['paths', '/list-of-notes', 'post'],
        operation('noteList', {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Note' }, minItems: 1 },
                examples: { one: { value: [{ note: 'n' }] } },
              },
            },
          },
        }),
      ],
    ],
    call: `
      const send = (body: { note: string }[]) =>
        requestJson(s, routes.rerankNoteList, undefined, () => ({ body })).then(({ note }) => note, (error: Error) => error.message);
      const refused = [await send([{ note: 1 }] as never), await send({ note: 'n' } as never), await send(undefined as never)];
      const { data } = await c.bindings('chat').POST('/list-of-notes', { body: [{ note: 'n' }] });
      // @ts-expect-error: the body is a list.
      void (() => c.bindings('chat').POST('/list-of-notes', { body: { note: 'n' } }));
      return [...refused, await send([{ note: 'n' }]), data?.note];`,
    sent: { method: 'POST', path: '/list-of-notes', body: [{ note: 'n' }] },
    result: [
      'rerank.noteList: [0].note must be a string',
      'rerank.noteList: the request must be an array',
      'rerank.noteList: the request must be an array',
      'n',
      'n',
    ],
  },
  {
    what: 'a list as the whole reply',
    set: [
      [
        ['paths', '/all-notes', 'get'],
        operation('allNotes', {
          responses: {
            200: {
              description: 'Notes.',
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
                  examples: { one: { value: [{ note: 'n' }] } },
                },
              },
            },
          },
          'x-expected': [],
        }),
      ],
    ],
    call: `
      const notes = await requestJson(s, routes.rerankAllNotes, undefined, () => ({}));
      const { data } = await c.bindings('chat').GET('/all-notes');
      return [notes.length, notes[0]?.note, data?.[0]?.note];`,
    sent: { method: 'GET', path: '/all-notes' },
    reply: undefined,
    result: [1, 'n', 'n'],
  },
  {
    what: 'header parameters, a required one, and one that the client sends',
    set: [
      [
        ['paths', '/tenants', 'get'],
        operation('tenant', {
          parameters: [
            { name: 'X-Tenant', in: 'header', required: true, description: 'T.', schema: { type: 'string', minLength: 1 }, example: 'acme' },
            { name: 'x-depth', in: 'header', description: 'D.', schema: { type: 'integer' }, example: 1 },
            { name: 'Accept-Language', in: 'header', required: true, description: 'L.', schema: { type: 'string' }, example: 'en' },
            { name: 'page', in: 'query', description: 'P.', schema: { type: 'integer' }, example: 1 },
          ],
        }),
      ],
    ],
    call: `
      const get = (parameters: Record<string, unknown>) =>
        requestJson(s, routes.rerankTenant, undefined, () => ({ parameters: parameters as never })).then(({ note }) => note, (error: Error) => error.message);
      const refused = [await get({ page: 3 }), await get({ 'X-Tenant': 5 }), await get({ 'X-Tenant': 'a\\nb' })];
      const sent = await get({ page: 3, 'X-Tenant': 'acme', 'x-depth': 2 });
      const raw = c.bindings('chat');
      const query = { page: 3 };
      const { data } = await raw.GET('/tenants', { params: { query, header: { 'X-Tenant': 'acme', 'x-depth': 2 } } });
      // @ts-expect-error: the tenant is required.
      const { error } = await raw.GET('/tenants', { params: { query, header: {} } });
      return [...refused, sent, data?.note, JSON.stringify(error).includes('X-Tenant was not received')];`,
    sent: { method: 'GET', path: '/tenants', query: 'page=3', headers: { 'x-tenant': 'acme', 'x-depth': '2', 'accept-language': 'en-US,en' } },
    reply: undefined,
    result: [
      'rerank.tenant: X-Tenant is required',
      'rerank.tenant: X-Tenant must be a string',
      'rerank.tenant: X-Tenant contains a name or value that is not valid in an HTTP header',
      'n',
      'n',
      true,
    ],
  },
];

const answer = {
  id: 'j1',
  note: 'n',
  results: [{ index: 0, relevance_score: 1 }],
  'x-tag': 'seen',
  job: { note: 'n ' },
  pet: { kind: 'cat', lives: 9 },
};

type Call = (...given: readonly unknown[]) => Promise<unknown>;

const calls = new Map<string, Call>();
let start: (url: string) => readonly unknown[];
let fake: FakeService;
let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'edited-'));
  for (const folder of ['spec', 'docs', 'src']) await cp(join(project, folder), join(root, folder), { recursive: true });
  await cp(join(project, 'package.json'), join(root, 'package.json'));
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'));
  const file = join(root, 'spec/openapi.yaml');
  const spec = parseDocument(ts.sys.readFile(file) ?? '');
  for (const { set } of edits) for (const [place, value] of set) spec.setIn(place, spec.createNode(value));
  await writeFile(file, spec.toString({ lineWidth: 0 }));
  await generate(root, false);
  const functions = edits.map(({ what, call }) => `  ${JSON.stringify(what)}: async (c: Client, s: Settings) => {\n    ${call}\n  },\n`);
  await writeFile(
    join(root, 'src/calls.ts'),
    `import { type Client, newClient } from './overlay/index.ts';\nimport { requestJson } from './overlay/call/operations/request-json.ts';\nimport { resolveConfig, type Settings } from './overlay/call/settings/settings.ts';\nimport * as routes from './generated/routes.ts';\nimport type { operations } from './generated/operations.ts';\nimport type { acme_Tag } from './generated/types.ts';\nimport { type UploadOptions, uploadInput } from './overlay/files/upload-request.ts';\n/** The host of the vendor, whose ranges are checked. */\nconst vendor = resolveConfig({ apiKey: 'k' });\nexport { startFakeService } from './testing/index.ts';\nexport const start = (endpoints: string) => [newClient({ apiKey: 'k', endpoints }), resolveConfig({ apiKey: 'k', endpoints })] as const;\nexport const calls = {\n${functions.join('')}};\n`,
  );
});

afterAll(async () => {
  await fake.close();
  await rm(root, { recursive: true, force: true });
});

it('the client of the edited spec compiles, with its calls', async () => {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, root);
  const program = ts.createProgram({ rootNames: [join(root, 'src/calls.ts')], options });
  const problems = ts.getPreEmitDiagnostics(program).map((one) => `${one.file?.fileName}: ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`);
  expect(problems).toEqual([]);
  const module = (await import(join(root, 'src/calls.ts'))) as {
    start: (url: string) => readonly unknown[];
    calls: Record<string, Call>;
    startFakeService: typeof startFakeService;
  };
  start = module.start;
  // The fake of the edited spec: its routes have the new paths.
  fake = await module.startFakeService({ keys: 'any' });
  for (const [what, call] of Object.entries(module.calls)) calls.set(what, call);
});

it('the body of a 204 is not a reply, and its socket is not used again', async () => {
  const raw = await startRawServer((socket) => socket.write('HTTP/1.1 204 Gone\r\ncontent-length: 12\r\n\r\n{"id":"late"}'));
  expect(await calls.get('a 204, with the reply of the fake')?.(...start(raw.url))).toEqual([[], 204]);
});

it.each(edits)('$what', async (edit) => {
  const { what, sent, result } = edit;
  fake.fallback('*', 'reply' in edit ? edit.reply : { body: answer });
  const before = fake.requests.length;
  expect(await calls.get(what)?.(...start(fake.url))).toEqual(result);
  const [request, ...others] = fake.requests.slice(before);
  const [path, query = ''] = (request?.target ?? '').split('?');
  expect({ ...request, path, query: decodeURIComponent(query) }).toMatchObject(sent);
  expect(others.filter(({ target }) => target !== request?.target)).toEqual([]);
});

it('Prism, the mock of the document, takes and refuses what the fake does', async () => {
  const mock = await startMock(0, join(root, 'spec/openapi.yaml'));
  const odd: string[] = [];
  // Prism reads each part of a form as one text.
  for (const { method, target, headers, bytes, refusal } of fake.requests.filter(({ parts }) => parts.length === 0)) {
    const { host: _, connection: __, 'content-length': ___, ...own } = headers;
    const { status } = await fetch(mock.url + target, { method, headers: own, body: bytes.length > 0 ? bytes.slice() : null });
    if (status >= 400 !== (refusal !== undefined)) odd.push(`${method} ${target}: ${status}, and ${refusal?.reason ?? 'no refusal'} of the fake`);
  }
  await mock.close();
  expect(odd).toEqual([]);
});
