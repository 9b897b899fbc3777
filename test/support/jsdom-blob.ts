/** A File as jsdom has it: no Blob of this realm, and without `stream`. */
export class JsdomFile {
  readonly name = 'named.jsonl';
  readonly type = '';
  readonly size: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(Uint8Array.from(this.#bytes).buffer);
  }
}
