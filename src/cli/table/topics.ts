// Help that belongs to no command.

export interface Topic {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

export const exitCodeRows: Topic['rows'] = [
  ['0', 'success; also if the reader of the output went away'],
  ['1', 'failure without a code of its own, cut answer, or reply of an unexpected shape (printed as JSON)'],
  ['2', 'wrong usage: unknown command or option, bad input'],
  ['3', 'no key, or the service refused it'],
  ['4', 'not found'],
  ['5', 'rate limit, quota or balance used up'],
  ['6', 'content blocked'],
  ['7', 'network failure or timeout'],
  ['8', 'some parts failed: map, batches, quota --all-accounts'],
  ['9', 'quota --check: no window with figures'],
  ['10', 'threshold of quota --check reached'],
  ['130', 'ended by Ctrl-C'],
  ['143', 'ended by SIGTERM, or with its terminal'],
];

export const environmentRows: Topic['rows'] = [
  ['SVC_API_KEY', 'API key, used before stored accounts'],
  ['SVC_ACCOUNT', 'name of the stored account to use'],
  ['SVC_REGION', 'global or china'],
  ['SVC_API_BASE_URL', 'as --base-url, for a key that is not stored'],
  ['SVC_MODEL', 'default model of chat, messages and responses'],
  ['SVC_CONFIG_DIR', 'folder of accounts and settings'],
  ['HTTPS_PROXY, NO_PROXY', 'proxy for requests'],
  ['NO_COLOR, FORCE_COLOR', 'no colors; always colors, or none with 0 and false'],
  ['CI', 'no questions and no progress'],
];

export const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': { title: 'Exit codes', rows: exitCodeRows },
  environment: { title: 'Environment variables', rows: environmentRows },
};
