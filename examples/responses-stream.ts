/**
 * Print an answer of the Responses surface while it arrives, then use the complete response.
 *
 *     SVC_API_KEY=... npx tsx responses-stream.ts "Write a haiku about rain."
 */
import {
  collecting,
  isModelsvcError,
  newClient,
  type ResponsesReply,
  textDeltas,
} from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

const stream = collecting(
  c.responses().stream({
    model: 'glm-5.3',
    effort: 'low',
    input: process.argv[2] ?? 'Write a haiku about rain.',
  }),
);
try {
  for await (const text of textDeltas(stream)) process.stdout.write(text);
  const response = await stream.response();
  console.log(
    `\n${response.status}: ${response.usage?.output_tokens} tokens`,
  );
} catch (error) {
  // `incomplete` is a successful call: the output ended at a limit, or was withheld. Its usage is complete.
  if (isModelsvcError(error, 'finish')) {
    const { status, usage } = await stream.response();
    console.error(
      `\n${status}: ${error.reason}, ${usage?.output_tokens} tokens`,
    );
    process.exit(1);
  }
  // `response.failed` and `error` of the protocol are an ApiError. A stream without its last event is a StreamError.
  if (!isModelsvcError(error, 'stream')) throw error;
  console.error(`\n${error.message}`);
  const partial = error.partial as ResponsesReply | undefined;
  console.error(`${partial?.text().length ?? 0} characters arrived`);
  process.exitCode = 1;
}
