import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { globalOptions } from '../../table/global-options.ts';
import { commandHelp, programHelp, rows, wholeHelp } from '../../table/help.ts';
import { type CommandSpec, loadAll, type Section } from '../../table/spec.ts';
import { exitCodeRows, type Topic, topics } from '../../table/topics.ts';
import { pageOf } from '../../terminal/terminal.ts';

export const helpFor =
  (sections: readonly Section[]): Handler =>
  async (cli, input) => {
    const [first, ...rest] = input.args;
    const page = pageOf(cli.io.stdout, cli.io.env, cli.values.color);
    const commands = await loadAll(sections);
    if (first === undefined) return cli.output.result(tableOf(commands), () => (input.flag('all') ? wholeHelp : programHelp)(sections, page));
    const topic = first === 'faults' ? await faultTopic() : topics[first];
    if (topic) return cli.output.result(Object.fromEntries(topic.rows), () => [page.bold(`${topic.title}:`), ...rows(topic.rows, page)].join('\n'));
    let spec = commands.find(({ name }) => name === first);
    for (const name of rest) spec = spec?.commands?.find((one) => one.name === name || one.aliases?.includes(name));
    if (!spec) throw usageError(`there is no command ${JSON.stringify(input.args.join(' '))}`, 'Run `modelsvc --help` for the commands.');
    const found = spec;
    await cli.output.result(plain(found), () => commandHelp(found, [first, ...rest], page));
  };

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
