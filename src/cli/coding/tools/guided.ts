// Tools that keep their settings out of reach of other programs: steps by hand.
import type { CodingTool } from '../tool.ts';

function guided(id: string, name: string, isListed: boolean, guide: NonNullable<CodingTool['guide']>): CodingTool {
  return { id, name, isListed, surface: 'chat', keyModes: ['plain'], traces: () => [], guide };
}

const keyStep = 'Enter your key: `modelsvc accounts token` prints it.';

export const guidedTools: readonly CodingTool[] = [
  guided('trae', 'TRAE', true, ({ model }) => [
    'Open the list of models in the chat panel, and choose Add model.',
    `Choose the provider Z.ai with its coding plan, and the model ${model}.`,
    keyStep,
  ]),
  guided('qoder', 'Qoder', true, ({ model }) => [
    'Open Settings, then Models, then Add custom model.',
    `Choose the provider Z.ai with its coding plan, and the model ${model}.`,
    keyStep,
  ]),
  guided('eigent', 'Eigent', true, ({ root, model }) => [
    'Open Settings, then Models, then the entry for a service compatible with OpenAI.',
    `Enter the base URL ${root} and the model ${model}.`,
    keyStep,
  ]),
  guided('zcode', 'ZCode', true, () => ['Sign in with your account of the service. ZCode then uses the plan without a key.']),
  guided('copilot-cli', 'GitHub Copilot CLI', false, ({ root, model }) => [
    'It takes its provider from variables. Start it from a shell with:',
    `export COPILOT_PROVIDER_BASE_URL=${root}`,
    `export COPILOT_MODEL=${model}`,
    'export COPILOT_PROVIDER_API_KEY="$(modelsvc accounts token)"',
  ]),
];
