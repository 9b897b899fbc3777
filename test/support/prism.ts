import { fileURLToPath } from 'node:url';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

export interface Mock {
  readonly url: string;
  close(): Promise<void>;
}

const spec = fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url));

/** The mock of the spec, in this process. It checks requests, keys and its own replies. */
export async function startMock(port = 0, path: string = spec): Promise<Mock> {
  // By its path, so that Prism reads the file as `npx prism mock` does.
  const operations = await getHttpOperationsFromSpec(path);
  const server = createServer(operations, {
    cors: false,
    config: {
      mock: { dynamic: false },
      isProxy: false,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: true,
      upstreamProxy: undefined,
    },
    components: { logger: createLogger('prism', { enabled: false }) },
  });
  const url = await server.listen(port, '127.0.0.1');
  return { url, close: () => server.close() };
}
