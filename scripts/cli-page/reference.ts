// The reference of docs/cli-reference.md, from the table of commands.
import { argumentText, exampleLine, flagsText, meaningOf, programName } from '../../src/cli/table/help.ts';
import type { CommandSpec, OptionSpec } from '../../src/cli/table/spec.ts';
import { sharedWith } from './shared.ts';

/** A Markdown table. Its first cells are code. */
export function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const cells = rows.map(([name, meaning]) => `| \`${escaped(name)}\` | ${escaped(meaning)} |\n`);
  return `| ${head[0]} | ${head[1]} |\n|---|---|\n${cells.join('')}`;
}

export function optionTable(options: readonly OptionSpec[]): string {
  return table(
    ['option', 'meaning'],
    options.map((option) => [flagsText(option).trim(), meaningOf(option)]),
  );
}

/** A bar would end the cell. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** A section for each group, with its commands. */
export function commandSections(commands: readonly CommandSpec[]): string {
  return commands.map((group) => `### ${group.name}\n\n${entries(commands, group, []).join('\n')}`).join('\n');
}

function entries(all: readonly CommandSpec[], spec: CommandSpec, above: readonly string[]): string[] {
  const path = [...above, spec.name];
  const below = (spec.commands ?? []).flatMap((one) => entries(all, one, path));
  const head = path.length > 1 ? `**\`modelsvc ${path.join(' ')}\`**: ${spec.summary}.\n` : `${spec.summary}.\n`;
  return spec.load ? [commandText(all, spec, path), ...below] : [head, ...below];
}

function commandText(all: readonly CommandSpec[], spec: CommandSpec, path: readonly string[]): string {
  const { summary, details, rules = [], arguments: args = [], options = [], examples } = spec;
  const shared = sharedWith(all, spec);
  const usage = [programName, ...path, ...args.map(argumentText)].join(' ');
  const parts = [
    `**\`${usage}\`**: ${summary}.`,
    ...(details === undefined ? [] : [details]),
    ...rules.map(([heading, text]) => `${heading}: ${text}`),
    `\`\`\`sh\n${examples.map(([line, purpose]) => `${exampleLine(line)}   # ${purpose}`).join('\n')}\n\`\`\``,
    ...(shared
      ? [`The options are the same as for [${shared.group}](#${shared.group}), except ${shared.others.map((one) => `\`${one}\``).join(', ')}.`]
      : options.length === 0
        ? []
        : [optionTable(options).trimEnd()]),
  ];
  return `${parts.join('\n\n')}\n`;
}
