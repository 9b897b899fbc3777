import { accountCredential, accountStore } from '../../accounts/credentials.ts';
import type { Cli, Handler } from '../../cli.ts';
import { codingRecord } from '../../coding/carry-out.ts';
import { keyFindings, toolFindings, variableFindings } from '../../coding/diagnosis.ts';
import { thisMachine } from '../../coding/machine.ts';
import type { RecordEntry } from '../../coding/record.ts';
import { entriesOf } from '../../coding/tasks.ts';
import type { CodingTool } from '../../coding/tool.ts';
import { codingTools, toolNamed } from '../../coding/tools/index.ts';
import { helperKey } from '../../coding/wiring.ts';
import { exitCodes } from '../../errors/exit.ts';
import { type Finding, problemOf } from '../../reports/finding.ts';
import { findingLine } from '../../reports/finding-line.ts';

export const run: Handler = async (cli, input) => {
  const data = await codingRecord(cli).read();
  const tools = input.args.length > 0 ? input.args.map(toolNamed) : codingTools.filter(({ id }) => entriesOf(data, id).length > 0);
  const machine = thisMachine(cli.screen.io.env);
  const findings: Finding[] = [];
  for (const tool of tools) {
    const entries = entriesOf(data, tool.id);
    const key = [...variableFindings(tool, entries, machine), ...(await keyOf(cli, tool, entries))];
    const others = await toolFindings(tool, entries, machine);
    // A tool with a wrong key gets no finding `ok`.
    findings.push(...(key.length > 0 ? others.filter(({ status }) => status !== 'ok') : others), ...key);
  }
  if (findings.length === 0)
    findings.push({ check: 'tool', status: 'note', text: 'No tool is wired by this program', next: 'Run `modelsvc coding tools`.' });
  const isOk = findings.every(({ status }) => status !== 'problem');
  await cli.screen.result({ ok: isOk, findings }, () => findings.map((one) => findingLine(cli, one)).join('\n'));
  return isOk ? exitCodes.ok : exitCodes.error;
};

async function keyOf(cli: Cli, tool: CodingTool, entries: readonly RecordEntry[]): Promise<Finding[]> {
  const entry = entries.find(({ part }) => part === 'load');
  if (entry?.account === undefined) return [];
  const { account, keyMode } = entry;
  try {
    const { apiKey } = await accountCredential(cli, accountStore(cli), account);
    if (keyMode === 'env') return [];
    return keyFindings(tool, entry, keyMode === 'helper' ? helperKey(account) : { mode: 'plain', apiKey });
  } catch (error) {
    return [await problemOf('tool', error)];
  }
}
