// A process that writes to a store, and acknowledges each change on stdout. It is bundled and started by the tests.
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import type { NewAccount } from '../../../../src/cli/accounts/format.ts';
import { AccountStore } from '../../../../src/cli/accounts/store.ts';

const [folder = '', task = '', label = '', count = '0'] = argv.slice(2);
const store = new AccountStore(folder, new AbortController().signal);

export function sample(name: string): NewAccount {
  return { name, region: 'global', kind: 'payg', store: 'file', secret: { apiKey: `key-of-${name}-0123456789`, hosts: ['https://api.z.ai'] } };
}

function say(word: string, change: readonly string[]): void {
  writeSync(1, `${JSON.stringify([word, ...change])}\n`);
}

async function perform(change: readonly string[]): Promise<void> {
  const [verb, name = '', other = ''] = change;
  if (verb === 'add') await store.put([sample(name)], { isReplacing: true });
  else if (verb === 'use') await store.use(name);
  else if (verb === 'rename') await store.rename(name, other);
  else await store.remove(name);
}

/** A change that fits the state: mostly adds while there are few accounts. */
async function choose(at: number): Promise<readonly string[]> {
  const names = [...(await store.accounts()).entries.keys()];
  const name = names[Math.floor(Math.random() * names.length)];
  const roll = Math.random();
  if (name === undefined || (roll < 0.4 && names.length < 12)) return ['add', `${label}-${at}`];
  if (roll < 0.5) return ['add', name];
  if (roll < 0.7) return ['use', name];
  return roll < 0.8 ? ['rename', name, `${name.slice(0, 40)}r`] : ['remove', name];
}

if (task === 'add') {
  for (let at = 0; at < Number(count); at++) await store.put([sample(`${label}-${at}`)]);
} else if (task === 'loop') {
  // The parent starts the process early, and lets it go when its turn has come.
  await new Promise((resolve) => process.stdin.once('data', resolve));
  for (let at = 0; ; at++) {
    const change = await choose(at);
    say('try', change);
    await perform(change);
    say('done', change);
  }
}
