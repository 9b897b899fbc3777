import { entry, isObject } from './json-schema.ts';

/** Appends a step to `pointer`. */
export function stepInto(pointer: string, step: string): string {
  return `${pointer}/${/[~/]/.test(step) ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step}`;
}

/** The steps of a JSON pointer, given as a URI fragment without its `#`. */
export function pointerSteps(fragment: string): string[] {
  return fragment
    .split('/')
    .slice(1)
    .map((step) => percentDecoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Malformed escapes are kept as they are, because schemas contain references such as `#/$defs/100%`. */
export function percentDecoded(fragment: string): string {
  if (!fragment.includes('%')) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Follows one step into a JSON value. Returns `undefined` if there is no such member. */
export function childAt(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return isObject(value) ? entry(value, step) : undefined;
}
