/**
 * Generate an image, and download its file.
 *
 *     SVC_API_KEY=... npx tsx image.ts "A lighthouse in the rain" lighthouse.png
 */
import { newClient } from 'modelsvc';
import { checkPlace, download } from 'modelsvc/node';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const [prompt = 'A lighthouse in the rain', path = 'lighthouse.png'] =
  process.argv.slice(2);
// Before the call, because it is billed: a file that exists is not replaced.
await checkPlace(path);
const image = await c.images().generate(
  { timeout: 120_000 },
  {
    model: 'glm-image',
    prompt,
    size: '1280x1280',
  },
);
for (const file of await download(image, path))
  console.log(`${file.path}: ${file.bytes} bytes`);
