// The state of recorded values: what is in the files now.
import { modeText } from '../../store/file.ts';
import { pathText } from './edits/edit.ts';
import { find } from './edits/values.ts';
import { isOpen } from './file-mode.ts';
import { readConfig, UnusableFile } from './files/read.ts';
import { formatNamed, inFile } from './formats.ts';
import { isOwn, type RecordEntry, type RecordedEdit } from './record.ts';

/** `set` by this program; `changed` by another one since; `gone`; `unwritten`, because the process was killed before it. */
export type ValueState = 'set' | 'changed' | 'gone' | 'unwritten';

export interface ValueStatus {
  readonly path: string;
  readonly state: ValueState;
}

export interface EntryStatus {
  readonly entry: RecordEntry;
  /** The worst state of its values; `unreadable` if the file cannot be read. */
  readonly state: ValueState | 'unreadable';
  readonly values: readonly ValueStatus[];
  /** The document as a value. */
  readonly content?: unknown;
  readonly problem?: string;
  /** The next step for the problem. */
  readonly cure?: string;
  /** Other users can read a key in the file, as a clause with its path and mode. */
  readonly exposure?: string;
}

/** Reads the file of an entry and compares its values with the record. */
export async function statusOf(entry: RecordEntry): Promise<EntryStatus> {
  try {
    const { text = '', mode = 0 } = await readConfig(entry.file);
    const format = await formatNamed(entry.format);
    const content = inFile(entry.file, () => format.read(text).value) ?? {};
    const values = entry.edits.map((edit) => ({ path: pathText(edit.path), state: stateOf(content, edit, entry.state) }));
    const worst = (['changed', 'gone', 'unwritten'] as const).find((one) => values.some(({ state }) => state === one));
    const isExposed = isOpen(mode) && entry.edits.some(({ hasKey }) => hasKey);
    const exposure = `other users can read the key in ${entry.file} (mode ${modeText(mode)})`;
    return { entry, state: worst ?? 'set', values, content, ...(isExposed && { exposure }) };
  } catch (error) {
    const problem = (error as Error).message;
    return { entry, state: 'unreadable', values: [], problem, ...(error instanceof UnusableFile && { cure: error.cure }) };
  }
}

function stateOf(content: unknown, edit: RecordedEdit, state: RecordEntry['state']): ValueState {
  const value = find(content, edit.path);
  if (isOwn(edit, value)) return 'set';
  if (state === 'writing') return 'unwritten';
  return value === undefined ? 'gone' : 'changed';
}
