// A host that serves results of the service, and folders for the files of a test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { newHome } from '../support/run.ts';

export interface FileHost {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
}

export async function fileHost(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<FileHost> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A folder that is removed after the test. */
export const newFolder: () => Promise<string> = newHome;
