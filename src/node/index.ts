import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileUpload } from '../generated/types.ts';

export type { FileUpload } from '../generated/types.ts';

const blockBytes = 256 * 1024;

/**
 * A file on disk to upload: `files().upload(ctx, { file: fileFromPath('requests.jsonl'), purpose: 'batch' })`.
 *
 * The file is streamed in blocks of 256 KB and opened anew for each attempt, so that a failed upload is retried. Its size is
 * taken now; a file that has changed its size by the time it is sent fails the upload. Throws the error of the file system when there is no such file.
 */
export function fileFromPath(path: string | URL): FileUpload {
  const place = typeof path === 'string' ? path : fileURLToPath(path);
  const facts = statSync(place);
  if (facts.isDirectory()) throw Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' });
  const name = basename(place);
  // A pipe or a device has no size before its end.
  return facts.isFile() ? { name, size: facts.size, open: () => blocks(place) } : { name, open: () => blocks(place) };
}

/** Two buffers in turn: while one is being sent the other is filled. */
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
      // Looked at only when the block has been sent: a failure until then is not unhandled.
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
