import type { Command } from '../../cli.ts';
import type { ArgumentSpec, OptionSpec } from '../../table/spec.ts';

const tool: ArgumentSpec = { name: 'TOOL', summary: 'Id of a tool in `coding tools`', required: true, complete: 'tool' };
const tools: ArgumentSpec = { ...tool, summary: 'Ids of tools in `coding tools`', variadic: true };
const someTools: ArgumentSpec = { name: 'TOOL', summary: 'Ids of tools', default: 'all that are wired', variadic: true, complete: 'tool' };
const model: OptionSpec = {
  name: 'model',
  short: 'm',
  kind: 'text',
  value: 'ID',
  summary: 'Model',
  default: 'the main model of the plan',
  complete: 'model',
};
const smallModel: OptionSpec = {
  name: 'small-model',
  kind: 'text',
  value: 'ID',
  summary: 'Model for small tasks, such as titles',
  complete: 'model',
};
const general: OptionSpec = { name: 'general-endpoint', summary: 'Use the endpoint that is billed by use' };
const keyMode: OptionSpec = {
  name: 'key-mode',
  kind: 'text',
  value: 'MODE',
  choices: ['helper', 'env', 'plain'],
  summary: 'How the tool gets its key: from a command, a variable or its own file; by default the first that it supports',
};
const server: OptionSpec = {
  name: 'server',
  kind: 'list',
  value: 'NAME',
  choices: ['search', 'reader', 'zread', 'vision'],
  summary: 'Server, by default all; repeat it for more',
};
const force: OptionSpec = { name: 'force', summary: 'Also restore values that another program has changed since' };
const forget: OptionSpec = { name: 'forget', summary: 'Leave changed values for good, and remove them from the record' };

export const spec: Command = {
  name: 'coding',
  summary: 'Wire coding tools to the service',
  details: [
    '`load` sets single values in the settings of a tool, after a preview. `unload` restores what stood there before.',
    'The key stays out of these files where the tool can run a command or read a variable for it.',
  ].join('\n'),
  examples: [
    ['coding tools', 'Tools, and those on this machine'],
    ['coding load claude-code', 'Wire Claude Code'],
    ['coding run codex', 'Start Codex with the service, without a file'],
    ['coding unload claude-code', 'Undo it'],
  ],
  commands: [
    {
      name: 'tools',
      summary: 'List the tools that can be wired',
      details: 'PLAN: whether the vendor lists the tool for the coding plan.',
      examples: [['coding tools', 'Tools on this machine have a path']],
      load: async () => (await import('./tools.ts')).run,
    },
    {
      name: 'status',
      summary: 'Show which values are set in which files',
      arguments: [someTools],
      examples: [
        ['coding status', 'All wired tools'],
        ['coding status codex --json', 'Every value of one tool'],
      ],
      load: async () => (await import('./status.ts')).run,
    },
    {
      name: 'load',
      summary: 'Wire tools to the service',
      details: [
        'Shows the changes as a diff with hidden keys, and asks. --dry-run only shows them. Comments, order and other values of the files stay.',
        'A tool that the vendor does not list uses the endpoint that is billed by use; --plan-endpoint changes that.',
        'Codex gets a profile, for `codex --profile modelsvc`; --default changes its default instead.',
      ].join('\n'),
      arguments: [{ ...tools, required: false }],
      options: [
        { name: 'all-installed', summary: 'Wire every tool on this machine whose files can be edited' },
        model,
        smallModel,
        keyMode,
        { name: 'default', summary: 'Make the service the default of Codex' },
        { name: 'mcp', summary: 'Also add the four MCP servers of the plan' },
        general,
        { name: 'no-check', summary: 'Do not check the models against the service' },
      ],
      examples: [
        ['coding load claude-code', 'Ask, then write'],
        ['coding load codex opencode --yes', 'Two tools, in a script'],
        ['coding load --all-installed', 'All tools on this machine, or none'],
        ['coding load crush --dry-run', 'Only show the changes'],
      ],
      load: async () => (await import('./load.ts')).run,
    },
    {
      name: 'unload',
      summary: 'Restore the settings of tools',
      details: 'Restores each value that was set, MCP servers included. A value that you or the tool changed since is left alone and named.',
      arguments: [tools],
      options: [force, forget],
      examples: [
        ['coding unload claude-code', 'Ask, then restore'],
        ['coding unload codex --dry-run', 'Only show the changes'],
      ],
      load: async () => (await import('./unload.ts')).run,
    },
    {
      name: 'run',
      summary: 'Start a tool with the service, without writing a file',
      details: 'The wiring is in arguments and variables of the process. Words after -- go to the tool.',
      arguments: [tool, { name: 'ARG', summary: 'Arguments of the tool, after --', variadic: true }],
      options: [model, smallModel, general],
      examples: [
        ['coding run claude-code', 'A session'],
        ['coding run codex -- exec "Explain this repository"', 'With arguments'],
      ],
      load: async () => (await import('./run.ts')).run,
    },
    {
      name: 'env',
      summary: 'Print the variables that a tool needs',
      details: 'The lines contain a command for the key instead of the key.',
      arguments: [tool],
      options: [
        {
          name: 'shell',
          kind: 'text',
          value: 'SHELL',
          choices: ['bash', 'zsh', 'fish', 'powershell'],
          summary: 'Syntax of the lines, bash by default',
        },
        model,
        smallModel,
        general,
      ],
      examples: [['coding env aider >> ~/.bashrc', 'Set them in every shell']],
      load: async () => (await import('./env.ts')).run,
    },
    {
      name: 'guide',
      summary: 'Print the steps for a tool that is set up by hand',
      arguments: [tool],
      options: [model],
      examples: [['coding guide cursor', 'Steps in its settings']],
      load: async () => (await import('./guide.ts')).run,
    },
    {
      name: 'mcp',
      summary: 'Add the MCP servers of the plan to tools',
      details:
        'A call of search, reader or zread costs a V3 plan 1.2 credits; vision costs as glm-5.3-flash. The three are stateful: a client that sends tools/call without initialize and Mcp-Session-Id gets "-401 Api key not found", though the key is right. The live tool of search is web_search_prime; a result is JSON text inside a JSON string. `modelsvc search` is another route, which no plan has: code 1113.',
      examples: [['coding mcp add claude-code', 'Add all four']],
      commands: [
        {
          name: 'list',
          aliases: ['ls'],
          summary: 'List the servers, and the tools that have them',
          examples: [['coding mcp list', 'Servers and tools']],
          load: async () => (await import('./mcp.ts')).list,
        },
        {
          name: 'add',
          summary: 'Add servers to tools',
          arguments: [tools],
          options: [server, keyMode, { name: 'latest', summary: 'Run the newest vision server, not the version that was examined' }],
          examples: [
            ['coding mcp add opencode', 'All four'],
            ['coding mcp add codex --server search --server reader', 'Two of them'],
          ],
          load: async () => (await import('./mcp.ts')).add,
        },
        {
          name: 'remove',
          aliases: ['rm'],
          summary: 'Remove servers from tools',
          arguments: [tools],
          options: [server, force, forget],
          examples: [['coding mcp remove codex --server vision', 'One of them']],
          load: async () => (await import('./mcp.ts')).remove,
        },
      ],
    },
    {
      name: 'doctor',
      summary: 'Find out why a wired tool does not use the service',
      details:
        'Looks for changed values, an account that changed, missing variables, project files, managed settings and variables that come first. Exit code 1 if there is a problem.',
      arguments: [someTools],
      examples: [['coding doctor claude-code', 'Check one tool']],
      load: async () => (await import('./doctor.ts')).run,
    },
  ],
};
