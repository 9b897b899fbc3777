// Cuts rows into slices at the limits of a batch. Slices of an earlier run are cut as they were then.
import { createHash } from 'node:crypto';
import type { SliceState, StateFile } from './state.ts';

/** A row of the input, as it is kept until its answer is stored. */
export interface KeptRow {
  /** Number of the row, from 0. Rows that are not asked leave gaps. */
  readonly index: number;
  /** Id of the request, unique in the input. */
  readonly id: string;
  /** Identifies the request. */
  readonly hash: string;
  readonly model: string;
  /** True if the results have its answer already. */
  readonly isAnswered: boolean;
}

/** A row of the input that has a request. */
export interface BulkRow extends KeptRow {
  /** The line of the request in an input file. Throws an error that names the row. */
  line(): string;
}

/** Limits of one batch. */
export interface SliceLimits {
  readonly rows: number;
  readonly bytes: number;
}

const encoder = new TextEncoder();
const blockLength = 256 * 1024;

export class Slice {
  /** Its state from an earlier run. */
  readonly known: SliceState | undefined;
  /** Empty if its results are stored. */
  readonly rows: KeptRow[] = [];
  /** Its models, each with the one text that the rows share. */
  readonly models: Map<string, string> = new Map();
  bytes = 0;
  count = 0;
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  /** Lines that are not in a block yet: a million small arrays would take several times their bytes. */
  #text = '';
  readonly #hash = createHash('sha256');
  readonly #ranges: [number, number][] = [];

  constructor(known?: SliceState) {
    this.known = known;
  }

  /** `follows` is true if the row before it was added too. `line` is to be uploaded; it is absent if the batch is known. */
  add({ index, id, hash, isAnswered, model }: BulkRow, follows: boolean, line?: string): void {
    this.count++;
    if (!this.models.has(model)) this.models.set(model, model);
    this.#hash.update(`${hash}\n`);
    const range = this.#ranges.at(-1);
    if (range && follows) range[1] = index;
    else this.#ranges.push([index, index]);
    // Copied, because the row holds the text of its request.
    if (this.known?.failed === undefined) this.rows.push({ index, id, hash, isAnswered, model: this.models.get(model) ?? model });
    if (line === undefined) return;
    this.bytes += Buffer.byteLength(line);
    this.#text += line;
    if (this.#text.length > blockLength) this.#pack();
  }

  /** The file to upload. Call it once: the slice keeps no copy. */
  file(): File {
    this.#pack();
    const file = new File(this.#blocks, 'requests.jsonl', { type: 'application/jsonl' });
    this.#blocks = [];
    return file;
  }

  #pack(): void {
    this.#blocks.push(encoder.encode(this.#text));
    this.#text = '';
  }

  /** Its state. Call it once, when it has all rows. */
  state(): Omit<SliceState, 'mark'> {
    return { hash: this.#hash.digest('hex'), rows: this.count, ranges: this.#ranges };
  }
}

/** Yields each slice with its last row. Throws if the rows are not those of the state: its slices have to occur completely. */
export async function* slicesOf(
  rows: AsyncIterable<BulkRow>,
  state: StateFile,
  limits: SliceLimits,
  signal: AbortSignal,
): AsyncGenerator<Slice, void, undefined> {
  const known = new KnownRanges(state.slices);
  const open = new Map<SliceState, Slice>();
  let missing = state.slices.length;
  let fresh: Slice | undefined;
  let previous: Slice | undefined;
  for await (const row of rows) {
    signal.throwIfAborted();
    const found = known.at(row.index);
    if (found) {
      if (fresh) yield fresh;
      fresh = undefined;
      const slice = open.get(found) ?? new Slice(found);
      open.set(found, slice);
      slice.add(row, previous === slice, found.batch === undefined ? row.line() : undefined);
      previous = slice;
      if (slice.count < found.rows) continue;
      if (slice.state().hash !== found.hash) throw state.foreign();
      open.delete(found);
      missing--;
      yield slice;
    } else if (row.isAnswered) previous = undefined;
    else {
      const line = row.line();
      if (fresh && (fresh.count >= limits.rows || fresh.bytes + Buffer.byteLength(line) > limits.bytes)) {
        yield fresh;
        fresh = undefined;
      }
      fresh ??= new Slice();
      fresh.add(row, previous === fresh, line);
      previous = fresh;
    }
  }
  if (missing > 0) throw state.foreign();
  if (fresh) yield fresh;
}

/** Finds the slice of a row. Rows are asked for in ascending order. */
class KnownRanges {
  readonly #starts = new Map<number, { readonly slice: SliceState; readonly last: number }>();
  #current: { readonly slice: SliceState; readonly last: number } | undefined;

  constructor(slices: readonly SliceState[]) {
    for (const slice of slices) for (const [first, last] of slice.ranges) this.#starts.set(first, { slice, last });
  }

  at(index: number): SliceState | undefined {
    if (this.#current === undefined || index > this.#current.last) this.#current = this.#starts.get(index);
    return this.#current?.slice;
  }
}
