/**
 * A route of an edge worker, for instance of Cloudflare: it streams an answer to its page, and gives a failure before the answer a status.
 *
 *     npx wrangler dev edge-route.ts --var SVC_API_KEY:...
 */
import { textDeltas, toResponse } from 'modelsvc';
import { Chat, newService } from 'modelsvc/services';
import { z } from 'zod';

const Page = z.object({ prompt: z.string().min(1) });

export default {
  async fetch(
    request: Request,
    env: { readonly SVC_API_KEY: string; readonly SVC_ENDPOINTS?: string },
  ): Promise<Response> {
    const page = Page.safeParse(await request.json().catch(() => undefined));
    if (!page.success) return new Response(null, { status: 400 });
    const chat = newService(Chat, {
      apiKey: env.SVC_API_KEY,
      endpoints: env.SVC_ENDPOINTS,
    });
    // The signal ends the call if the page leaves.
    const stream = chat.stream(request.signal, {
      model: 'glm-5.3',
      effort: 'low',
      messages: [{ role: 'user', content: page.data.prompt }],
    });
    return toResponse(textDeltas(stream), {
      onError: (error) => console.error(String(error)),
    });
  },
};
