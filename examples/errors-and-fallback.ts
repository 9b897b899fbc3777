/**
 * Retry short failures, and use another model if the limit of the first is used up.
 *
 *     SVC_API_KEY=... npx tsx errors-and-fallback.ts
 */
import {
  type ChatResponse,
  contentText,
  type Hook,
  isApiError,
  isModelsvcError,
  newClient,
} from 'modelsvc';

// The client retries 429, 5xx and broken connections by itself, except if a retry cannot help. This hook only prints the retries.
const printRetries: Hook = {
  onRetry: ({ model, attempt }, _error, delayMs) => {
    if (delayMs !== undefined) console.log(`${model}: retry ${attempt + 1}`);
  },
};
const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  maxRetries: 2,
  hooks: [printRetries],
});

async function ask(
  question: string,
  models: readonly string[],
): Promise<ChatResponse> {
  const [model = '', ...others] = models;
  try {
    return await c.chat().createSimple(model, question, { effort: 'low' });
  } catch (error) {
    // Another model cannot help if the key, the request or the network is at fault.
    if (
      others.length === 0 ||
      !isApiError(error) ||
      !['quota', 'rate', 'server'].includes(error.category)
    )
      throw error;
    console.log(
      `${model}: ${error.category} (code ${error.code}) after ${error.attempts} attempts, next: ${others[0]}`,
    );
    return ask(question, others);
  }
}

try {
  const reply = await ask('Why is the sky blue?', [
    'glm-5.3',
    'glm-4.7',
    'glm-4.7-flash',
  ]);
  console.log(
    `${reply.model}: ${contentText(reply.choices[0]?.message.content)}`,
  );
} catch (error) {
  if (isApiError(error)) console.error(`${error.category}: ${error.advice}`);
  else if (isModelsvcError(error, 'connection', 'timeout'))
    console.error(`no connection: ${error.code}`);
  else throw error;
  process.exitCode = 1;
}
