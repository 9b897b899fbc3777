import type { Command } from '../../cli.ts';
import type { ArgumentSpec, OptionSpec } from '../../table/spec.ts';

const nameArgument: ArgumentSpec = { name: 'NAME', summary: 'Name of the setting, or alias.NAME', required: true, complete: 'setting' };
const folderOption = (summary: string): OptionSpec => ({ name: 'folder', summary });

export const spec: Command = {
  name: 'config',
  summary: 'Set defaults of options, and aliases of models',
  details:
    'Settings are in config.json, in the folder of accounts. They are for the user, or for a folder and the folders below it.\n' +
    'A value is the first of: option, environment variable, folder, user, built in. A continued conversation keeps its model. No setting is a key, a host or a program, and no file of the working folder is read.',
  examples: [
    ['config set model glm-5.3-flash', 'Change the default model'],
    ['config set account work --folder', 'Use an account in this folder'],
    ['config set alias.fast glm-5.3-flash', 'Name a model; then `chat -m fast`'],
    ['config list', 'All settings with their origin'],
  ],
  commands: [
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List all settings with their values in this folder',
      examples: [['config list', 'All settings with their origin']],
      load: async () => (await import('./config.ts')).list,
    },
    {
      name: 'get',
      summary: 'Print the value of a setting in this folder',
      details: 'Exit code 4: the setting has no value.',
      arguments: [nameArgument],
      examples: [['config get model', 'Model of questions']],
      load: async () => (await import('./config.ts')).get,
    },
    {
      name: 'set',
      summary: 'Change a setting',
      arguments: [nameArgument, { name: 'VALUE', summary: 'The value', required: true }],
      options: [folderOption('Only for this folder and those below it')],
      examples: [
        ['config set effort low', 'Think little by default'],
        ['config set output json --folder', 'JSON in this folder'],
      ],
      load: async () => (await import('./config.ts')).set,
    },
    {
      name: 'unset',
      aliases: ['rm'],
      summary: 'Remove a setting',
      arguments: [nameArgument],
      options: [folderOption('Remove it from this folder, or from the nearest above that has it')],
      examples: [['config unset effort', 'Think as the model does']],
      load: async () => (await import('./config.ts')).unset,
    },
  ],
};
