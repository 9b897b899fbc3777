/** An image into a file. */
import { writeFile } from 'node:fs/promises';
import type { Client } from 'modelsvc';

export async function run(c: Client, path: string): Promise<void> {
  const response = await c.images().generate(undefined, { model: 'cogview-4', prompt: 'An astronaut lounging in a resort', size: '1024x1024' });
  const url = response.data[0]?.url;
  if (!url) throw new Error('The API response did not include an image.');
  await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
  console.log('Saved image');
}
