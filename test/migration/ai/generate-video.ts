/** A video as a job. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const task = await c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'A cat on a skateboard.' });
  const result = await c.waitForResult(undefined, task.id, { maxWait: 600_000 });
  console.log(result.video_result?.[0]?.url);
}
