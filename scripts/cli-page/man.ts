// The man page of the program, from the table of commands.

import { globalOptions } from '../../src/cli/table/global-options.ts';
import { argumentText, exampleLine, flagsText, meaningOf, programName } from '../../src/cli/table/help.ts';
import type { CommandSpec, Section } from '../../src/cli/table/spec.ts';
import { environmentRows, exitCodeRows } from '../../src/cli/table/topics.ts';
import { sharedWith } from './shared.ts';

/** Text of roff, where a backslash and a hyphen have other meanings. A dot or quote at the beginning of a line would be a macro. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}

function entries(rows: readonly (readonly [string, string])[]): string[] {
  return rows.flatMap(([name, meaning]) => ['.TP', `.B ${roff(name)}`, roff(meaning)]);
}

function command(all: readonly CommandSpec[], spec: CommandSpec, above: readonly string[]): string[] {
  const path = [...above, spec.name];
  const { arguments: args = [], options = [], commands = [] } = spec;
  const below = commands.flatMap((one) => command(all, one, path));
  if (!spec.load) return below;
  const shared = sharedWith(all, spec);
  return [
    `.SS ${roff([programName, ...path, ...args.map(argumentText)].join(' '))}`,
    roff(`${spec.summary}.`),
    ...(spec.details ?? '').split('\n').flatMap((paragraph) => (paragraph === '' ? [] : ['.PP', roff(paragraph)])),
    ...(spec.rules ?? []).flatMap(([heading, text]) => ['.PP', roff(`${heading}: ${text}`)]),
    ...(shared
      ? ['.PP', roff(`The options are the same as for ${shared.group}, except ${shared.others.join(', ')}.`)]
      : entries(options.map((option) => [flagsText(option).trim(), meaningOf(option)]))),
    '.PP',
    '.nf',
    '.RS 4',
    ...spec.examples.map(([line]) => roff(exampleLine(line))),
    '.RE',
    '.fi',
    ...below,
  ];
}

export function manPage(sections: readonly Section[], commands: readonly CommandSpec[]): string {
  const groups = sections.map(({ title, groups: list }) => [title, list.map(({ name }) => name).join(', ')] as const);
  const lines = [
    '.\\" Generated from the table of commands.',
    `.TH ${programName.toUpperCase()} 1 "" "${programName}" "User Commands"`,
    '.SH NAME',
    `${programName} \\- command line for the Z.ai and BigModel API`,
    '.SH SYNOPSIS',
    `.B ${programName}`,
    roff('COMMAND [ARGUMENTS] [OPTIONS]'),
    '.SH DESCRIPTION',
    ...entries(groups),
    '.SH OPTIONS',
    'Each command takes these.',
    ...entries(globalOptions.map((option) => [flagsText(option).trim(), meaningOf(option)])),
    '.SH COMMANDS',
    ...commands.flatMap((spec) => command(commands, spec, [])),
    '.SH EXIT STATUS',
    ...entries(exitCodeRows),
    '.SH ENVIRONMENT',
    ...entries(environmentRows),
  ];
  return `${lines.join('\n')}\n`;
}
