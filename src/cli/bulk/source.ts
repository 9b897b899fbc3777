// The input of a run of many rows: the lines of a file, of a pipe, or of stdin.
import { stat } from 'node:fs/promises';
import { fileProblem } from '../../store/error.ts';
import { usageError } from '../errors/exit.ts';
import { fileBlocks } from '../files/blocks.ts';
import { type InputLine, linesOf } from '../files/lines.ts';
import type { Screen } from '../terminal/screen.ts';

export interface RowSource {
  /** The name for messages. */
  readonly place: string;
  lines(): AsyncGenerator<InputLine, void, undefined>;
  /** False for stdin and pipes. */
  readonly isRepeatable: boolean;
  /** The lines are records of a table as JSON. */
  readonly isTable?: boolean;
}

/** `absent` is the message without stdin. */
export async function linesFrom(screen: Screen, path: string, absent: string): Promise<RowSource> {
  if (path === '-') {
    if (!screen.hasStdin) throw usageError(absent, 'Pass FILE, or lines through a pipe.');
    return { place: 'stdin', lines: () => linesOf(screen.stdin(), { place: 'stdin', strict: true }), isRepeatable: false };
  }
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(path === '' ? 'the name of the file is empty' : fileProblem(path, error));
  });
  if (facts.isDirectory()) throw usageError(`${path} is a directory`, 'Pass the path of a file.');
  return { place: path, lines: () => linesOf(fileBlocks(path, facts), { place: path, strict: true }), isRepeatable: facts.isFile() };
}
