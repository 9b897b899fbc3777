/**
 * Record the answers of the service once. Later runs, and those in CI, read the file without network and key. Delete the file to record again.
 *
 *     SVC_API_KEY=... npx tsx --test recording.test.ts
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentText, newClient } from 'modelsvc';
import { recordExchanges } from 'modelsvc/testing';

test('names the capital of France', async () => {
  const cassette = recordExchanges({ file: 'recordings/capital.json' });
  const c = newClient({
    apiKey: process.env.SVC_API_KEY ?? 'none',
    endpoints: process.env.SVC_ENDPOINTS,
    httpClient: cassette,
  });
  const reply = await c
    .chat()
    .createSimple('glm-5.3', 'The capital of France, in one word.', {
      effort: 'low',
    });
  assert.match(contentText(reply.choices[0]?.message.content), /Paris/);
  // Recordings that the program no longer asks for.
  assert.deepEqual(cassette.unused, []);
  await cassette.save();
});
