import type { Cli } from '../cli.ts';

/** Warns about coding tools that are wired with a renamed or removed account: some ask for its key by the old name. */
export async function warnOfTools(cli: Cli, account: string, command: 'load' | 'unload'): Promise<void> {
  const { codingRecord } = await import('./carry-out.ts');
  const { entries } = await codingRecord(cli)
    .read()
    .catch(() => ({ entries: [] }));
  const tools = [...new Set(entries.filter((entry) => entry.account === account).map(({ tool }) => tool))];
  if (tools.length === 0) return;
  const verb = tools.length === 1 ? 'is' : 'are';
  cli.screen.warn(`${tools.join(', ')} ${verb} wired with account ${account}. Run \`modelsvc coding ${command} ${tools.join(' ')}\`.`);
}
