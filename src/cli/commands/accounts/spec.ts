import { teamOptions } from '../../accounts/team.ts';
import type { Command } from '../../cli.ts';
import type { ArgumentSpec, OptionSpec } from '../../table/spec.ts';

const name: ArgumentSpec = { name: 'NAME', summary: 'Name of the account', required: true, complete: 'account' };
const optionalName: ArgumentSpec = { name: 'NAME', summary: 'Name of the account', default: 'the one in use', complete: 'account' };
const store: OptionSpec = {
  name: 'store',
  kind: 'text',
  value: 'PLACE',
  choices: ['file', 'keychain'],
  summary: 'Place of the key; the keychain needs @napi-rs/keyring. The default is the first of',
};
const replace: OptionSpec = { name: 'replace', summary: 'Replace the key of an account that exists' };
const out: OptionSpec = { name: 'out', short: 'O', kind: 'text', value: 'FILE', summary: 'Write to a file with mode 0600', complete: 'file' };

export const spec: Command = {
  name: 'accounts',
  summary: 'Store API keys, and choose the one to use',
  details: [
    'The key of a call is the first of: --api-key-stdin or --api-key-file, --account, SVC_API_KEY, SVC_ACCOUNT, the active account.',
    'A stored key is bound to its host. It is sent to another host, this machine included, only after `accounts allow-host`.',
    '`keys` and `auth` are other names of `accounts`.',
  ].join('\n'),
  examples: [
    ['accounts add work', 'Store a key; the command asks for it'],
    ['accounts use work', 'Use it from now on'],
    ['accounts list', 'Stored accounts'],
  ],
  commands: [
    {
      name: 'add',
      aliases: ['set', 'login'],
      summary: 'Store an API key under a name',
      details:
        'The key comes from a hidden prompt, from stdin, or from --api-key-file. Two free calls check it and detect its kind. The first account becomes the active one. --region and --base-url bind the key to a host.',
      arguments: [
        {
          name: 'NAME',
          summary: 'Name: up to 64 letters, digits, dots, hyphens and underscores',
          default: '`default` for the first account; otherwise a terminal is asked',
        },
      ],
      options: [
        { name: 'kind', kind: 'text', value: 'KIND', choices: ['plan', 'payg', 'team'], summary: 'Kind of key', default: 'detected' },
        ...teamOptions,
        store,
        { name: 'note', kind: 'text', value: 'TEXT', summary: 'Remark for yourself' },
        { name: 'no-validate', summary: 'Store the key without a check' },
        replace,
      ],
      examples: [
        ['accounts add work', 'Ask for the key'],
        ['pass show model-key | modelsvc accounts add work --region china', 'Take the key from a password manager'],
        ['accounts add crew --organization org-1 --project proj-1', 'A key of a team, with the ids of its page'],
        ['accounts add lab --base-url https://gateway.example/v1 --no-validate', 'A key of a gateway'],
      ],
      load: async () => (await import('./add.ts')).run,
    },
    {
      name: 'list',
      aliases: ['ls'],
      summary: 'List the accounts',
      examples: [['accounts list --json', 'Accounts as JSON, with masked keys']],
      load: async () => (await import('./accounts.ts')).list,
    },
    {
      name: 'show',
      summary: 'Show an account',
      arguments: [optionalName],
      examples: [['accounts show work', 'Region, kind, hosts and masked key']],
      load: async () => (await import('./accounts.ts')).show,
    },
    {
      name: 'use',
      summary: 'Make an account the active one',
      arguments: [name],
      examples: [['accounts use work', 'Use the key of work from now on']],
      load: async () => (await import('./accounts.ts')).use,
    },
    {
      name: 'current',
      summary: 'Print which key a command would use',
      examples: [['accounts current', 'Name of the account, or the variable']],
      load: async () => (await import('./accounts.ts')).current,
    },
    {
      name: 'rename',
      summary: 'Rename an account',
      arguments: [name, { name: 'NEW', summary: 'New name', required: true }],
      examples: [['accounts rename work office', 'The key and the hosts stay']],
      load: async () => (await import('./accounts.ts')).rename,
    },
    {
      name: 'remove',
      aliases: ['rm'],
      summary: 'Remove an account and its key',
      arguments: [name],
      options: [{ name: 'keep-key', summary: 'Leave the key in the keychain, for instance if the keychain is gone' }],
      examples: [
        ['accounts remove work', 'Asks first'],
        ['accounts remove work --yes', 'In a script'],
      ],
      load: async () => (await import('./accounts.ts')).remove,
    },
    {
      name: 'import',
      summary: 'Store keys from variables, the coding helper, or an export',
      details: 'The keys are not checked; run `modelsvc accounts validate NAME`. All accounts are stored, or none.',
      arguments: [{ name: 'FILE', summary: 'A file of `accounts export --reveal`', complete: 'file' }],
      options: [
        { name: 'from', kind: 'text', value: 'SOURCE', choices: ['env', 'chelper', 'file'], summary: 'Source', default: 'FILE' },
        store,
        replace,
      ],
      examples: [
        ['accounts import --from env', 'Keys in SVC_API_KEY, ZAI_API_KEY, ZHIPUAI_API_KEY and similar'],
        ['accounts import --from chelper', 'The key in ~/.chelper/config.yaml'],
        ['accounts import accounts.json', 'The accounts of another machine'],
      ],
      load: async () => (await import('./import.ts')).run,
    },
    {
      name: 'export',
      summary: 'Print the accounts as JSON, with masked keys',
      details: 'With --reveal the keys are complete: into a file with -O, or to a pipe with --yes. Keys are never printed on a terminal.',
      arguments: [{ name: 'NAME', summary: 'Accounts', default: 'all', variadic: true, complete: 'account' }],
      options: [out, { name: 'reveal', summary: 'Write the complete keys' }, { name: 'force', summary: 'Replace an existing file' }],
      examples: [
        ['accounts export', 'All accounts, with masked keys'],
        ['accounts export --reveal -O accounts.json', 'A backup with keys'],
      ],
      load: async () => (await import('./export.ts')).run,
    },
    {
      name: 'validate',
      summary: 'Check a key with free calls',
      arguments: [optionalName],
      examples: [['accounts validate work', 'Validity and kind; exit code 3 if the key is refused']],
      load: async () => (await import('./accounts.ts')).validate,
    },
    {
      name: 'token',
      summary: 'Print a key, for programs that ask a command for it',
      details:
        'A pipe gets the complete key and a line feed. On a terminal the command needs --reveal. A tool that is wired passes --for with the host that it sends the key to.',
      arguments: [optionalName],
      options: [
        { name: 'reveal', summary: 'Show the key on a terminal too' },
        {
          name: 'for',
          kind: 'text',
          value: 'URL',
          summary: 'Any URL of the host that the key is for; exit code 3 if the account is not bound to it',
        },
      ],
      examples: [
        ['accounts token work | pbcopy', 'The key of work, for another program'],
        ['accounts token work --for https://api.z.ai', 'Only while the key may go to this host'],
      ],
      load: async () => (await import('./accounts.ts')).token,
    },
    {
      name: 'allow-host',
      summary: 'Allow a further host for a key',
      details: 'A key is sent only to the hosts of its account. The scheme, the host and the port count; the path does not.',
      arguments: [name, { name: 'URL', summary: 'Any URL of the host', required: true }],
      options: [{ name: 'remove', summary: 'Take the permission back' }],
      examples: [
        ['accounts allow-host work https://gateway.example', 'For --base-url https://gateway.example/v1'],
        ['accounts allow-host work https://gateway.example --remove', 'No longer'],
      ],
      load: async () => (await import('./accounts.ts')).allowHost,
    },
  ],
};
