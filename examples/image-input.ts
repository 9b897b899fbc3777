/**
 * Ask a vision model about an image file.
 *
 *     SVC_API_KEY=... npx tsx image-input.ts photo.png
 */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { contentText, newClient } from 'modelsvc';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS ?? {} });

const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg' };
const path = process.argv[2] ?? 'photo.png';
const image = `data:${types[extname(path).toLowerCase()]};base64,${(await readFile(path)).toString('base64')}`;

const reply = await c.chat().create(undefined, {
  model: 'glm-4.6v',
  // Each entry of `images` is a data URL or the URL of a public image.
  messages: [{ role: 'user', content: 'What is in this picture?', images: [image] }],
});
console.log(contentText(reply.choices[0]?.message.content));
