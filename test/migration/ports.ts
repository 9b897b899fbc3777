import { type Client, newClient } from 'modelsvc';
import { type FakeService, startFakeService } from 'modelsvc/testing';
import { afterAll, afterEach, vi } from 'vitest';

/** The ports of one package, each a file of `folder` that exports `run`, and the fake service that they call. They import the package by its name. */
export async function openPorts(folder: string): Promise<{
  readonly fake: FakeService;
  readonly client: Client;
  /** Runs a port, and returns all that it printed. */
  printed(name: string, ...more: unknown[]): Promise<string>;
}> {
  const fake = await startFakeService();
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  afterEach(async () => {
    await fake.idle();
    fake.reset();
  });
  afterAll(async () => {
    client.close();
    await fake.close();
  });
  return {
    fake,
    client,
    async printed(name, ...more) {
      const { run } = (await import(`./${folder}/${name}.ts`)) as { run: (...args: unknown[]) => Promise<void> };
      let text = '';
      const keep = (part: unknown): true => {
        text += String(part);
        return true;
      };
      vi.spyOn(console, 'log').mockImplementation((...parts) => void keep(`${parts.join(' ')}\n`));
      vi.spyOn(process.stdout, 'write').mockImplementation(keep);
      await run(client, ...more).finally(() => vi.restoreAllMocks());
      return text;
    },
  };
}
