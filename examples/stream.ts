/**
 * Print an answer while it arrives, then use the complete response.
 *
 *     SVC_API_KEY=... npx tsx stream.ts "Write a haiku about rain."
 */
import { collecting, isModelsvcError, newClient, textDeltas } from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

const stream = collecting(
  c.chat().stream({
    model: 'glm-5.3',
    effort: 'low',
    messages: [
      {
        role: 'user',
        content: process.argv[2] ?? 'Write a haiku about rain.',
      },
    ],
  }),
);
try {
  for await (const text of textDeltas(stream)) process.stdout.write(text);
  const response = await stream.response();
  console.log(`\n${response.usage?.total_tokens} tokens`);
} catch (error) {
  // The printed text is valid, but incomplete: the answer ended early, or the stream broke. `error.partial` of the latter is the response so far.
  if (!isModelsvcError(error, 'finish') && !isModelsvcError(error, 'stream'))
    throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
