// Every call of src that can take the content of a path away, with the form that proves the path is of modelsvc. Its place never does.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src');
const own = 'a temporary file that this call has made, with a random name';
const owner = 'the owner in a lock: ownerForm, in a folder that is no link';
const asked = 'the user names it, or its content was just read and is the expected one';

/** By file, the calls in their order. */
const proofs: Readonly<Record<string, readonly (readonly [call: string, proof: string])[]>> = {
  'cli/coding/files/foreign-lock.ts': [
    ['rmdir(lock)', 'the lock of this process, by the protocol of other programs; only an empty folder'],
    ['rmdir(lock)', 'without a beat, by the protocol of other programs; only an empty folder'],
    ['rmdir(lock)', 'the same, by the time of the lock'],
  ],
  'cli/coding/files/write.ts': [
    ['rm(file.target, { force: true })', 'the record of coding made it, and its bytes are those that were read: checkUnchanged'],
    ['rmdir(folder)', 'the record of coding made it; only an empty folder'],
  ],
  'cli/bulk/batch-state.ts': [['rm(this.path, { force: true })', 'the state beside -O: it was read, and is of this run']],
  'cli/commands/chat/editor.ts': [['rm(folder, { recursive: true, force: true })', own]],
  'cli/log/segments.ts': [
    ['renameSync(join(folder, name), path)', 'namePattern: month and id of a segment, in the folder of the log'],
    ['rmSync(path)', 'namePattern: month and id of a segment, in the folder of the log'],
  ],
  'cli/settings/templates.ts': [['rm(this.#path(name))', asked]],
  'cli/talk/conversations.ts': [
    ['rm(this.#path(undefined), { force: true })', asked],
    ['rm(this.#path(name), { force: true })', asked],
    ['rm(this.#path(from))', asked],
  ],
  'node/place.ts': [
    ["open(path, 'w')", 'a device, by its kind: it has no content to lose'],
    ['rm(part, { force: true })', own],
  ],
  'store/in-place.ts': [['handle.truncate(0)', 'the file that the caller replaces; its old bytes are written back after a failure']],
  'store/lock.ts': [
    ['renameSync(own, path)', `${own}; a rename onto a folder with content, a file or a link fails`],
    ['unlinkSync(join(path, owner))', owner],
    ['rmdirSync(path)', 'only an empty folder'],
  ],
  'store/replace.ts': [
    ['rmSync(join(folder, name), { force: true })', 'temporaryStart and 12 hex digits'],
    ["open(temporary, 'w')", own],
    ['rm(temporary, { force: true })', own],
    ['renameSync(temporary, target)', `${own}; the caller replaces the target`],
    ['rmSync(temporary, { force: true })', own],
    ['rm(to, { force: true })', own],
    ['rename(from, to)', `${own}; the caller replaces the target`],
    ['rm(from)', own],
  ],
};

const calls =
  /(?<![\w#])(?:handle\.)?(?:unlink|rm|rmdir|rename|truncate|ftruncate)(?:Sync)?\((?:[^()]|\([^()]*\))*\)(?!: )|(?<![\w#])open(?:Sync)?\([^\n]*?, 'w\+?'[^)\n]*\)/g;

test('every call that deletes, renames or truncates has its proof, and a new one needs one', () => {
  const found: Record<string, string[]> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    // Names of a store of the command line are not paths.
    const here = [...text.matchAll(calls)]
      .map(([call]) => call)
      .filter((_, index, all) => all[index] !== 'rename(from, to)' || path.includes('replace.ts'));
    if (here.length > 0) found[path.slice(root.length + 1).replaceAll('\\', '/')] = here;
  }
  expect(found).toEqual(Object.fromEntries(Object.entries(proofs).map(([file, rows]) => [file, rows.map(([call]) => call)])));
});
