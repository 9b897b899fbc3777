// The keychain of the system, through a module that the user installs. Each write is read back and compared.
import { CliError, exitCodes } from '../errors/exit.ts';
import { isFields, jsonValue } from '../files/json.ts';
import type { Secret } from './format.ts';
import { type KeychainRequest, performKeychain } from './keychain-child.ts';

const moduleName = '@napi-rs/keyring';

/** Writes a secret, then reads it back: some keychains report success but do not keep it. */
export async function writeKeychain(id: string, secret: Secret, signal: AbortSignal): Promise<void> {
  const text = JSON.stringify(secret);
  const purpose = 'store the key';
  const kept = await perform(purpose, { action: 'write', id, text }, signal, secret.apiKey);
  if (kept !== text) throw failed(purpose, 'the key read back differs from the key written');
}

/** Undefined if the keychain has no such key. */
export async function readKeychain(id: string, signal: AbortSignal): Promise<Secret | undefined> {
  const purpose = 'read the key';
  const text = await perform(purpose, { action: 'read', id }, signal);
  if (text === null) return undefined;
  const value = jsonValue(text);
  if (!isFields(value) || typeof value['apiKey'] !== 'string' || !Array.isArray(value['hosts']))
    throw failed(purpose, 'the entry is not from modelsvc');
  return { apiKey: value['apiKey'], hosts: value['hosts'].filter((host) => typeof host === 'string') };
}

/** Without a signal, what an aborted command has stored is removed too. */
export async function removeKeychain(id: string, signal?: AbortSignal): Promise<void> {
  const purpose = 'remove the key';
  if ((await perform(purpose, { action: 'remove', id }, signal)) !== null) throw failed(purpose, 'the key is still there');
}

/** Performs an action, and returns the text of the entry after it. No error quotes `key`. */
async function perform(
  purpose: string,
  request: Pick<KeychainRequest, 'action' | 'id' | 'text'>,
  signal: AbortSignal | undefined,
  key?: string,
): Promise<string | null> {
  const { value = null, load, failure } = await performKeychain({ moduleName, service: 'modelsvc', ...request }, signal);
  if (load !== undefined)
    throw new CliError(
      load === 'missing' ? `the keychain needs the module ${moduleName}, which is not installed` : `the module ${moduleName} does not load here`,
      exitCodes.error,
      `Run \`npm install --global ${moduleName}@2\`, or use --store file.`,
    );
  if (failure !== undefined) throw failed(purpose, key !== undefined && failure.includes(key) ? 'no reason given' : failure);
  return value;
}

function failed(purpose: string, reason: string): CliError {
  return new CliError(
    `the keychain could not ${purpose}: ${reason.split('\n', 1)[0]}`,
    exitCodes.error,
    'Unlock the keychain of the system, or store the key with --store file.',
  );
}
