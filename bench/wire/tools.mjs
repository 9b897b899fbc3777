/** Tool declarations: as schema libraries write them, and one that doubles at every step. */

const schemas = [
  // By hand.
  () => ({
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
    required: ['city'],
    additionalProperties: false,
  }),
  // A nullable field and a union, as validators print them.
  () => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      query: { type: 'string' },
      since: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], default: null },
      sort: { oneOf: [{ const: 'newest' }, { const: 'oldest' }, { const: 'relevance' }] },
      limit: {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', enum: ['all'] },
        ],
      },
    },
    required: ['query'],
  }),
  // Models that refer to each other.
  () => ({
    type: 'object',
    properties: {
      sender: { $ref: '#/$defs/Person' },
      receivers: { type: 'array', items: { $ref: '#/$defs/Person' } },
      parcel: { $ref: '#/$defs/Parcel' },
    },
    required: ['sender', 'parcel'],
    $defs: {
      Person: { type: 'object', properties: { name: { type: 'string' }, address: { $ref: '#/$defs/Address' } }, required: ['name'] },
      Address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' }, code: { type: ['string', 'null'] } } },
      Parcel: { type: 'object', properties: { grams: { type: 'number' }, kind: { enum: ['letter', 'box', 'pallet'] } }, required: ['grams'] },
    },
  }),
  // Composed by allOf.
  () => ({
    allOf: [
      { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      {
        type: 'object',
        properties: { encoding: { type: 'string', enum: ['utf8', 'base64'] }, lines: { type: 'array', items: { type: 'integer' } } },
      },
    ],
  }),
];

const declared = (name, parameters) => ({ type: 'function', function: { name, description: `What ${name} does.`, parameters } });

export function typicalTools(count) {
  return Array.from({ length: count }, (_, index) => declared(`tool_${index}`, schemas[index % schemas.length]()));
}

/** Each definition names the next one twice: written out it would have 2 to the power of `depth` leaves. */
export function explodingTool(depth) {
  const $defs = {};
  for (let level = 0; level < depth; level++) {
    const next = { $ref: `#/$defs/level${level + 1}` };
    $defs[`level${level}`] = { type: 'object', properties: { left: next, right: next } };
  }
  $defs[`level${depth}`] = { type: 'string' };
  return declared('explode', { $ref: '#/$defs/level0', $defs });
}
