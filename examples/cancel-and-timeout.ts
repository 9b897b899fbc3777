/**
 * Cancel a stream with Ctrl-C, and limit its time: first for the response header, then for the complete call. Both limits are in seconds.
 *
 *     SVC_API_KEY=... npx tsx cancel-and-timeout.ts 30 120
 */
import { isModelsvcError, newClient, textDeltas } from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const [headerSeconds = 30, callSeconds = 120] = process.argv
  .slice(2)
  .map(Number);

const canceled = new AbortController();
process.once('SIGINT', () => canceled.abort());
const deadline = AbortSignal.timeout(callSeconds * 1000);

// `timeout` limits each attempt until its response header. The signals end the complete call: retries, waits and the stream.
const context = {
  timeout: headerSeconds * 1000,
  signal: [canceled.signal, deadline],
};
const stream = c.chat().stream(context, {
  model: 'glm-5.3',
  effort: 'low',
  messages: [
    { role: 'user', content: 'Tell a long story about a lighthouse.' },
  ],
});
try {
  for await (const text of textDeltas(stream)) process.stdout.write(text);
  console.log('\nThe story is complete.');
} catch (error) {
  if (isModelsvcError(error, 'timeout'))
    console.log(`No response within ${error.timeoutMs} ms.`);
  else if (isModelsvcError(error, 'abort'))
    console.log(deadline.aborted ? '\nThe time is up.' : '\nCanceled.');
  else throw error;
  process.exitCode = 1;
}
