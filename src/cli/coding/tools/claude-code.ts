import { folderOf, inHome, inProject, type Machine, pathIn } from '../machine.ts';
import { dollarBraces } from '../mcp-servers.ts';
import { serverChanges } from '../mcp-shape.ts';
import { each, eachFile, hasTexts, otherModel } from '../rivals.ts';
import { type CodingTool, leaves } from '../tool.ts';
import { longContext, session, settings, shell, wholePrompt } from './claude-settings.ts';

function folder(machine: Machine): string {
  return folderOf(machine, 'CLAUDE_CONFIG_DIR', inHome(machine, '.claude'));
}

/** State of Claude Code, with the MCP servers of the user. */
function stateFile(machine: Machine): string {
  return pathIn(machine, folderOf(machine, 'CLAUDE_CONFIG_DIR', machine.home), '.claude.json');
}

const managedFiles: Partial<Record<NodeJS.Platform, string>> = {
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
};

/** Names that the variables ANTHROPIC_DEFAULT_…_MODEL map to the models of the service. */
const alias = /^(?:default|best|sonnet|opus|haiku|fable|opusplan|inherit)(?:\[1m\])?$/i;
const isNoAlias = (now: unknown): boolean => !alias.test(String(now));

/** Variables of the shell, or of the block `env`, that change the requests. */
const requestVariables = {
  ANTHROPIC_UNIX_SOCKET: { effect: 'requests go to this socket instead of the service' },
  ANTHROPIC_BETAS: { effect: 'these betas of another vendor go to the service, which may refuse them', isPartial: true },
};

export const claudeCode: CodingTool = {
  id: 'claude-code',
  name: 'Claude Code',
  isListed: true,
  program: 'claude',
  surface: 'anthropic',
  keyModes: ['helper', 'plain'],
  mcpKeyModes: ['env', 'plain'],
  traces: (machine) => [folder(machine), stateFile(machine)],
  // Claude Code ignores the whole file if it has a comment.
  load: (wiring, machine) => [
    {
      file: pathIn(machine, folder(machine), 'settings.json'),
      format: 'json',
      changes: [...leaves([], settings(wiring)), ...leaves(['env'], wholePrompt).map((one) => ({ ...one, isDefault: true }))],
    },
    // Without this value, Claude Code begins with a sign-in to another service.
    { file: stateFile(machine), format: 'json', hasLock: true, changes: leaves([], { hasCompletedOnboarding: true }) },
  ],
  mcp: (server, machine) => ({
    file: stateFile(machine),
    format: 'json',
    hasLock: true,
    changes: serverChanges(['mcpServers', server.name], server, dollarBraces, { http: 'http', stdio: 'stdio' }),
  }),
  session,
  shell,
  rivals: ({ machine, model, smallModel, keyMode }) => [
    { files: [managedFiles[machine.platform] ?? '/etc/claude-code/managed-settings.json'], effect: 'managed settings come before yours' },
    ...eachFile(
      ['settings.local.json', 'settings.json'].map((name) => inProject(machine, '.claude', name)),
      'settings of the project come before yours',
    ),
    { variable: 'ANTHROPIC_MODEL', effect: 'it chooses the model, whatever the settings map' },
    ...Object.entries(requestVariables).map(([variable, rival]) => ({ variable, ...rival })),
    ...[
      ...each([['model'], ['env', 'ANTHROPIC_MODEL'], ['env', 'CLAUDE_CODE_SUBAGENT_MODEL']], {
        when: isNoAlias,
        value: longContext(model),
        effect: otherModel,
      }),
      { path: ['env', 'ANTHROPIC_SMALL_FAST_MODEL'], when: isNoAlias, value: longContext(smallModel), effect: otherModel },
      ...each([['env', 'CLAUDE_CODE_OAUTH_TOKEN'], ...(keyMode === 'plain' ? [['apiKeyHelper']] : [])], {
        value: '',
        effect: 'its key goes to the service',
      }),
      ...Object.entries(requestVariables).map(([name, rival]) => ({ path: ['env', name], ...rival })),
      ...Object.entries(wholePrompt).map(([name, value]) => ({
        path: ['env', name],
        when: (now: unknown) => now !== value,
        effect: 'the model gets a part of the system prompt',
        isPartial: true,
      })),
      { path: ['env', 'HTTPS_PROXY'], effect: 'requests to the service go through this proxy', isPartial: true },
      { path: ['forceLoginMethod'], effect: 'Claude Code asks for a sign-in at another vendor' },
      { path: ['availableModels'], when: hasTexts, effect: 'a model that it leaves out cannot be chosen', isPartial: true },
    ].map((rival) => ({ ...rival, in: 'settings.json' })),
  ],
  after: () => [
    'Start it with `claude`. CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT=0 sends all of its system prompt: about 5,000 cached tokens more in a session.',
  ],
};
