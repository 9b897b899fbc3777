// A Cloudflare worker that makes one call: gives its answer or error, and how often it used fetch.
import { newClient } from 'modelsvc';

export default {
  async fetch(request) {
    const platformFetch = globalThis.fetch;
    let fetches = 0;
    globalThis.fetch = (...values) => {
      fetches++;
      return platformFetch(...values);
    };
    try {
      const client = newClient({ ...(await request.json()), apiKey: 'fake-id.fake-secret' });
      const reply = await client.chat().createSimple(undefined, 'glm-5.2', 'hi');
      return Response.json({ fetches, content: reply.choices[0].message.content });
    } catch (error) {
      return Response.json({ fetches, kind: error.kind, attempts: error.attempts, message: error.message });
    }
  },
};
