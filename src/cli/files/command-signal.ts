// The signal of the command that runs, for the reading of files: this is far below the commands, and many of them read.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Aborts at Ctrl-C and SIGTERM. */
export const commandSignal: AsyncLocalStorage<AbortSignal> = new AsyncLocalStorage();
