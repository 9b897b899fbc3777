import { entry, isObject } from './json-schema.ts';

/** `pointer` with one more step. */
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

/** Malformed escapes stand for themselves: people write `#/$defs/100%`. */
export function percentDecoded(fragment: string): string {
  if (!fragment.includes('%')) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** One step into a JSON value; `undefined` when nothing is there. */
export function childAt(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return isObject(value) ? entry(value, step) : undefined;
}
