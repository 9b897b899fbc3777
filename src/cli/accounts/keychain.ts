// The keychain of the system, through a module that the user installs. Each write is read back and compared.
import { createRequire } from 'node:module';
import { CliError, exitCodes } from '../errors/exit.ts';
import { isFields, jsonValue } from '../files/json.ts';
import type { Secret } from './format.ts';

const service = 'modelsvc';
const moduleName = '@napi-rs/keyring';

interface KeychainEntry {
  setPassword(password: string): void;
  getPassword(): string | null;
  deletePassword(): boolean;
}

type EntryClass = new (service: string, account: string, options: { readonly linux: { readonly store: 'secret-service' } }) => KeychainEntry;

/** Writes a secret, then reads it back: some keychains report success but do not keep it. */
export function writeKeychain(id: string, secret: Secret): void {
  const text = JSON.stringify(secret);
  perform(
    'store the key',
    () => {
      const entry = entryOf(id);
      entry.setPassword(text);
      // A second entry, so that no cache of the first answers.
      if (entryOf(id).getPassword() !== text) throw new Error('the key read back differs from the key written');
    },
    secret.apiKey,
  );
}

/** Undefined if the keychain has no such key. */
export function readKeychain(id: string): Secret | undefined {
  return perform('read the key', () => {
    const text = entryOf(id).getPassword();
    if (text === null || text === undefined) return undefined;
    const value = jsonValue(text);
    if (!isFields(value) || typeof value['apiKey'] !== 'string' || !Array.isArray(value['hosts'])) throw new Error('the entry is not from modelsvc');
    return { apiKey: value['apiKey'], hosts: value['hosts'].filter((host) => typeof host === 'string') };
  });
}

export function removeKeychain(id: string): void {
  perform('remove the key', () => {
    entryOf(id).deletePassword();
    if (entryOf(id).getPassword() !== null) throw new Error('the key is still there');
  });
}

function entryOf(id: string): KeychainEntry {
  // Without an explicit store the module falls back to the kernel's keyring on Linux, which a restart empties.
  return new (loaded())(service, id, { linux: { store: 'secret-service' } });
}

let entryClass: EntryClass | undefined;

/** The module is found beside the program and in NODE_PATH, never in the working directory. */
function loaded(): EntryClass {
  if (entryClass) return entryClass;
  const require = createRequire(import.meta.url);
  let found: { readonly Entry: EntryClass };
  try {
    found = require(moduleName) as { readonly Entry: EntryClass };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    throw new CliError(
      isMissing ? `the keychain needs the module ${moduleName}, which is not installed` : `the module ${moduleName} does not load here`,
      exitCodes.error,
      `Run \`npm install --global ${moduleName}@2\`, or use --store file.`,
    );
  }
  entryClass = found.Entry;
  return entryClass;
}

function perform<T>(purpose: string, action: () => T, key?: string): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { message } = error as Error;
    const reason = key !== undefined && message.includes(key) ? 'no reason given' : message.split('\n', 1)[0];
    throw new CliError(
      `the keychain could not ${purpose}: ${reason}`,
      exitCodes.error,
      'Unlock the keychain of the system, or store the key with --store file.',
    );
  }
}
