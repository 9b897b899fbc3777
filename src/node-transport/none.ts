/** Replaces index.ts in bundles for browsers and workers, which have only fetch. */
import type { Config } from '../overlay/config.ts';
import type { Transport } from '../overlay/transport/transport.ts';

export function nodeTransport(_config: Config, _maxSockets: number, _roots: readonly string[], _before?: Transport): Transport | undefined {
  return undefined;
}
