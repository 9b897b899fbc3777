/** Speech into a file, and its words. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'modelsvc';
import { fileFromPath } from 'modelsvc/node';

export async function run(c: Client, path: string): Promise<void> {
  await pipeline(await c.audio().speech(undefined, { model: 'glm-tts', input: 'Hello!', voice: 'tongtong' }), createWriteStream(path));
  const { text } = await c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: fileFromPath(path) });
  console.log(text);
}
