// A process that adds items to a kept file, and acknowledges each on stdout. It is bundled and started by the tests.
import { readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { argv } from 'node:process';
import { KeptFile, storedIn } from '../../src/store/document.ts';
import { makeFolder } from '../../src/store/folder.ts';
import { withLockSync } from '../../src/store/lock.ts';
import { replaceFileSync } from '../../src/store/replace.ts';
import { form } from './form.ts';

/** Each way to change a file: as a document, and by a process that cannot wait for a promise. */
const ways: Readonly<Record<string, (path: string, item: string) => Promise<void>>> = {
  document: (path, item) => new KeptFile(path, form).change(undefined, ({ items } = { items: [] }) => ({ items: [...items, item] })),
  sync: async (path, item) => {
    makeFolder(dirname(path));
    withLockSync(`${path}.lock`, (check) => {
      let items: readonly string[] = [];
      try {
        items = storedIn(path, form, readFileSync(path, 'utf8')).value.items;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      replaceFileSync(path, JSON.stringify({ version: 1, items: [...items, item] }), check);
    });
  },
};

const [path = '', way = '', label = '', count = '0'] = argv.slice(2);
for (let at = 0; at < Number(count); at++) {
  // Long items make the moment of the write longer.
  const item = `${label}-${at}-${'x'.repeat(2000)}`;
  await ways[way]?.(path, item);
  writeSync(1, `${item}\n`);
}
