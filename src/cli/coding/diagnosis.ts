// Reasons why a wired tool does not use the service.
import { readFile, stat } from 'node:fs/promises';
import type { Finding } from '../reports/finding.ts';
import { foundAt } from './installed.ts';
import type { KeySource } from './key-source.ts';
import type { Machine } from './machine.ts';
import { hashOf, type RecordEntry } from './record.ts';
import { statusOf } from './status.ts';
import type { CodingTool, Override } from './tool.ts';

/** Largest file that is searched for values, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** The findings of `doctor` for a tool that is wired by these entries. */
export async function toolFindings(tool: CodingTool, entries: readonly RecordEntry[], machine: Machine): Promise<Finding[]> {
  if (entries.length === 0) return [finding('note', `${tool.name} is not wired by this program`, `Run \`modelsvc coding load ${tool.id}\`.`)];
  const problems: Finding[] = [];
  if (foundAt(tool, machine) === undefined)
    problems.push(finding('problem', `${tool.name} is not on this machine any more`, `Run \`modelsvc coding unload ${tool.id}\`.`));
  for (const entry of entries) problems.push(...(await valueFindings(tool, entry)));
  const own = entries.map(({ file }) => file);
  // In the home folder, the file of a project is the user's file, which is wired itself.
  const overrides = (tool.overrides?.(machine) ?? []).filter(({ file }) => file === undefined || !own.includes(file));
  for (const override of overrides) problems.push(...(await overrideFindings(tool, override, machine)));
  if (problems.length > 0) return problems;
  const wired = entries.find(({ part }) => part === 'load');
  return [finding('ok', `${tool.name}: ${wired ? `wired to ${wired.root}` : 'its MCP servers are in place'}`)];
}

async function valueFindings(tool: CodingTool, entry: RecordEntry): Promise<Finding[]> {
  const { values, problem, exposure } = await statusOf(entry);
  const again = `Run \`modelsvc coding load ${tool.id}\` again.`;
  if (problem !== undefined) return [finding('problem', `${tool.name}: ${problem}`, entry.state === 'writing' ? again : 'Repair the file.')];
  const differing = values.filter(({ state }) => state === 'changed' || state === 'gone');
  const findings = differing.map(({ path, state }) =>
    finding('problem', `${tool.name}: ${path} is ${state === 'gone' ? 'gone' : 'changed'} in ${entry.file}`, again),
  );
  if (exposure !== undefined) findings.push(finding('problem', `${tool.name}: ${exposure}`, `Run \`chmod 600 ${entry.file}\`.`));
  if (entry.state === 'writing') findings.push(finding('problem', `${tool.name}: the last change of ${entry.file} was interrupted`, again));
  return findings;
}

/** A problem if the tool gets no key, or another one than that of the account. `key` is the present key, in the mode of the entry. */
export function keyFindings(tool: CodingTool, entry: RecordEntry, key: KeySource, { env }: Machine): Finding[] {
  const again = `Run \`modelsvc coding load ${tool.id}\` again.`;
  if (key.mode === 'env') {
    if (env[key.variable]) return [];
    const next = `Run \`modelsvc coding env ${tool.id}\` for the line that sets it.`;
    return [finding('problem', `${tool.name} reads its key from ${key.variable}, which is not set here`, next)];
  }
  const text = tool.keyText?.(key) ?? (key.mode === 'helper' ? key.line : key.apiKey);
  if (entry.edits.some(({ hashes }) => hashes.includes(hashOf(text)))) return [];
  const problem =
    key.mode === 'helper' ? 'gets its key from a command that is not this program' : `has another key than account ${entry.account ?? 'in use'}`;
  return [finding('problem', `${tool.name} ${problem}`, again)];
}

async function overrideFindings(tool: CodingTool, { file, contains = [], variable, effect }: Override, { env }: Machine): Promise<Finding[]> {
  if (variable !== undefined)
    return env[variable] ? [finding('problem', `${tool.name}: ${variable} is set, and ${effect}`, `Unset ${variable}.`)] : [];
  if (file === undefined) return [];
  const text = await textOf(file);
  if (text === undefined || (contains.length > 0 && !contains.some((one) => text.includes(one)))) return [];
  return [finding('problem', `${tool.name}: ${file} exists, and ${effect}`, 'Check that file.')];
}

async function textOf(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isFile() || facts.size > maxBytes) return undefined;
  return readFile(file, 'utf8').catch(() => '');
}

function finding(status: Finding['status'], text: string, next?: string): Finding {
  return { check: 'tool', status, text, ...(next !== undefined && { next }) };
}
