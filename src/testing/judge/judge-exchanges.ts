import { validationError } from '../../overlay/errors/problem.ts';
import { isFields } from '../../overlay/json/json-value.ts';
import { checkFields } from '../../overlay/json/known-fields.ts';
import { Problem } from '../../overlay/json/problem.ts';
import type { ExchangeFile } from '../exchanges/form.ts';
import { packagedClaims, packagedDocument, SpecDocument } from './document.ts';
import { ExchangeJudge } from './exchange-judge.ts';
import type { ExchangeFinding } from './finding.ts';
import { notInstalled, Validators } from './validators.ts';

/** Options of `judgeExchanges`. */
export interface JudgeOptions {
  /** Text of another OpenAPI document, in YAML or JSON. Default: the document of this version. */
  readonly spec?: string | undefined;
}

/** The result of `judgeExchanges`. */
export interface JudgedExchanges {
  /** In the order of their exchanges. Equal ones are one with a count. */
  readonly findings: readonly ExchangeFinding[];
}

/**
 * Compares recorded exchanges with the document of this version, strictly: fields, types, words, events, models, codes and media types. No
 * request is sent. A test on its result notices when the service has changed, as soon as the recording is made anew.
 *
 * Needs `ajv` 8 and `yaml` 2, which you install. Rejects with a ValidationError without them, or for a document that ajv cannot compile.
 *
 * @example
 * const { findings } = await judgeExchanges(readExchanges(await readFile('test/recordings/weather.json', 'utf8')));
 * expect(findings.map(findingText)).toEqual([]);
 */
export async function judgeExchanges(file: ExchangeFile, options: JudgeOptions = {}): Promise<JudgedExchanges> {
  try {
    if (!isFields(file) || !Array.isArray(file.exchanges)) throw new Problem('file', 'must be a result of readExchanges');
    checkFields<JudgeOptions>(options, { spec: 1 }, 'options');
    const { findings } = await judged(file, options.spec);
    return { findings };
  } catch (error) {
    throw error instanceof Problem ? validationError('judgeExchanges', error) : error;
  }
}

/** With the places of the document that some reply shows. */
export interface Judgement extends JudgedExchanges {
  readonly shown: ReadonlySet<string>;
}

/** The judgement as the confirmation of claims reads it. Throws a Problem. */
export async function judged({ exchanges }: ExchangeFile, spec?: string): Promise<Judgement> {
  const validators = spec === undefined ? await (packaged ??= validatorsOf(packagedDocument())) : await validatorsOf(spec);
  const judge = new ExchangeJudge(validators, (claims ??= packagedClaims()));
  for (const [index, exchange] of exchanges.entries()) judge.judge(exchange, index);
  return judge;
}

/** The document and the claims of this version do not change while a program runs. */
let packaged: Promise<Validators> | undefined;
let claims: ReturnType<typeof packagedClaims> | undefined;

async function validatorsOf(text: string): Promise<Validators> {
  return Validators.of(new SpecDocument(await documentOf(text)));
}

async function documentOf(text: string): Promise<unknown> {
  const { parse } = await import('yaml').catch(() => {
    throw notInstalled;
  });
  try {
    return parse(text, { maxAliasCount: -1 });
  } catch (error) {
    throw new Problem('spec', `is neither YAML nor JSON: ${error instanceof Error ? error.message.split('\n')[0] : 'unknown error'}`);
  }
}
