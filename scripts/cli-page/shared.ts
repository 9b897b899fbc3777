import type { CommandSpec } from '../../src/cli/table/spec.ts';

/** From this number on, options that another command has too are named by it. */
const many = 12;

/** The group that has all options of a command, and the names of its others. Undefined for a command with options of its own. */
export function sharedWith(
  commands: readonly CommandSpec[],
  spec: CommandSpec,
): { readonly group: string; readonly others: readonly string[] } | undefined {
  const { options = [] } = spec;
  if (options.length < many) return undefined;
  const owner = commands.find((one) => one !== spec && options.every((option) => one.options?.includes(option)));
  return owner && { group: owner.name, others: (owner.options ?? []).flatMap((one) => (options.includes(one) ? [] : [`--${one.name}`])) };
}
