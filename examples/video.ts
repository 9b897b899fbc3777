/**
 * Generate a video as a job, print its progress, and download the file into the current folder.
 *
 *     SVC_API_KEY=... npx tsx video.ts
 */
import { isModelsvcError, newClient } from 'modelsvc';
import { download } from 'modelsvc/node';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

// Store the id to fetch the result after a restart.
const { id } = await c.videos().generate({
  model: 'cogvideox-3',
  prompt: 'Waves at a lighthouse',
  quality: 'speed',
});
try {
  const video = await c.waitForResult(id, {
    onState: (state) => console.log(state.task_status),
    // The job itself continues after this limit; a later `waitForResult` with the same id returns its result.
    maxWait: 10 * 60_000,
  });
  // The links expire, so download the file. A file that exists is not replaced.
  for (const { path, bytes } of await download(video, 'video.mp4'))
    console.log(`${path}: ${bytes} bytes`);
} catch (error) {
  if (!isModelsvcError(error, 'task')) throw error;
  console.log(error.status);
  process.exitCode = 1;
}
