/**
 * Convert text to speech: to a WAV file, and as a stream whose samples can be played as they arrive.
 *
 *     SVC_API_KEY=... npx tsx speech.ts "The rain in Spain stays mainly in the plain."
 */
import { newClient, speechBytes } from 'modelsvc';
import { download } from 'modelsvc/node';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const request = {
  model: 'glm-tts',
  voice: 'tongtong',
  input: process.argv[2] ?? 'The rain in Spain stays mainly in the plain.',
};
const speech = await c.audio().speech({ ...request, response_format: 'wav' });
// The stream is always PCM: 16-bit samples. `for await (const pcm of samples)` gives them to a player.
const samples = speechBytes(c.audio().speechStream(request));
for (const made of [
  await download(speech, 'speech.wav'),
  await download(samples, 'speech.pcm'),
])
  for (const { path, bytes } of made) console.log(`${path}: ${bytes} bytes`);
