/** An image into a file. */
import type { Client } from 'modelsvc';
import { download } from 'modelsvc/node';

export async function run(c: Client, path: string): Promise<void> {
  const response = await c.images().generate(undefined, { model: 'cogview-4', prompt: 'An astronaut lounging in a resort', size: '1024x1024' });
  await download(response, path, { overwrite: true });
  console.log('Saved image');
}
