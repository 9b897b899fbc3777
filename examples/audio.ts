/**
 * Convert text to a speech file, transcribe the file, and store it for voice cloning.
 *
 *     SVC_API_KEY=... npx tsx audio.ts speech.wav
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { newClient } from 'modelsvc';
import { fileFromPath } from 'modelsvc/node';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });
const path = process.argv[2] ?? 'speech.wav';

const speech = await c.audio().speech(undefined, {
  model: 'glm-tts',
  voice: 'tongtong',
  input: 'The rain in Spain stays mainly in the plain.',
  response_format: 'wav',
});
// Written block by block, never held in memory.
const file = createWriteStream(path);
await pipeline(speech, file);
console.log(`${path}: ${file.bytesWritten} bytes of ${speech.contentType}`);

const { text } = await c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: fileFromPath(path) });
console.log(`transcript: ${text}`);

const stored = await c.files().upload(undefined, {
  file: fileFromPath(path),
  purpose: 'voice-clone-input',
  onProgress: (sent, total) => {
    if (sent === total) console.log(`sent ${sent} bytes`);
  },
});
console.log(`stored as ${stored.id}`);
