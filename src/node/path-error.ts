// A path that cannot be used, as an error of the library: with the operation, the path, the code of the file system, and the next step.
import { ValidationError } from '../overlay/errors/errors.ts';

type Purpose = 'read' | 'written';

/** `path` is the path that the file system refused. The cause is its error. */
export function pathError(operation: string, path: string, purpose: Purpose, cause: NodeJS.ErrnoException): ValidationError {
  const error = new ValidationError(
    operation,
    path,
    cause.code === 'EEXIST' ? 'exists already' : `cannot be ${purpose}: ${cause.message}`,
    adviceOf(purpose, cause.code),
  );
  Object.defineProperty(error, 'cause', { value: cause, enumerable: false });
  return Object.assign(error, { code: cause.code });
}

function adviceOf(purpose: Purpose, code: string | undefined): string | undefined {
  if (code === 'EEXIST') return 'Pass overwrite: true to replace it, or another path';
  if (code === 'ENOENT')
    return purpose === 'read' ? 'Check the path: it is relative to the working directory' : 'Create the folder first, or pass another path';
  if (code === 'EISDIR') return 'Pass the path of a file';
  return code === 'EACCES' || code === 'EPERM' ? 'Check the permissions, or pass another path' : undefined;
}
