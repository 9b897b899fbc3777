import { type Client, newClient } from 'modelsvc';
import { type FakeService, startFakeService } from 'modelsvc/testing';
import { afterAll, afterEach, vi } from 'vitest';

/** Prepares the fake for a run of a port, and returns further arguments for it. */
export type Script = (fake: FakeService) => unknown;

/** The ports of one package, each a file of `folder` that exports `run`, and the fake service that they call. They import the package by its name. */
export async function openPorts(folder: string): Promise<{
  readonly fake: FakeService;
  readonly client: Client;
  /** Runs a port over `node:http` and over `fetch`, and returns all that each run printed. */
  printed(name: string, script: Script): Promise<[string, string]>;
}> {
  const fake = await startFakeService();
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  const overFetch = client.with({ httpClient: fetch });
  afterEach(async () => {
    await fake.idle();
    fake.reset();
  });
  afterAll(async () => {
    client.close();
    await fake.close();
  });
  const once = async (name: string, c: Client, script: Script): Promise<string> => {
    const { run } = (await import(`./${folder}/${name}.ts`)) as { run: (...args: unknown[]) => Promise<void> };
    const more = await script(fake);
    let text = '';
    const keep = (part: unknown): true => {
      text += String(part);
      return true;
    };
    vi.spyOn(console, 'log').mockImplementation((...parts) => void keep(`${parts.join(' ')}\n`));
    vi.spyOn(process.stdout, 'write').mockImplementation(keep);
    await run(c, ...(Array.isArray(more) ? more : [])).finally(() => vi.restoreAllMocks());
    return text;
  };
  return { fake, client, printed: async (name, script) => [await once(name, client, script), await once(name, overFetch, script)] };
}
