import { ConnectionError } from './errors.ts';

/**
 * A part of the library that is loaded when it is needed: `await loaded(operation, import('./binary.ts'))`. Failing is a ConnectionError: it can
 * only happen in a page that fetches the code piece by piece.
 */
export async function loaded<Part>(operation: string, part: Promise<Part>): Promise<Part> {
  try {
    return await part;
  } catch (cause) {
    throw new ConnectionError(`${operation}: a part of the library could not be loaded`, { operation, phase: 'connect', cause });
  }
}
