import { accountStore } from '../../accounts/credentials.ts';
import type { Cli, Handler } from '../../cli.ts';
import { accountsOf, presentOf } from '../../coding/basis.ts';
import { codingRecord } from '../../coding/carry-out.ts';
import { basisFindings, otherKeyFindings, toolFindings, variableFindings } from '../../coding/diagnosis.ts';
import { type Machine, thisMachine } from '../../coding/machine.ts';
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
    const key = [...variableFindings(tool, entries, machine), ...(await accountFindings(cli, tool, entries, machine))];
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

/** The differences between what the parts of a tool were wired with and the present, for each account. */
async function accountFindings(cli: Cli, tool: CodingTool, entries: readonly RecordEntry[], machine: Machine): Promise<Finding[]> {
  const findings = accountsOf(entries).map(async (account) => {
    const own = entries.filter((entry) => entry.account === account);
    try {
      const now = await presentOf(accountStore(cli), account);
      const differing = basisFindings(tool, own, now && { ...now, program: helperKey(account).program });
      if (!now) return differing;
      return [...differing, ...otherKeyFindings(tool, own, now, machine)];
    } catch (error) {
      return [await problemOf('tool', error)];
    }
  });
  return (await Promise.all(findings)).flat();
}
