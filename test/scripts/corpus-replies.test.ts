import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { replies, repliesReport } from '../../scripts/service/corpus/replies.ts';
import { newFolder } from '../support/storage.ts';

const folder = fileURLToPath(new URL('../corpus/replies', import.meta.url));

test('every recorded answer goes back into a conversation, and every pair collects to what create returned', async () => {
  const { read, others, streams, pairs, equal, ...findings } = await replies(folder);
  expect(findings).toEqual({ refused: [], broken: [], sameFields: [], unequal: [] });
  expect([read, streams, pairs, others]).toEqual([44, 21, 19, []]);
  expect(equal).toBe(pairs);
});

test('the report names refused answers, streams that cannot be read and pairs that differ', async () => {
  const made = await newFolder();
  const choice = (message: object): string => JSON.stringify({ id: 'a', choices: [{ index: 0, message: { role: 'assistant', ...message } }] });
  const chunk = (delta: object): string => JSON.stringify({ id: 'a', choices: [{ index: 0, delta, finish_reason: 'stop' }] });
  await Promise.all([
    writeFile(join(made, 'refused.json'), choice({ content: 5 })),
    writeFile(join(made, 'lines.json'), choice({ content: 'ab' })),
    writeFile(join(made, 'lines.chunks.txt'), `${chunk({ content: 'ab' })}\n`),
    writeFile(join(made, 'more.json'), choice({ content: 'ab', extra: 1 })),
    writeFile(join(made, 'more.sse'), `data: ${chunk({ content: 'ab' })}\n\n`),
    writeFile(join(made, 'cut.sse'), `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] })}\n\n`),
    writeFile(join(made, 'models.json'), '{"object":"list","data":[]}'),
    writeFile(join(made, 'broken.json'), '{'),
  ]);
  const found = await replies(made);
  expect(found).toMatchObject({ read: 5, others: ['broken.json', 'models.json'], pairs: 2 });
  expect(found.refused).toEqual([{ file: 'refused.json', path: expect.stringContaining('messages[1].content must be') }]);
  expect(found.broken).toEqual([{ file: 'cut.sse', path: expect.stringContaining('cut off') }]);
  expect(found.unequal).toEqual([
    { file: 'lines', path: 'choices[0].finish_reason' },
    { file: 'more', path: 'choices[0].message.extra' },
  ]);
  expect(repliesReport(found)).toContain('put back into a conversation: 4, refused: 1');
});
