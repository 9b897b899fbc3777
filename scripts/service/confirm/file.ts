// The file of a run: its exchanges, and which entries have an answer. It can be attached to an issue.
import { createHash } from 'node:crypto';
import { version } from '../../../src/overlay/index.ts';
import { replaceFileSync } from '../../../src/store/replace.ts';
import { type RecordedExchange, readExchanges, writeExchanges } from '../../../src/testing/index.ts';
import { Refused } from '../facts.ts';
import type { KeyKind } from './entries.ts';

export interface RunFile {
  /** Version of modelsvc. */
  readonly package: string;
  readonly host: string;
  readonly key: KeyKind;
  /** Day of the first request, in UTC. */
  readonly date: string;
  /** The result of each answered entry: `success`, or status and code. */
  readonly answered: Readonly<Record<string, string>>;
  readonly exchanges: readonly RecordedExchange[];
}

/** Writes the file in one step. `sum` finds a change by hand. */
export function writeRun(path: string, run: RunFile): void {
  replaceFileSync(path, runText(run), () => undefined);
}

export function runText({ exchanges, ...head }: RunFile): string {
  const text = writeExchanges({ confirm: { sum: '', ...head }, exchanges });
  return text.replace('"sum": ""', `"sum": "${sumOf(text)}"`);
}

/** The run in the text of a file. Throws an error that names the field and the cure, never a value. */
export function runIn(name: string, text: string): RunFile {
  const { exchanges, confirm } = readExchanges(text, name);
  const refused = (problem: string): Refused => new Refused(`${name}: ${problem}. Run npm run confirm again, with another --file.`);
  if (confirm === undefined) throw refused('it is a recording, not the file of a run');
  const { package: made, host, key, date, answered, sum } = confirm;
  if (made !== version) throw refused(`confirm.package is not ${version}, the version of this tree`);
  if (key !== 'payg' && key !== 'plan') throw refused('confirm.key must be payg or plan');
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date)) throw refused('confirm.date must be a day such as 2026-11-22');
  if (typeof host !== 'string' || !/^[\w.-]+(?::\d+)?$/.test(host)) throw refused('confirm.host must be a host');
  if (typeof answered !== 'object' || answered === null || !Object.values(answered).every((one) => typeof one === 'string'))
    throw refused('confirm.answered must have a text for each entry');
  if (typeof sum !== 'string' || sumOf(text.replace(`"sum": "${sum}"`, '"sum": ""')) !== sum)
    throw refused('confirm.sum does not fit: the file was changed after it was written');
  return { package: made, host, key, date, answered: answered as Readonly<Record<string, string>>, exchanges };
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
