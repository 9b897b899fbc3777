import { filesBefore, firstExisting, inHome, inProject, type Machine } from '../machine.ts';
import { type CodingTool, keyPlaceholder, leaves } from '../tool.ts';
import { listAt, modelSettings, present, valueAt, type Winners } from '../winners.ts';

/** In order of precedence. */
const names = ['.aider.conf.yml', '.aider.conf.yaml'];

function configFile(machine: Machine): string {
  return firstExisting(
    machine,
    names.map((name) => inHome(machine, name)),
    inHome(machine, '.aider.conf.yml'),
  );
}

/** Older options that choose a model. */
const shortcuts = ['opus', 'sonnet', 'haiku', '4', '4o', 'mini', '4-turbo', '35turbo', 'deepseek', 'o1-mini', 'o1-preview'];

const winners: Winners = (content, { model, keyMode }) => {
  const setting = (name: string, prefixes: readonly string[]): boolean =>
    [valueAt(content, name), ...listAt(content, name)].some((one) => typeof one === 'string' && prefixes.some((prefix) => one.startsWith(prefix)));
  return [
    ...shortcuts
      .filter((name) => ![undefined, false].includes(valueAt(content, name) as undefined))
      .map((name) => ({ path: [name], value: false, effect: 'it chooses another model' })),
    ...modelSettings(content, [[['editor-model'], `openai/${model}`]]),
    ...(keyMode === 'env'
      ? [
          ...present(content, [['openai-api-key']], { effect: 'this key goes to the service while AIDER_OPENAI_API_KEY is not set' }),
          ...(setting('api-key', ['openai='])
            ? [{ path: ['api-key'], effect: 'its key of openai goes to the service while AIDER_OPENAI_API_KEY is not set' }]
            : []),
        ]
      : []),
    ...(setting('set-env', ['OPENAI_', 'AIDER_']) ? [{ path: ['set-env'], effect: 'its variables can choose another root, key or model' }] : []),
    ...present(content, [['openai-organization-id'], ['openai-api-type'], ['openai-api-version'], ['openai-api-deployment-id']], {
      effect: 'it changes the requests to the service',
    }),
    ...present(content, [['env-file']], { effect: 'variables in that file can come before this one', isPartial: true }),
  ];
};

export const aider: CodingTool = {
  id: 'aider',
  name: 'Aider',
  isListed: false,
  program: 'aider',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  keyVariables: { load: 'AIDER_OPENAI_API_KEY' },
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
  winners,
  overrides: (machine, own) => [
    ...filesBefore(
      names.map((name) => inHome(machine, name)),
      own,
    ).map((file) => ({ file, effect: 'it comes before the file that was wired' })),
    ...names.flatMap((name) => inProject(machine, name)).map((file) => ({ file, effect: 'the file of the project comes before yours' })),
    ...inProject(machine, '.env').map((file) => ({
      file,
      format: 'env' as const,
      when: (variables: unknown) =>
        Object.keys(variables as object).some((name) => /^(?:AIDER_(?:WEAK_|EDITOR_)?MODEL$|(?:AIDER_)?OPENAI_API)/.test(name)),
      effect: 'variables of the project come before your file',
    })),
    { variable: 'AIDER_MODEL', effect: 'it comes before the file' },
    { variable: 'AIDER_OPENAI_API_BASE', effect: 'it comes before the file' },
    { variable: 'OPENAI_API_KEY', effect: 'Aider may send it in place of the key' },
  ],
  after: () => ['Start it with `aider`.'],
};
