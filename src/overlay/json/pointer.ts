// JSON pointers and references within one document.

/** Appends a name to a JSON pointer. */
export function stepInto(pointer: string, name: string): string {
  return `${pointer}/${/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name}`;
}

/** The names of a pointer such as `/choices/0`, or of one after `#`. Other escapes than `~0` and `~1` are kept as they are. */
export function namesOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step));
}

/** An own member of an object or an item of a list; undefined if there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(name) ? (value as unknown[])[Number(name)] : undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * The names of a pointer in a URI fragment, in the two readings that documents use: most tools read `a%2Fb` as one name, and the RFC as two.
 * Both are the same for nearly all fragments.
 */
export function readingsOf(fragment: string): readonly (readonly string[])[] {
  const names = namesOf(fragment);
  return fragment.includes('%') ? [names.map(percentDecoded), namesOf(percentDecoded(fragment))] : [names];
}

/** Malformed escapes are kept as they are, because schemas contain references such as `#/$defs/100%`. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value that a reference such as `#/$defs/a` leads to in a document; undefined for a reference to another place. */
export function valueAt(document: unknown, reference: string): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  for (const names of readingsOf(reference.slice(1))) {
    const found = names.reduce(memberOf, document);
    if (found !== undefined) return found;
  }
  return undefined;
}
