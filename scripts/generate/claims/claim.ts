/** A fact that can become false: an entry of `docs/evidence.json`, which is sorted by id. */
export interface Claim {
  /** `<kind>:<subject>`, made of names only, so that it stays when rows and fields move. */
  readonly id: string;
  /** The file of the repository, and a JSON pointer into it. Rows of a list are named by their id, code or name. */
  readonly place: string;
  /** `documented`, `recorded`, `reported`, `sdk-only` or `unconfirmed`. */
  readonly evidence: string;
  /** Texts that end in a date. */
  readonly source: readonly string[];
  /** The newest of these dates: `YYYY-MM` or `YYYY-MM-DD`. */
  readonly seen: string;
  /** The value that counts. Its form depends on the kind. */
  readonly value?: unknown;
  /** Values of other sources, and why the value was taken. */
  readonly disputed?: readonly string[];
}

/** A claim as its file has it. */
export type Found = Omit<Claim, 'place' | 'seen'> & { readonly path: readonly string[] };
