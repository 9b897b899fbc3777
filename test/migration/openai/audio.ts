/** Speech as a stream and in memory, then its transcription. */
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'modelsvc';

export async function run(c: Client, path: string): Promise<void> {
  const request = { model: 'glm-tts', voice: 'tongtong', input: 'the quick brown fox jumped over the lazy dogs', response_format: 'wav' };
  await pipeline(await c.audio().speech(undefined, request), createWriteStream(path));
  console.log('Finished streaming');

  const wav = await c.audio().speech(undefined, request);
  const buffer = await wav.bytes();
  await writeFile(path, buffer);
  const transcription = await c.audio().transcribe(undefined, { file: buffer, filename: 'speech.wav', model: 'glm-asr-2512' });
  console.log(transcription.text);
}
