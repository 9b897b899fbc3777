/**
 * Generate an image and a video as jobs, print their progress, and download the files into the current folder.
 *
 *     SVC_API_KEY=... npx tsx image-and-video.ts
 */
import { type AsyncResult, isTaskError, newClient } from 'modelsvc';
import { download } from 'modelsvc/node';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

async function result(name: string, id: string): Promise<AsyncResult | undefined> {
  try {
    return await c.waitForResult(undefined, id, {
      onProgress: (state) => console.log(`${name}: ${state.task_status}`),
      // The job itself continues after this limit; a later `waitForResult` with the same id returns its result.
      maxWait: 10 * 60_000,
    });
  } catch (error) {
    if (!isTaskError(error)) throw error;
    console.log(`${name}: ${error.status}`);
    process.exitCode = 1;
    return undefined;
  }
}

// Both jobs run at the same time. Store the ids to fetch the results after a restart.
const image = await c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'A lighthouse in the rain', size: '1280x1280' });
const video = await c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'Waves at a lighthouse', quality: 'speed' });

// The links expire, so download the files. A file that exists is not replaced.
const drawn = await result('image', image.id);
const filmed = await result('video', video.id);
for (const [made, name] of [
  [drawn, 'image.png'],
  [filmed, 'video.mp4'],
] as const)
  if (made) for (const { path, bytes } of await download(made, name)) console.log(`${path}: ${bytes} bytes`);
