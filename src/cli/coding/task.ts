// A task is the aim of a command for one part of a tool in one file. An update is the change that results.
import type { WiringBasis } from './basis.ts';
import type { Path } from './edits/edit.ts';
import type { Reversal } from './edits/reversal.ts';
import type { ModeUpdate } from './file-mode.ts';
import type { ConfigFile } from './files/read.ts';
import type { OwnValue } from './masked.ts';
import type { WhenChanged } from './part-edits.ts';
import type { RecordEntry, RecordedEdit } from './record.ts';
import type { FoundRival } from './rivals.ts';
import type { Change, FileChanges } from './tool.ts';

/** Sets `changes`. Without changes, the task takes back all values of the part. */
export interface PartTask extends Pick<FileChanges, 'file' | 'format' | 'hasLock'> {
  readonly tool: string;
  readonly part: string;
  readonly changes: readonly Change[];
  readonly whenChanged?: WhenChanged;
  /** Facts that the record keeps. */
  readonly facts: WiringBasis & Pick<RecordEntry, 'keyMode' | 'model' | 'smallModel' | 'version'>;
  /** Settings in the content of the file that come before the changes. */
  readonly rivals?: (content: unknown) => readonly FoundRival[];
}

/** The change of a file by one task. */
export interface PartUpdate {
  readonly task: PartTask;
  readonly edits: readonly RecordedEdit[];
  /** Edits of the earlier entry that are gone. */
  readonly removed: readonly RecordedEdit[];
  readonly changed: readonly Path[];
  /** Settings that come before the changes. Those with a value are replaced by it. */
  readonly rivals: readonly FoundRival[];
}

/** The change of a file by all its tasks. */
export interface FileUpdate extends ModeUpdate {
  readonly file: ConfigFile;
  /** Text after the change; undefined if the file is removed, or not made. */
  readonly after: string | undefined;
  readonly parts: readonly PartUpdate[];
  /** The way back to the text without the values of the record, if that text is known. */
  readonly reversal: Reversal | undefined;
  /** Values in the text before or after that this program wrote. */
  readonly own: readonly OwnValue[];
}

/** True if the file is not written: neither its text nor its mode would change. */
export function isUnchanged({ file, after, mode }: FileUpdate): boolean {
  return file.text === after && file.mode === mode && !file.isCut;
}
