// Runs an action on the keychain in a child process: the module blocks its thread until the secret service answers, which may be never.
import { spawn } from 'node:child_process';
import { isFields, jsonValue } from '../files/json.ts';

/** An action with the entry of an id. `text` is what to store. */
export interface KeychainRequest {
  readonly action: 'read' | 'write' | 'remove';
  readonly moduleName: string;
  readonly service: string;
  readonly id: string;
  readonly text?: string | undefined;
}

/** The result. `load` is why the module could not be loaded, `failure` what it threw. */
export interface KeychainReply {
  readonly value?: string | null;
  readonly load?: 'missing' | 'broken';
  readonly failure?: string;
}

/** Milliseconds for an action. A thread in a system call ends only with its process. */
const longestMs = 5000;

/** Keys go through stdin and stdout: other users of the machine can read arguments. */
const program = `
const { createRequire } = require('node:module');
const { readFileSync, writeSync } = require('node:fs');
const { place, action, moduleName, service, id, text } = JSON.parse(readFileSync(0, 'utf8'));
const reply = (value) => writeSync(1, JSON.stringify(value));
let Entry;
try {
  // Beside the program and in NODE_PATH, never in the working directory.
  ({ Entry } = createRequire(place)(moduleName));
} catch (error) {
  reply({ load: error.code === 'MODULE_NOT_FOUND' ? 'missing' : 'broken' });
}
// Without an explicit store the module falls back to the kernel's keyring on Linux, which a restart empties. A new entry, so that no cache answers.
const entry = () => new Entry(service, id, { linux: { store: 'secret-service' } });
if (Entry) try {
  if (action === 'write') entry().setPassword(text);
  if (action === 'remove') entry().deletePassword();
  reply({ value: entry().getPassword() ?? null });
} catch (error) {
  reply({ failure: String(error && error.message) });
}
`;

/** Performs an action, for 5 s at most. Rejects with the reason of the signal. */
export function performKeychain(request: KeychainRequest, signal: AbortSignal | undefined): Promise<KeychainReply> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] });
    const end = (): void => void child.kill('SIGKILL');
    const late = setTimeout(() => {
      resolve({ failure: `it did not answer within ${longestMs / 1000} seconds` });
      end();
    }, longestMs);
    const abort = (): void => {
      reject(signal?.reason as Error);
      end();
    };
    signal?.addEventListener('abort', abort);
    process.on('exit', end);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (block: string) => (text += block));
    child.on('error', ({ message }) => resolve({ failure: message }));
    child.on('close', () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
      process.off('exit', end);
      const reply = jsonValue(text);
      resolve(isFields(reply) ? reply : { failure: 'it ended without an answer' });
    });
    // A child that ended early is reported by its end.
    child.stdin.on('error', () => undefined).end(JSON.stringify({ place: import.meta.url, ...request }));
  });
}
