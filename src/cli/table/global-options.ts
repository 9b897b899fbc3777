import type { OptionSpec } from './spec.ts';

export type Format = 'text' | 'json' | 'jsonl' | 'yaml' | 'table';

export const formats: readonly Format[] = ['text', 'json', 'jsonl', 'yaml', 'table'];

/** Values of the global options, by name in camel case. */
export interface GlobalValues {
  readonly account?: string;
  readonly apiKeyFile?: string;
  readonly apiKeyStdin?: boolean;
  readonly region?: 'global' | 'china';
  readonly baseUrl?: string;
  readonly serviceRules?: 'on' | 'off';
  readonly output?: Format;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly color?: string;
  readonly progress?: boolean;
  readonly input?: boolean;
  readonly timeout?: number;
  readonly retries?: number;
  readonly retryFor?: number;
  readonly dryRun?: string;
  readonly planEndpoint?: boolean;
  readonly rawOutput?: boolean;
  readonly log?: boolean;
  readonly yes?: boolean;
}

/** Options of every command. */
export const globalOptions: readonly OptionSpec[] = [
  { name: 'account', short: 'a', kind: 'text', value: 'NAME', summary: 'Stored account to use (SVC_ACCOUNT)', complete: 'account' },
  { name: 'api-key-file', kind: 'text', value: 'FILE', field: 'apiKey', summary: 'Read the API key from a file', complete: 'file' },
  { name: 'api-key-stdin', summary: 'Read the API key from the first line of stdin' },
  { name: 'region', kind: 'text', value: 'REGION', choices: ['global', 'china'], summary: 'Host family (SVC_REGION)' },
  { name: 'base-url', kind: 'text', value: 'URL', field: 'endpoints', summary: 'Root of every operation, for a gateway or a mock' },
  {
    name: 'service-rules',
    kind: 'text',
    value: 'WHEN',
    choices: ['on', 'off'],
    summary: 'Translate --effort and check ranges and names as on the service, at --base-url too',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    value: 'FORMAT',
    choices: formats,
    summary: 'Form of the result on stdout',
  },
  { name: 'json', summary: 'Same as --output json; errors are JSON too' },
  { name: 'quiet', short: 'q', summary: 'No notes and no progress on stderr' },
  { name: 'debug', summary: 'Log every attempt and retry to stderr, without keys and content' },
  { name: 'color', kind: 'text', value: 'WHEN', choices: ['auto', 'always', 'never'], summary: 'Colors, unless NO_COLOR is set' },
  { name: 'no-progress', summary: 'No progress on stderr; CI implies it' },
  { name: 'no-input', summary: 'Never ask a question; CI implies it' },
  { name: 'timeout', kind: 'duration', value: 'TIME', summary: 'Longest wait for the response header; 0 means no limit', default: '30s' },
  { name: 'retries', kind: 'integer', value: 'N', field: 'maxRetries', summary: 'Retries on 429, 5xx and network errors', default: '3' },
  {
    name: 'retry-for',
    kind: 'duration',
    value: 'TIME',
    field: 'retryFor',
    summary: 'Retry refusals, such as an overload, for this long; --retries then limits them only if given',
  },
  {
    name: 'dry-run',
    short: 'n',
    kind: 'text',
    value: 'FORM',
    optional: true,
    choices: ['curl'],
    summary: 'Print the request, do not send it; =curl prints a command',
  },
  { name: 'plan-endpoint', summary: 'Use the coding-plan endpoint. The terms limit it to listed coding tools' },
  { name: 'raw-output', summary: 'Keep control characters of model text on a terminal' },
  { name: 'no-log', summary: 'Keep the prompt out of the log, of conversations and of the history' },
  { name: 'yes', short: 'y', summary: 'Answer yes to every question' },
  { name: 'help', short: 'h', summary: 'Help for the command' },
];
