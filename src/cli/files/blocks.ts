// The bytes of a file that the user names. It may be a pipe, which is left at Ctrl-C.
import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { blocksOf } from '../../store/pipe.ts';
import { commandSignal } from './command-signal.ts';

export function fileBlocks(path: string, facts: Stats): AsyncIterable<Buffer> {
  return blocksOf(path, facts, commandSignal.getStore());
}

export async function wholeFile(path: string, facts: Stats): Promise<Buffer> {
  if (facts.isFile()) return readFile(path);
  const blocks: Buffer[] = [];
  for await (const block of fileBlocks(path, facts)) blocks.push(block);
  return Buffer.concat(blocks);
}
