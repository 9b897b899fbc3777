// Secrets in anything that a service may send, recorded over a whole cassette.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newFile, recorder } from './support.ts';

const own = 'own-key-of-any-form/4711+';
const shaped: fc.Arbitrary<string> = fc.oneof(
  fc.constant(own),
  fc.stringMatching(/^[0-9a-f]{32}\.[A-Za-z0-9]{16}$/),
  fc.stringMatching(/^sk-[A-Za-z0-9]{24,40}$/),
  fc.stringMatching(/^eyJ[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{12}$/),
);

/** A reply with one secret in every place. */
const replies = fc.record({
  secret: shaped,
  name: fc.constantFrom('content', 'id', 'message', 'x'),
  kind: fc.constantFrom('json', 'stream', 'text', 'cut', 'page'),
  depth: fc.nat(3),
});

function bodyWith(secret: string, name: string, depth: number): string {
  let value: unknown = { [name]: secret, [secret]: 1, list: [secret, { note: `(${secret})` }] };
  for (let level = 0; level < depth; level++) value = { [name]: JSON.stringify(value) };
  return JSON.stringify(value);
}

test('no secret of a reply is in the file: in bodies, frames, names, headers, or JSON inside texts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(replies, { minLength: 1, maxLength: 4 }), async (given) => {
      const file = newFile();
      const queue = [...given];
      const cassette = recorder(file, {
        fetch: async () => {
          const { secret, name, kind, depth } = queue.shift() ?? {};
          const json = bodyWith(secret ?? '', name ?? '', depth ?? 0);
          const headers = { 'x-own': secret ?? '', 'x-log-id': secret ?? '', 'set-cookie': `a=${secret}` };
          if (kind === 'stream')
            return new Response(`event: ${name}\ndata: ${json}\n\n: ${secret}\n\ndata:${json}\r\n\r\ndata: ${secret}\n\n`, {
              headers: { ...headers, 'content-type': 'text/event-stream' },
            });
          const type = kind === 'page' ? 'text/html' : kind === 'text' ? 'text/plain' : 'application/json';
          return new Response(kind === 'cut' ? json.slice(0, -2) : kind === 'page' ? `<p>${secret}</p>` : json, {
            status: 400,
            headers: { ...headers, 'content-type': type },
          });
        },
      });
      for (const [index, { secret }] of given.entries()) {
        const reply = await cassette(`https://api.example/v1/x?n=${index}&key=${encodeURIComponent(secret)}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
          body: JSON.stringify({ prompt: `use ${secret}`, [secret]: index }),
        });
        await reply.text();
      }
      await cassette.save();
      const text = readFileSync(file, 'utf8');
      const unescaped = text.replaceAll('\\', '');
      for (const { secret } of given) {
        expect(unescaped).not.toContain(secret);
        expect(text).not.toContain(encodeURIComponent(secret));
      }
      expect(unescaped).not.toContain(own);
    }),
    { numRuns: 60 },
  );
});
