/** Maximum depth that is summed; the services send two levels. */
const maxDepth = 16;

/** Sums two usages: numbers are added, also in nested objects. For other values the later one is used. */
export function addUsage(sum: unknown, more: unknown, depth = 0): unknown {
  if (more === undefined || more === null) return sum;
  if (typeof sum !== 'object' || sum === null || typeof more !== 'object' || depth > maxDepth)
    return typeof sum === 'number' && typeof more === 'number' ? sum + more : more;
  const added: Record<string, unknown> = { ...sum };
  for (const [name, value] of Object.entries(more)) added[name] = Object.hasOwn(added, name) ? addUsage(added[name], value, depth + 1) : value;
  return added;
}
