/** An image and a file in a prompt. */
import { type Client, imagePart } from 'modelsvc';
import { fileFromPath } from 'modelsvc/node';

export async function run(c: Client, path: string): Promise<void> {
  const reply = await c.chat().create(undefined, {
    model: 'glm-5.3-flash',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Describe the image.' }, await imagePart(fileFromPath(path))] }],
  });
  console.log(reply.choices[0]?.message.content);
  const second = await c.chat().create(undefined, {
    model: 'glm-5.3-flash',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://images.example/cat.png' } },
          { type: 'text', text: 'And this?' },
        ],
      },
    ],
  });
  console.log(second.choices[0]?.message.content);
}
