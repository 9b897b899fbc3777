import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { globalOptions } from '../../table/global-options.ts';
import { commandHelp, optionRows, programHelp, rows, wholeHelp } from '../../table/help.ts';
import { nearMiss } from '../../table/near-miss.ts';
import { withoutShortcut } from '../../table/shortcuts.ts';
import { type CommandSpec, isNamed, loadAll, type Section } from '../../table/spec.ts';
import { exitCodeRows, type Topic, topics } from '../../table/topics.ts';
import { pageOf } from '../../terminal/terminal.ts';

export const helpFor =
  (sections: readonly Section[]): Handler =>
  async (cli, input) => {
    const [first, ...rest] = withoutShortcut(input.args, 0);
    const page = pageOf(cli.screen.io.stdout, cli.screen.io.env, cli.values.color);
    const commands = await loadAll(sections);
    if (first === undefined) return cli.screen.result(tableOf(commands), () => (input.flag('all') ? wholeHelp : programHelp)(sections, page));
    const topic = first === 'faults' ? await faultTopic() : first === 'options' ? optionTopic : topics[first];
    if (topic) return cli.screen.result(Object.fromEntries(topic.rows), () => [page.bold(`${topic.title}:`), ...rows(topic.rows, page)].join('\n'));
    const found = commandAt(commands, [first, ...rest]);
    await cli.screen.result(plain(found), () => commandHelp(found, [first, ...rest], page));
  };

function commandAt(commands: readonly CommandSpec[], path: readonly string[]): CommandSpec {
  let level = commands;
  let spec: CommandSpec | undefined;
  for (const [at, word] of path.entries()) {
    spec = level.find((one) => isNamed(one, word));
    if (!spec) {
      const near = nearMiss(word, [...level.map(({ name }) => name), ...(at === 0 ? [...Object.keys(topics), 'faults', 'options'] : [])]);
      const hint = near === undefined ? '' : `; did you mean ${[...path.slice(0, at), near].join(' ')}?`;
      throw usageError(`there is no command ${JSON.stringify(path.join(' '))}${hint}`, 'Run `modelsvc --help` for the commands.');
    }
    level = spec.commands ?? [];
  }
  return spec as CommandSpec;
}

const optionTopic: Topic = { title: 'Options of every command', rows: optionRows(globalOptions) };

async function faultTopic(): Promise<Topic> {
  const { faultTexts } = await import('../../../generated/faults.ts');
  // `all` takes other faults, which have no form as text.
  return { title: 'Faults of the mock', rows: faultTexts.filter(([signature]) => !signature.startsWith('all(')) };
}

function tableOf(commands: readonly CommandSpec[]): unknown {
  return { options: globalOptions, exit_codes: Object.fromEntries(exitCodeRows), commands: commands.map(plain) };
}

function plain({ load: _load, commands, ...spec }: CommandSpec): unknown {
  return { ...spec, ...(commands && { commands: commands.map(plain) }) };
}
