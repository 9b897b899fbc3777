import { expect, onTestFinished, vi } from 'vitest';
import { type CallContext, type ChatResponse, type Client, type Config, newClient } from '../../src/overlay/index.ts';
import type { FakeService } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';
import { textOf } from './snippets.ts';

interface Facts {
  readonly fake: FakeService;
  readonly client: Client;
}

/** A test that a page has these words, and that they are true. */
export function claim(page: string, words: string, proof: (facts: Facts) => unknown): void {
  test(`${page}: ${words}`, async ({ fake, client }) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(flat(page).includes(words), `${page} has these words`).toBe(true);
    await proof({ fake, client });
  });
}

/** The text of a page on one line. */
export function flat(page: string): string {
  return textOf(page).replaceAll(/\s+/g, ' ');
}

export const question = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'Hi' }] };

export function ask(client: Client, ctx?: CallContext): Promise<ChatResponse> {
  return client.chat().create(ctx, question);
}

/** A client of the fake whose retries do not wait. */
export function quick(fake: FakeService, config: Partial<Config> = {}): Client {
  return newClient(fake.configFor({ retryDelay: 1, ...config }));
}
