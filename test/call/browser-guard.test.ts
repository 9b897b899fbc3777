import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { newClient } from '../../src/overlay/index.ts';
import { Chat, newService } from '../../src/services/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';

/** Globals as in a page: a DOM, and no runtime below it. */
function page(globals: Readonly<Record<string, unknown>> = {}): void {
  for (const [name, value] of Object.entries({ window: { document: {} }, process: undefined, ...globals })) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
}

const refused = {
  kind: 'config',
  message: 'apiKey can be read by every visitor of this page: call a server of your own, or set dangerouslyAllowBrowser: true',
};

describe('in a page', () => {
  test('newClient, newService and with refuse a key, and name the option and the alternative', async () => {
    const server = newClient({ apiKey: 'any' });
    page();
    expect(await failure(Promise.resolve().then(() => newClient({ apiKey: 'any' })))).toMatchObject(refused);
    expect(await failure(Promise.resolve().then(() => newService(Chat, { apiKey: () => 'any' })))).toMatchObject(refused);
    expect(await failure(Promise.resolve().then(() => newClient({ apiKey: 'any', dangerouslyAllowBrowser: false })))).toMatchObject(refused);
    expect(await failure(Promise.resolve().then(() => server.with({})))).toMatchObject(refused);
  });

  test('dangerouslyAllowBrowser allows it, and with keeps it', () => {
    page();
    const client = newClient({ apiKey: 'any', dangerouslyAllowBrowser: true });
    expect(client.with({ timeout: 5 }).chat()).toBeDefined();
    expect(newService(Chat, { apiKey: 'any', dangerouslyAllowBrowser: true })).toBeDefined();
  });

  test('the Config of a fake, and serviceFetch, whose client has a guard of its own, need no permission', () => {
    page();
    expect(newClient(configFor('http://127.0.0.1:1')).chat()).toBeDefined();
    expect(serviceFetch()).toBeTypeOf('function');
  });
});

test.each<[string, Record<string, unknown>]>([
  ['Node with jsdom or happy-dom', { process: globalThis.process }],
  ['Bun with happy-dom', { Bun: {} }],
  ['Deno with a DOM', { Deno: {} }],
  ['a worker, which has no window', { window: undefined, importScripts: () => undefined }],
  ['a runtime whose window has no document', { window: {} }],
])('%s is not a page', (_name, globals) => {
  page(globals);
  expect(newClient({ apiKey: 'any' })).toBeDefined();
});
