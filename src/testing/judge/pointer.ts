// JSON pointers: places in the document and in a value.

/** A name as a step of a pointer. */
export function step(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The names of a pointer such as `#/paths/~1models/get` or `/choices/0`. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((one) => one.replaceAll('~1', '/').replaceAll('~0', '~'));
}
