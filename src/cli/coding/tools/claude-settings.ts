// The values of Claude Code: its settings, and a process without a file.
import type { Machine } from '../machine.ts';
import { keyPlaceholder, type Session, type Wiring } from '../tool.ts';

/** Variables of the user whose values Claude Code would send to the service, or that would direct it to another service. */
const neutralized = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  ...['BEDROCK', 'VERTEX', 'FOUNDRY', 'ANTHROPIC_AWS', 'MANTLE'].map((name) => `CLAUDE_CODE_USE_${name}`),
];

/** Variables that a session must not inherit: some come before the settings. */
const unset = [...neutralized, 'ANTHROPIC_MODEL', 'ANTHROPIC_UNIX_SOCKET'];

/**
 * Claude Code since 2.1.154 sends models of others a quarter of its system prompt, and with 0 all of it: about 5,000 tokens more, which the service
 * caches. A value of the user stays.
 */
export const wholePrompt = { CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT: '0' };

/** Claude Code asks for the 1M context with a suffix, which it removes before it sends the model. */
export function longContext(model: string): string {
  return model.startsWith('glm-5.3') ? `${model}[1m]` : model;
}

function chosen({ root, model, smallModel, contextTokens }: Wiring): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: root,
    ...Object.fromEntries(['OPUS', 'SONNET', 'FABLE'].map((name) => [`ANTHROPIC_DEFAULT_${name}_MODEL`, longContext(model)])),
    ANTHROPIC_DEFAULT_HAIKU_MODEL: longContext(smallModel),
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(contextTokens),
    API_TIMEOUT_MS: '3000000',
  };
}

export function settings(wiring: Wiring): Record<string, unknown> {
  const { key } = wiring;
  const env = { ...Object.fromEntries(neutralized.map((name) => [name, ''])), ...chosen(wiring) };
  if (key.mode === 'helper') return { apiKeyHelper: key.line, env };
  return { env: { ...env, ...(key.mode === 'plain' && { ANTHROPIC_AUTH_TOKEN: key.apiKey }) } };
}

/** The settings are in the arguments. Other users of the machine can read those, so the key is in a variable. */
export function session(wiring: Wiring, { env: user }: Pick<Machine, 'env'>): Session {
  const isHelper = wiring.key.mode === 'helper';
  const own = settings({ ...wiring, key: isHelper ? wiring.key : { mode: 'env', variable: 'ANTHROPIC_AUTH_TOKEN' } });
  const { ANTHROPIC_AUTH_TOKEN: _, ...env }: Record<string, string> = { ...(own['env'] as Record<string, string>), ...unlessSet(user) };
  const text = JSON.stringify(isHelper ? { ...own, env } : { env });
  // The option comes before the variable and the model of the user's settings.
  const args = ['--model', longContext(wiring.model), '--settings', text];
  return { args, variables: isHelper ? {} : { ANTHROPIC_AUTH_TOKEN: keyPlaceholder }, unset };
}

function unlessSet(user: NodeJS.ProcessEnv): Record<string, string> {
  return Object.keys(wholePrompt).some((name) => user[name]) ? {} : wholePrompt;
}

/** The same for a shell, without arguments. */
export function shell(wiring: Wiring): Pick<Session, 'variables' | 'unset'> {
  const variables = { ...chosen(wiring), ...wholePrompt, ANTHROPIC_AUTH_TOKEN: keyPlaceholder };
  return { variables, unset: unset.filter((name) => name !== 'ANTHROPIC_AUTH_TOKEN') };
}
