import { describe, expect, it } from 'vitest';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { openFake } from '../support/fake.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('what comes back', () => {
  it('web_search stands beside the choices, each source with link, title and content', async () => {
    const { fake } = await openFake();
    const sources = [{ link: 'https://example.com/a', title: 'A', content: 'What A says.' }];
    fake.chat.reply({ text: 'See A.', webSearch: sources });
    expect((await newClient(fake.configFor()).chat().create(undefined, hello)).web_search).toMatchObject(sources);
  });

  it.each([
    ['chat', (c: Client) => c.chat().createAsync(undefined, hello)],
    ['image', (c: Client) => c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a' })],
    ['video', (c: Client) => c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'a' })],
  ] as const)('a %s job has an id, by which waitForResult gets its end', async (_kind, start) => {
    const { fake } = await openFake();
    const client = newClient(fake.configFor());
    const { id } = await start(client);
    expect(id).toBeTypeOf('string');
    const result = await client.waitForResult(undefined, id ?? '', 100);
    expect(result.task_status === undefined || result.task_status === 'SUCCESS').toBe(true);
    expect(fake.requests.filter((one) => one.method === 'GET').length).toBeGreaterThan(1);
  });
});
