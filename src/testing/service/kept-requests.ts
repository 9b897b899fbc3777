import type { FakeRequest } from '../requests/request.ts';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** The latest requests of a fake, and as many of their bodies as fit. */
export class KeptRequests {
  readonly #count: number;
  readonly #bytes: number;
  #list: FakeRequest[] = [];
  /** Those with a body whose answer has ended, oldest first. */
  #bodies: FakeRequest[] = [];
  #size = 0;

  constructor(count: number | undefined, bytes: number | undefined) {
    this.#count = count ?? Number.POSITIVE_INFINITY;
    this.#bytes = bytes ?? Number.POSITIVE_INFINITY;
  }

  get list(): readonly FakeRequest[] {
    return this.#list;
  }

  add(request: FakeRequest): void {
    this.#list.push(request);
    const gone = this.#list.length > this.#count ? this.#list.shift() : undefined;
    const at = gone === undefined ? -1 : this.#bodies.indexOf(gone);
    if (at >= 0) this.#size -= this.#bodies.splice(at, 1)[0]?.bytes.length ?? 0;
  }

  /** Drops the oldest bodies that no longer fit. Before its end an answer needs the body of its request. */
  ended(request: FakeRequest): void {
    if (this.#bytes === Number.POSITIVE_INFINITY || request.bytes.length === 0) return;
    this.#bodies.push(request);
    this.#size += request.bytes.length;
    while (this.#size > this.#bytes) {
      const oldest = this.#bodies.shift() as Writable<FakeRequest>;
      this.#size -= oldest.bytes.length;
      oldest.droppedBytes = oldest.bytes.length;
      oldest.body = undefined;
      oldest.bytes = new Uint8Array();
      oldest.parts = [];
    }
  }

  clear(): void {
    this.#list = [];
    this.#bodies = [];
    this.#size = 0;
  }
}
