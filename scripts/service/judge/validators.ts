// ajv with the strict schemas: which errors a value has, and which places of the document it shows.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { Problem } from '../../../src/overlay/json/problem.ts';
import type { SpecDocument } from './document.ts';
import { placeKeyword, type SchemaNode, StrictSchemas } from './strict-schema.ts';

export type SchemaError = ErrorObject;

export class Validators {
  readonly document: SpecDocument;
  readonly strict: StrictSchemas;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();
  #shown = new Set<string>();

  private constructor(ajv: Ajv2020, document: SpecDocument) {
    this.document = document;
    this.strict = new StrictSchemas(document.schemas);
    this.#ajv = ajv;
    const note = (place: string, value: unknown, parent?: object): boolean => {
      this.#shown.add(place);
      if (typeof value === 'string' && parent !== undefined && 'enum' in parent) this.#shown.add(`${place}=${value}`);
      return true;
    };
    ajv.addKeyword({ keyword: placeKeyword, schemaType: 'string', validate: note, errors: false });
    try {
      ajv.addSchema({ $id: 'spec', $defs: this.strict.definitions() });
    } catch (error) {
      throw uncompiled('#/components/schemas', error);
    }
  }

  /** Throws a Problem if a schema of the document cannot be compiled. */
  static of(document: SpecDocument): Validators {
    const options = { strict: false, allErrors: true, verbose: true, discriminator: true, validateFormats: false, inlineRefs: false } as const;
    return new Validators(new Ajv2020({ ...options, code: { optimize: false } }), document);
  }

  /** The errors of a value. `place` is that of the schema in the document. Adds to `shown` the places that the value shows, and `place=word` for a word of a list. */
  errors(schema: SchemaNode, place: string, value: unknown, shown: Set<string>): readonly SchemaError[] {
    this.#shown = shown;
    let validate = this.#compiled.get(place);
    if (!validate) {
      validate = this.#compile(schema, place);
      this.#compiled.set(place, validate);
    }
    return validate(value) ? [] : (validate.errors ?? []);
  }

  #compile(schema: SchemaNode, place: string): ValidateFunction {
    try {
      return this.#ajv.compile(this.strict.closed(schema, place));
    } catch (error) {
      throw uncompiled(place, error);
    }
  }
}

function uncompiled(place: string, error: unknown): Problem {
  return new Problem('spec', `has a schema that cannot be compiled, at ${place}: ${error instanceof Error ? error.message : 'unknown error'}`);
}
