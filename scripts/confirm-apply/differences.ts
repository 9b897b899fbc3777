// A difference as a change of the lines of the spec.

import type { Claim } from 'modelsvc/evidence.json';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Judgement } from '../../src/cli/commands/confirm/probes/probe.ts';
import { locate } from '../generate/claims/claims.ts';
import type { Json } from '../generate/document/source.ts';

type Difference = Extract<Judgement, { readonly verdict: 'differs' }>;

/** The line of the claim, and the line as it would be. A reply that gives no value of the same type becomes a comment. */
export function changeOf(file: string, text: string, claim: Claim, { expected, seen }: Difference, source: string): string {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const path = locate(document.toJS({ maxAliasCount: -1 }) as Json, claim.place);
  const node = path === undefined ? undefined : document.getIn(path, true);
  const head = `--- ${file}\n+++ ${file}`;
  const note = `${claim.id} differs: expected ${JSON.stringify(expected)}, seen ${JSON.stringify(seen)} (${source})`;
  const range = isNode(node) ? node.range : undefined;
  if (!range) return `${head}\n# ${note}`;
  const { line } = lines.linePos(range[0]);
  const start = text.lastIndexOf('\n', range[0] - 1) + 1;
  const end = text.indexOf('\n', range[0]);
  const old = text.slice(start, end < 0 ? undefined : end);
  const isSame = typeof seen === typeof claim.value && typeof seen !== 'object' && range[1] <= start + old.length;
  const value = isSame ? old.slice(0, range[0] - start) + String(seen) + old.slice(range[1] - start) : old;
  return `${head}\n@@ line ${line} @@ ${note}\n-${old}\n+${value}${isSame ? '' : `  # ${JSON.stringify(seen)}`}`;
}
