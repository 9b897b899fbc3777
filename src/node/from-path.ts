// A file on disk as an upload.
import { type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileUpload } from '../generated/types.ts';
import { validationError } from '../overlay/errors/problem.ts';
import { Problem } from '../overlay/json/problem.ts';
import { blocksOf } from '../store/pipe.ts';
import { pathError } from './path-error.ts';

const blockBytes = 256 * 1024;

/**
 * A file on disk to upload: `files().upload(ctx, { file: fileFromPath('requests.jsonl'), purpose: 'batch' })`.
 *
 * The file is streamed in blocks of 256 KB and opened again for each attempt, so that a failed upload can be retried. Its size is
 * read immediately. The upload fails if the size changes before the file is sent. Throws a ValidationError with the `path` and
 * the `code` of the file system if the file cannot be read, for instance `ENOENT`.
 */
export function fileFromPath(path: string | URL): FileUpload {
  if (typeof path !== 'string' && !(path instanceof URL)) throw validationError('fileFromPath', new Problem('path', 'must be a path or a file URL'));
  const file = typeof path === 'string' ? path : fileURLToPath(path);
  const facts = factsOf(file);
  if (facts.isDirectory())
    throw pathError('fileFromPath', file, 'read', Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' }));
  const name = basename(file);
  // Pipes and devices have no known size.
  return facts.isFile() ? { name, size: facts.size, open: () => blocks(file) } : { name, open: () => blocksOf(file, facts) };
}

function factsOf(file: string): Stats {
  try {
    return statSync(file);
  } catch (cause) {
    throw pathError('fileFromPath', file, 'read', cause as NodeJS.ErrnoException);
  }
}

/** Alternates between two buffers, so that one is filled while the other is sent. */
async function* blocks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  let ahead: Promise<Uint8Array> | undefined;
  try {
    const buffers = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)] as const;
    ahead = fill(handle, buffers[0]);
    for (let turn = 1; ; turn = 1 - turn) {
      const block = await ahead;
      if (block.length === 0) return;
      ahead = fill(handle, buffers[turn === 0 ? 0 : 1]);
      // Awaited only after the current block is sent. Until then, a failure must not be an unhandled rejection.
      ahead.catch(() => undefined);
      yield block;
    }
  } finally {
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

async function fill(handle: FileHandle, buffer: Buffer): Promise<Uint8Array> {
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
  return buffer.subarray(0, bytesRead);
}
