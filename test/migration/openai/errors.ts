/** The fields of an error for an unknown model. */
import { type Client, isApiError } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  try {
    await c.chat().create(undefined, { model: 'unknown-model', messages: [{ role: 'user', content: 'Say this is a test' }] });
  } catch (err) {
    if (!isApiError(err) || err.category !== 'parameter') throw err;
    console.log('status:', err.status);
    console.log('code:', err.code);
    console.log('message:', err.serviceMessage);
  }
}
