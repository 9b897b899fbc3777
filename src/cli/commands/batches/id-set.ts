import { createHash } from 'node:crypto';

/**
 * A set of texts that takes 16 to 32 bytes for each, of any length: a table of hashes with 64 bits. Two of a million texts have the same hash with a
 * probability of one in 30 million.
 */
export class IdSet {
  #slots = new BigUint64Array(1024);
  #size = 0;

  /** Returns false if the set has the text already. */
  add(text: string): boolean {
    if (!insert(this.#slots, hashOf(text))) return false;
    if (++this.#size * 2 <= this.#slots.length) return true;
    const larger = new BigUint64Array(this.#slots.length * 2);
    for (const hash of this.#slots) if (hash !== 0n) insert(larger, hash);
    this.#slots = larger;
    return true;
  }
}

/** Places a hash into the next free slot. */
function insert(slots: BigUint64Array, hash: bigint): boolean {
  for (let at = Number(hash & 0xffffffffn) % slots.length; ; at = (at + 1) % slots.length) {
    if (slots[at] === hash) return false;
    if (slots[at] !== 0n) continue;
    slots[at] = hash;
    return true;
  }
}

/** A free slot is 0, so no hash is. */
function hashOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64LE() || 1n;
}
