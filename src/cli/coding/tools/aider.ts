import { firstExisting, inHome, type Machine, pathIn } from '../machine.ts';
import { type CodingTool, keyPlaceholder, leaves } from '../tool.ts';

function configFile(machine: Machine): string {
  const standard = inHome(machine, '.aider.conf.yml');
  return firstExisting(machine, [standard, inHome(machine, '.aider.conf.yaml')], standard);
}

export const aider: CodingTool = {
  id: 'aider',
  name: 'Aider',
  isListed: false,
  program: 'aider',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  keyVariable: 'AIDER_OPENAI_API_KEY',
  traces: (machine) => [inHome(machine, '.aider.conf.yml'), inHome(machine, '.aider')],
  load: ({ root, model, smallModel, key }, machine) => [
    {
      file: configFile(machine),
      format: 'yaml',
      changes: leaves([], {
        model: `openai/${model}`,
        'weak-model': `openai/${smallModel}`,
        'openai-api-base': root,
        ...(key.mode === 'plain' && { 'openai-api-key': key.apiKey }),
      }),
    },
  ],
  session: ({ root, model, smallModel }) => ({
    args: ['--model', `openai/${model}`, '--weak-model', `openai/${smallModel}`],
    variables: { AIDER_OPENAI_API_BASE: root, AIDER_OPENAI_API_KEY: keyPlaceholder },
  }),
  overrides: (machine) => [
    {
      file: pathIn(machine, machine.cwd, '.aider.conf.yml'),
      contains: ['model', 'openai-api'],
      effect: 'the file of the project comes before yours',
    },
    { file: pathIn(machine, machine.cwd, '.env'), contains: ['AIDER_', 'OPENAI_API'], effect: 'variables of the project come before your file' },
    { variable: 'AIDER_MODEL', effect: 'it comes before the file' },
    { variable: 'AIDER_OPENAI_API_BASE', effect: 'it comes before the file' },
    { variable: 'OPENAI_API_KEY', effect: 'Aider may send it in place of the key' },
  ],
  after: () => ['Start it with `aider`.'],
};
