// Reasons why a wired tool does not use the service.
import { fingerprint } from '../accounts/key.ts';
import type { Finding } from '../reports/finding.ts';
import { againWith, differences, type Present } from './basis.ts';
import { foundAt } from './installed.ts';
import type { Machine } from './machine.ts';
import type { RecordEntry } from './record.ts';
import { aimOf, type FoundRival, isNeutral, rivalsElsewhere, rivalsIn } from './rivals.ts';
import { statusOf } from './status.ts';
import type { CodingTool } from './tool.ts';
import { readerText, variablesOf } from './variables.ts';

/** The findings of `doctor` for a tool that is wired by these entries. */
export async function toolFindings(tool: CodingTool, entries: readonly RecordEntry[], machine: Machine): Promise<Finding[]> {
  if (entries.length === 0) return [finding('note', `${tool.name} is not wired by this program`, `Run \`modelsvc coding load ${tool.id}\`.`)];
  const problems: Finding[] = [];
  if (foundAt(tool, machine) === undefined)
    problems.push(finding('problem', `${tool.name} is not on this machine any more`, `Run \`modelsvc coding unload ${tool.id}\`.`));
  for (const entry of entries) problems.push(...(await valueFindings(tool, entry, machine)));
  problems.push(...(await elsewhereFindings(tool, entries, machine)));
  if (problems.some(({ status }) => status === 'problem')) return problems;
  const wired = entries.find(({ part }) => part === 'load');
  return [...problems, finding('ok', `${tool.name}: ${wired ? `wired to ${wired.root}` : 'its MCP servers are in place'}`)];
}

/** The rivals of the wiring in variables and other files. */
async function elsewhereFindings({ name, rivals }: CodingTool, entries: readonly RecordEntry[], machine: Machine): Promise<Finding[]> {
  const loaded = entries.filter(({ part }) => part === 'load');
  if (!loaded[0] || !rivals) return [];
  const own = entries.map(({ file }) => file);
  const found = await rivalsElsewhere(rivals(aimOf(loaded[0], machine)), loaded, own, machine.env);
  return found.map(({ text, next, isPartial }) => finding(isPartial ? 'note' : 'problem', `${name}: ${text}`, next));
}

/** The rivals of the wiring in one of its files, as sentences. */
export function rivalTexts(
  { rivals }: CodingTool,
  entry: RecordEntry,
  content: unknown,
  machine: Machine,
): (FoundRival & { readonly text: string })[] {
  if (entry.part !== 'load' || !rivals) return [];
  return rivalsIn(content, rivals(aimOf(entry, machine)), entry.file)
    .filter((one) => !isNeutral(content, one))
    .map((one) => ({ ...one, text: `${one.name} is set in ${entry.file}, and ${one.effect}` }));
}

async function valueFindings(tool: CodingTool, entry: RecordEntry, machine: Machine): Promise<Finding[]> {
  const { values, content, problem, cure, exposure } = await statusOf(entry);
  const again = `Run \`modelsvc coding load ${tool.id}\` again.`;
  if (problem !== undefined) return [finding('problem', `${tool.name}: ${problem}`, entry.state === 'writing' ? again : cure)];
  const rivals = rivalTexts(tool, entry, content, machine);
  const differing = values.filter(({ path, state }) => state === 'gone' || (state === 'changed' && !rivals.some(({ name }) => name === path)));
  const findings = differing.map(({ path, state }) =>
    finding('problem', `${tool.name}: ${path} is ${state === 'gone' ? 'gone' : 'changed'} in ${entry.file}`, again),
  );
  if (exposure !== undefined) findings.push(finding('problem', `${tool.name}: ${exposure}`, `Run \`chmod 600 ${entry.file}\`.`));
  for (const { text, value, isPartial } of rivals)
    findings.push(finding(isPartial ? 'note' : 'problem', `${tool.name}: ${text}`, value === undefined ? 'Check that setting.' : again));
  if (entry.state === 'writing') findings.push(finding('problem', `${tool.name}: the last change of ${entry.file} was interrupted`, again));
  return findings;
}

/** A problem for each variable that the entries read and that is not set. */
export function variableFindings(tool: CodingTool, entries: readonly RecordEntry[], { env }: Machine): Finding[] {
  return variablesOf(tool, entries)
    .filter(({ name }) => !env[name])
    .map((one) =>
      finding(
        'problem',
        `${readerText(one, tool.name, `${tool.name}: its`)}, which is not set here`,
        `Run \`modelsvc coding env ${tool.id}\` for the line that sets it.`,
      ),
    );
}

/** A problem for each variable that contains another key than the account. */
export function otherKeyFindings(tool: CodingTool, entries: readonly RecordEntry[], { facts }: Present, { env }: Machine): Finding[] {
  return variablesOf(tool, entries)
    .filter(({ name }) => ![undefined, '', facts.key].includes(env[name] && fingerprint(env[name].trim())))
    .map((one) =>
      finding(
        'problem',
        `${readerText(one, tool.name, `${tool.name}: its`)}, which contains another key than account ${entries[0]?.account}`,
        `Run \`modelsvc coding env ${tool.id}\` for the line that sets it.`,
      ),
    );
}

/** A problem for each difference between the account that the parts were wired with and the present one. */
export function basisFindings(tool: CodingTool, entries: readonly RecordEntry[], now: Present | undefined): Finding[] {
  const clauses = new Set(entries.flatMap((entry) => differences(entry, now)));
  return [...clauses].map((clause) => {
    const behind = entries.filter((entry) => differences(entry, now).includes(clause));
    const { account = '' } = behind[0] ?? {};
    const next = now === undefined ? `Wire it with another account, or run \`modelsvc coding unload ${tool.id}\`.` : againWith(account, behind);
    return finding('problem', `${tool.name} is wired with account ${account}, ${clause}`, next);
  });
}

function finding(status: Finding['status'], text: string, next?: string): Finding {
  return { check: 'tool', status, text, ...(next !== undefined && { next }) };
}
