/**
 * Print a span of OpenTelemetry for each call, with its tokens and retries, below a span of your own.
 *
 *     npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/context-async-hooks
 *     SVC_API_KEY=... npx tsx spans.ts "Why is the sky blue?"
 */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { contentText, newClient } from 'modelsvc';
import { otelHook } from 'modelsvc/observe';

context.setGlobalContextManager(
  new AsyncLocalStorageContextManager().enable(),
);
trace.setGlobalTracerProvider(
  new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
  }),
);
const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  hooks: [otelHook()],
});

await trace.getTracer('my-app').startActiveSpan('question', async (span) => {
  try {
    const reply = await c
      .chat()
      .createSimple('glm-5.3', process.argv[2] ?? 'Why is the sky blue?', {
        effort: 'low',
      });
    console.log(contentText(reply.choices[0]?.message.content));
  } finally {
    span.end();
  }
});
