import { firstExisting, inHome, inProject, type Machine } from '../machine.ts';
import { each, eachFile, otherModel } from '../rivals.ts';
import { type CodingTool, keyPlaceholder, leaves, type Rival } from '../tool.ts';

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

/** A text, or a list with one, that begins with one of these prefixes. */
function hasPrefix(...prefixes: readonly string[]): (now: unknown) => boolean {
  return (now) => [now].flat().some((one) => typeof one === 'string' && prefixes.some((prefix) => one.startsWith(prefix)));
}

const otherKeys: readonly Rival[] = [
  { path: ['openai-api-key'], effect: 'this key goes to the service while AIDER_OPENAI_API_KEY is not set' },
  { path: ['api-key'], when: hasPrefix('openai='), effect: 'its key of openai goes to the service while AIDER_OPENAI_API_KEY is not set' },
];

export const aider: CodingTool = {
  id: 'aider',
  name: 'Aider',
  isListed: false,
  program: 'aider',
  surface: 'chat',
  keyModes: ['env', 'plain'],
  keyVariables: { load: 'AIDER_OPENAI_API_KEY' },
  traces: (machine) => [configFile(machine), inHome(machine, '.aider')],
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
    unset: ['AIDER_EDITOR_MODEL'],
  }),
  rivals: ({ machine, model, keyMode }) => [
    { variable: 'AIDER_MODEL', effect: 'it comes before the file' },
    { variable: 'AIDER_WEAK_MODEL', effect: 'it comes before the file' },
    { variable: 'AIDER_EDITOR_MODEL', effect: 'it comes before the file' },
    { variable: 'AIDER_OPENAI_API_BASE', effect: 'it comes before the file' },
    { variable: 'OPENAI_API_KEY', effect: 'Aider may send it instead of the key' },
    {
      files: inProject(machine, '.env'),
      format: 'env',
      path: ['*'],
      when: (_, [name]) => /^(?:AIDER_(?:WEAK_|EDITOR_)?MODEL$|(?:AIDER_)?OPENAI_API)/.test(String(name)),
      effect: 'variables of the project come before your file',
    },
    ...eachFile(
      names.map((name) => inProject(machine, name)),
      'the file of the project comes before yours',
    ),
    { files: names.map((name) => inHome(machine, name)), effect: 'it comes before the file that was wired' },
    ...each(
      shortcuts.map((name) => [name]),
      { when: (now) => now !== false, value: false, effect: otherModel },
    ),
    { path: ['editor-model'], value: `openai/${model}`, effect: otherModel },
    ...(keyMode === 'env' ? otherKeys : []),
    { path: ['set-env'], when: hasPrefix('OPENAI_', 'AIDER_'), effect: 'its variables can choose another root, key or model' },
    ...each([['openai-organization-id'], ['openai-api-type'], ['openai-api-version'], ['openai-api-deployment-id']], {
      effect: 'it changes the requests to the service',
    }),
    { path: ['env-file'], effect: 'variables in that file can come before this one', isPartial: true },
  ],
  after: () => ['Start it with `aider`.'],
};
