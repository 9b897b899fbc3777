import { parse } from 'yaml';
import { Problem } from '../../../src/overlay/json/problem.ts';
import type { ExchangeFile } from '../../../src/testing/exchanges/form.ts';
import { currentClaims, currentDocument, SpecDocument } from './document.ts';
import { ExchangeJudge } from './exchange-judge.ts';
import type { ExchangeFinding } from './finding.ts';
import { Validators } from './validators.ts';

/** With the places of the document that some reply shows. */
export interface Judgement {
  /** In the order of their exchanges. Equal ones are one with a count. */
  readonly findings: readonly ExchangeFinding[];
  readonly shown: ReadonlySet<string>;
}

/** Compares recorded exchanges with the document, strictly: fields, types, words, events, models, codes and media types. Throws a Problem. */
export async function judged({ exchanges }: ExchangeFile, spec?: string): Promise<Judgement> {
  const validators = spec === undefined ? await (packaged ??= validatorsOf(currentDocument())) : await validatorsOf(spec);
  const judge = new ExchangeJudge(validators, (claims ??= currentClaims()));
  for (const [index, exchange] of exchanges.entries()) judge.judge(exchange, index);
  return judge;
}

/** The document and the claims of this version do not change while a program runs. */
let packaged: Promise<Validators> | undefined;
let claims: ReturnType<typeof currentClaims> | undefined;

async function validatorsOf(text: string): Promise<Validators> {
  return Validators.of(new SpecDocument(await documentOf(text)));
}

async function documentOf(text: string): Promise<unknown> {
  try {
    return parse(text, { maxAliasCount: -1 });
  } catch (error) {
    throw new Problem('spec', `is neither YAML nor JSON: ${error instanceof Error ? error.message.split('\n')[0] : 'unknown error'}`);
  }
}
