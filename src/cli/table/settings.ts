// The settings of `config`, as data. Each is the default of the option with its name, in every command that has the option.
import { formats } from './global-options.ts';
import { defaultModels } from './model-ids.ts';
import type { OptionSpec } from './spec.ts';

export const efforts: readonly string[] = ['off', 'low', 'medium', 'high', 'max'];

const onOff: readonly string[] = ['on', 'off'];

/** No setting is a key or a host, or names a program: those are chosen with `accounts`, or on the command line. */
export const settingSpecs: readonly OptionSpec[] = [
  { name: 'model', kind: 'text', summary: 'Model of questions in text (SVC_MODEL)', default: defaultModels.text, complete: 'model' },
  { name: 'vision-model', kind: 'text', summary: 'Model of questions with images', default: defaultModels.vision, complete: 'model' },
  { name: 'effort', kind: 'text', choices: efforts, summary: 'How deep the model thinks' },
  { name: 'temperature', kind: 'number', summary: 'Sampling temperature, 0 to 1' },
  { name: 'top-p', kind: 'number', summary: 'Nucleus sampling, 0.01 to 1' },
  { name: 'max-tokens', kind: 'integer', summary: 'Longest answer in tokens' },
  { name: 'hide-reasoning', kind: 'text', choices: onOff, summary: 'Keep the reasoning off stderr', default: 'off' },
  { name: 'usage', kind: 'text', choices: onOff, summary: 'Print tokens and estimated cost on stderr', default: 'off' },
  { name: 'output', kind: 'text', choices: formats, summary: 'Form of the result on stdout', default: 'text' },
  { name: 'service-rules', kind: 'text', choices: onOff, summary: 'Rules of the service on every root; default: on its hosts' },
  { name: 'surface', kind: 'text', choices: ['chat', 'messages', 'responses'], summary: 'Surface of `chat`', default: 'chat' },
  { name: 'account', kind: 'text', summary: 'Stored account (SVC_ACCOUNT)', complete: 'account' },
  { name: 'log', kind: 'text', choices: onOff, summary: 'Keep questions and answers in the log', default: 'on' },
];

/** The ranges of the service's document. Other hosts may take more. */
export const settingRanges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  temperature: [0, 1],
  'top-p': [0.01, 1],
  'max-tokens': [1, 131_072],
};

const aliasSpec: OptionSpec = { name: 'alias', kind: 'text', summary: 'Model with a name of your own', complete: 'model' };

/** The setting of a name, or of an alias such as `alias.fast`. */
export function settingOf(name: string): OptionSpec | undefined {
  return /^alias\.[\w.-]{1,64}$/.test(name) ? { ...aliasSpec, name } : settingSpecs.find((one) => one.name === name);
}
