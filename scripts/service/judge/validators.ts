// ajv with the strict schemas: which errors a value has, and which places of the document it shows.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { SpecDocument } from './document.ts';
import { placeKeyword, type SchemaNode, StrictSchemas } from './strict-schema.ts';

export type SchemaError = ErrorObject;

export class Validators {
  readonly document: SpecDocument;
  readonly strict: StrictSchemas;
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    discriminator: true,
    validateFormats: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  readonly #compiled = new Map<string, ValidateFunction>();
  #shown = new Set<string>();

  constructor(document: SpecDocument) {
    this.document = document;
    this.strict = new StrictSchemas(document.schemas);
    const note = (place: string, value: unknown, parent?: object): boolean => {
      this.#shown.add(place);
      if (typeof value === 'string' && parent !== undefined && 'enum' in parent) this.#shown.add(`${place}=${value}`);
      return true;
    };
    this.#ajv.addKeyword({ keyword: placeKeyword, schemaType: 'string', validate: note, errors: false });
    this.#ajv.addSchema({ $id: 'spec', $defs: this.strict.definitions() });
  }

  /** The errors of a value. `place` is where the schema is in the document. Adds to `shown` the places that the value shows, and `place=word` for a word of a list. */
  errors(schema: SchemaNode, place: string, value: unknown, shown: Set<string>): readonly SchemaError[] {
    this.#shown = shown;
    let validate = this.#compiled.get(place);
    if (!validate) {
      validate = this.#ajv.compile(this.strict.closed(schema, place));
      this.#compiled.set(place, validate);
    }
    return validate(value) ? [] : (validate.errors ?? []);
  }
}
