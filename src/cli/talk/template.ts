// Questions from templates: -T uses one, and --save-template makes one of the command line.
import { resolve } from 'node:path';
import type { Cli, Handler } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import { type Input, type OptionValue, textOrFile } from '../input/input.ts';
import { filledText, type QuestionTemplate, TemplateStore, variablesIn } from '../settings/templates.ts';
import { meantHint } from '../table/near-miss.ts';
import type { Screen } from '../terminal/screen.ts';
import { checkedName } from './conversations.ts';
import { toolsOf } from './tools.ts';

/** Options that belong to one call, not to a question. */
const onceOnly: readonly string[] = ['template', 'param', 'save-template', 'continue', 'conversation', 'save', 'no-save', 'async'];

/** A command that asks, with the options of templates. */
export function templated(command: Handler): Handler {
  return async (cli, input) => {
    const [name, newName] = [input.text('template'), input.text('save-template')];
    if (name !== undefined && newName !== undefined) throw usageError('--template and --save-template exclude each other');
    if (newName !== undefined) return save(cli, input, newName);
    if (name !== undefined) return command(cli, await filled(cli.screen, input, name));
    if (input.list('param').length > 0) throw usageError('-p needs a template', 'Pass its name with -T.');
    return command(cli, input);
  };
}

async function filled(screen: Screen, input: Input, name: string): Promise<Input> {
  const place = `template ${name}:`;
  const { prompt, options, defaults } = await new TemplateStore(screen.io.env).load(name);
  const values = input.checked(options, place, onceOnly);
  if (Array.isArray(values['file']) && values['file'].includes('-')) throw usageError(`${place} stdin cannot be a file of a template`);
  const [system, schema] = [textIn(values['system']), textIn(values['schema'])];
  const names = variablesIn(prompt, system);
  const given = { ...defaults, ...(await paramsOf(input, place, names)) };
  const missing = names.filter((one) => !Object.hasOwn(given, one));
  if (missing.length > 0)
    throw usageError(
      `${place} ${missing.length === 1 ? 'the variable' : 'the variables'} ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no value`,
      `Pass ${missing.map((one) => `-p ${one}=VALUE`).join(' ')}.`,
    );
  const filledSystem = system === undefined ? undefined : filledText(system, given);
  return input.withDefaults(
    { values: { ...values, system: filledSystem, schema }, place },
    prompt === undefined ? undefined : filledText(prompt, given),
  );
}

/** A text of a template, which is never a name. `\@` is an at sign at its beginning, as it was typed. */
function textIn(value: OptionValue): string | undefined {
  return typeof value === 'string' ? value.replace(/^\\(?=@)/, '') : undefined;
}

/** The values of -p, each checked against the variables. */
async function paramsOf(input: Input, place: string, names: readonly string[]): Promise<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const param of input.list('param')) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(param) ?? [];
    if (name === '') throw usageError('-p must be NAME=VALUE');
    if (!names.includes(name)) {
      const hint = names.length === 0 ? 'It has no variables.' : `Its variables are ${names.join(', ')}.`;
      throw usageError(`${place} there is no variable ${JSON.stringify(name)}${meantHint(name, names)}`, hint);
    }
    if (value === '@-') throw usageError('-p does not read stdin', 'Stdin follows the prompt. Pass a value or @FILE.');
    given[name] = await textOrFile(`-p ${name}`, value, () => Promise.resolve(''));
  }
  return given;
}

/** Saves the command line. Texts of files are copied, so that the template needs only the files of -f. Makes no request. */
async function save(cli: Cli, input: Input, name: string): Promise<void> {
  checkedName(name);
  if (cli.isDryRun) throw usageError('--save-template sends no request that --dry-run could print');
  const store = new TemplateStore(cli.screen.io.env);
  const prompt = input.args.length === 1 && input.args[0] === '-' ? await cli.screen.stdinText() : input.args.join(' ') || undefined;
  const options: Record<string, OptionValue> = {};
  for (const [option, value] of Object.entries(input.given))
    if (!onceOnly.includes(option)) options[option] = await stored(cli.screen, option, value);
  const names = variablesIn(prompt, options['system']?.toString());
  const template: QuestionTemplate = { prompt, options, defaults: await paramsOf(input, `template ${name}:`, names) };
  if (prompt === undefined && Object.keys(options).length === 0)
    throw usageError('the template is empty', 'Pass a prompt or options with --save-template.');
  if (await store.has(name)) await cli.screen.confirm(`Replace the template ${name}?`);
  await store.save(name, template);
  const variables = names.map((one) => (Object.hasOwn(template.defaults, one) ? `${one} (${template.defaults[one]})` : one));
  cli.screen.note(`Saved; use it with -T ${name}.${names.length === 0 ? '' : ` Variables: ${variables.join(', ')}.`}`);
}

/** An option without the files of this folder. */
async function stored(screen: Screen, name: string, value: OptionValue): Promise<OptionValue> {
  if ((name === 'system' || name === 'schema') && typeof value === 'string') {
    const text = await textOrFile(`--${name}`, value, () => screen.stdinText());
    return text.startsWith('@') ? `\\${text}` : text;
  }
  if (name === 'tool')
    return (await toolsOf(value as readonly string[], true)).map(({ schema: parameters, ...tool }) => JSON.stringify({ ...tool, parameters }));
  if (name === 'file')
    return (value as readonly string[]).map((file) => {
      if (file === '-') throw usageError('--save-template: stdin cannot be a file of a template', 'Pass a path or a URL.');
      return /^(https?|data):/i.test(file) ? file : resolve(file);
    });
  return value;
}
