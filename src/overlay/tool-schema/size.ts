import { isObject, type JsonSchema, type Subschema } from './json-schema.ts';
import { eachChild, KEYWORDS, type Keyword } from './keywords.ts';
import { MAX_SHARED_INPUT } from './limits.ts';

/** Measures schemas in bytes of JSON. A shared schema counts once for every place where it is used. */
export class Sizes {
  readonly #textBytes: (text: string) => number;
  readonly #own = new Map<object, number>();
  readonly #whole = new Map<object, number>();
  /** Data that several schemas may share. */
  readonly #data = new Map<object, number>();

  /** `atMost` measures faster, but too much. */
  constructor(textBytes: typeof exactly) {
    this.#textBytes = textBytes;
  }

  /** The schema including every schema below it. */
  whole(schema: Subschema): number {
    if (!isObject(schema)) return 0;
    let bytes = this.#whole.get(schema);
    if (bytes === undefined) {
      bytes = this.own(schema);
      eachChild(schema, (child) => void (bytes = (bytes as number) + this.whole(child)));
      this.#whole.set(schema, bytes);
    }
    return bytes;
  }

  /** An input, which may be deeper than the stack, cyclic, or shared in doubling layers. */
  input(root: JsonSchema): number {
    const places = [root];
    let bytes = 0;
    for (let schema = places.pop(); schema !== undefined && bytes <= MAX_SHARED_INPUT; schema = places.pop()) {
      bytes += this.own(schema);
      eachChild(schema, (child) => void (isObject(child) && places.push(child)));
    }
    return bytes <= MAX_SHARED_INPUT ? bytes : Math.max(MAX_SHARED_INPUT, this.#distinct(root));
  }

  #distinct(root: JsonSchema): number {
    const seen = new Set([root]);
    let bytes = 0;
    for (const schema of seen) {
      bytes += this.own(schema);
      eachChild(schema, (child) => void (isObject(child) && seen.add(child)));
    }
    return bytes;
  }

  /** The schema without the schemas below it. A boolean belongs to the schema above. */
  own(schema: JsonSchema): number {
    let bytes = this.#own.get(schema);
    if (bytes === undefined) {
      bytes = 1;
      for (const keyword in schema) {
        const value = schema[keyword];
        if (value !== undefined) bytes += this.#textBytes(keyword) + 2 + this.#value(value, KEYWORDS.get(keyword));
      }
      bytes = Math.max(bytes, 2);
      this.#own.set(schema, bytes);
    }
    return bytes;
  }

  #value(value: unknown, kind: Keyword | undefined): number {
    if (typeof value !== 'object' || value === null) return this.#scalarBytes(value);
    if (!Array.isArray(value) && kind?.schema) return 0;
    if (!(Array.isArray(value) ? kind?.list : kind?.map)) return this.#dataOf(value);
    let bytes = 1;
    for (const name in value) {
      const child = (value as JsonSchema)[name];
      bytes += (Array.isArray(value) ? 1 : this.#textBytes(name) + 2) + (isObject(child) ? 0 : this.#dataOf(child));
    }
    return Math.max(bytes, 2);
  }

  #dataOf(data: unknown): number {
    if (typeof data !== 'object' || data === null) return this.#scalarBytes(data);
    let bytes = this.#data.get(data);
    if (bytes === undefined) {
      bytes = this.#dataBytes(data);
      this.#data.set(data, bytes);
    }
    return bytes;
  }

  #dataBytes(data: object): number {
    let bytes = 0;
    const queue = [data];
    const add = (value: unknown): void => {
      if (typeof value === 'object' && value !== null) queue.push(value);
      else bytes += this.#scalarBytes(value);
    };
    for (let at = queue.pop(); at !== undefined && bytes < ENDLESS; at = queue.pop()) {
      const before = bytes;
      bytes += 1;
      if (Array.isArray(at)) {
        bytes += at.length;
        at.forEach(add);
      } else {
        for (const name in at) {
          bytes += this.#textBytes(name) + 2;
          add((at as JsonSchema)[name]);
        }
      }
      if (bytes === before + 1) bytes += 1;
    }
    return bytes;
  }

  #scalarBytes(value: unknown): number {
    return typeof value === 'string' ? this.#textBytes(value) : String(value).length;
  }
}

/** Cyclic data has no finite size: it counts as this many bytes. */
const ENDLESS = 1e8;

/** An upper bound of `exactly`: an escape takes six bytes. */
export function atMost(text: string): number {
  return 6 * text.length + 2;
}

/** Text that JSON contains unchanged, in one byte a character. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Bytes of a string in JSON, with quotes and escapes, in UTF-8. */
export function exactly(text: string): number {
  if (PLAIN.test(text)) return text.length + 2;
  let bytes = JSON.stringify(text).length;
  // A surrogate pair takes four bytes, two for each half.
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}
