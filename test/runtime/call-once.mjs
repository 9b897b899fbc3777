// One chat call with the built package, as a user's process makes it: prints the answer or the error as JSON.
import { newClient } from 'modelsvc';

const client = newClient({ apiKey: 'fake-id.fake-secret', baseURL: process.argv[2], maxRetries: 0, timeout: Number(process.argv[3] ?? 5000) });
try {
  const reply = await client.chat().createSimple(undefined, 'glm-5.2', 'hi');
  console.log(JSON.stringify({ content: reply.choices[0].message.content }));
} catch (error) {
  console.log(JSON.stringify({ kind: error.kind, phase: error.phase, code: error.code, message: error.message }));
}
