import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import type { Mock } from './prism.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mockUrl: string;
  }
}

/** One mock for all contract tests. Prism is loaded at its first connection: most runs of a few files never make one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let mock: Promise<Mock> | undefined;
  const open = new Set<Socket>();
  const server = createServer(async (socket) => {
    open.add(socket.on('error', () => socket.destroy()));
    mock ??= import('./prism.ts').then(({ startMock }) => startMock());
    const target = connect(Number(new URL((await mock).url).port), '127.0.0.1');
    open.add(target);
    for (const [one, other] of [[socket, target] as const, [target, socket] as const]) {
      one.on('error', () => other.destroy()).on('close', () => open.delete(one) && other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('isDeep', project.vite.config.mode === 'deep');
  project.provide('mockUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    for (const socket of open) socket.destroy();
    await (await mock)?.close();
  };
}
