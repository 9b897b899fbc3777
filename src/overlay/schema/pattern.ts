/**
 * Whether `name` matches a pattern of `patternProperties`; `undefined` when that cannot be told: no regular expression
 * here, or one that might take for ever, since schemas come from anywhere.
 */
export function matches(pattern: string, name: string): boolean | undefined {
  const quantifiers = pattern.match(/[*+?{]/g)?.length ?? 0;
  if (quantifiers > 1 || pattern.includes('(') || name.length > 1_000) return undefined;
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return undefined;
  }
}
