import type { ExchangeFile } from '../../../src/testing/exchanges/form.ts';
import { currentClaims, currentDocument } from './document.ts';
import { ExchangeJudge } from './exchange-judge.ts';
import type { ExchangeFinding } from './finding.ts';
import { Validators } from './validators.ts';

/** With the places of the document that some reply shows. */
export interface Judgement {
  /** In the order of their exchanges. Equal ones are one with a count. */
  readonly findings: readonly ExchangeFinding[];
  readonly shown: ReadonlySet<string>;
}

/** Compares recorded exchanges with the document, strictly: fields, types, words, events, models, codes and media types. */
export function judged({ exchanges }: ExchangeFile): Judgement {
  const judge = new ExchangeJudge((validators ??= new Validators(currentDocument())), (claims ??= currentClaims()));
  for (const [index, exchange] of exchanges.entries()) judge.judge(exchange, index);
  return judge;
}

/** The document and the claims do not change while a program runs. */
let validators: Validators | undefined;
let claims: ReturnType<typeof currentClaims> | undefined;
