/**
 * Ask a vision model about an image file.
 *
 *     SVC_API_KEY=... npx tsx image-input.ts photo.png
 */
import { contentText, imagePart, newClient } from 'modelsvc';
import { fileFromPath } from 'modelsvc/node';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

// PNG, JPEG, GIF or WebP, by the first bytes of the file. `images: [url]` takes the URL of a public image.
const image = await imagePart(fileFromPath(process.argv[2] ?? 'photo.png'));
const reply = await c.chat().create({
  model: 'glm-5.3-flash',
  effort: 'low',
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'What is in this picture?' }, image],
    },
  ],
});
console.log(contentText(reply.choices[0]?.message.content));
