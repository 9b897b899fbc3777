import { isModelsvcError } from '../../src/overlay/index.ts';
import type { ErrorOfKind } from '../../src/types/index.ts';

/** A test for an error of these kinds, for `toSatisfy`. */
export function ofKind<Kind extends keyof ErrorOfKind>(...kinds: Kind[]): (error: unknown) => error is ErrorOfKind[Kind] {
  return (error): error is ErrorOfKind[Kind] => isModelsvcError(error, ...kinds);
}
