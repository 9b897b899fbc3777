// Reasons why a wired tool does not use the service.
import { readFile, stat } from 'node:fs/promises';
import type { Finding } from '../errors/finding.ts';
import { foundAt } from './installed.ts';
import type { Place } from './place.ts';
import { type Entry, hashOf } from './record.ts';
import { statusOf } from './status.ts';
import type { CodingTool, Override } from './tool.ts';

/** Largest file that is searched for values, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** The findings of `doctor` for a tool that is wired by these entries. */
export async function toolFindings(tool: CodingTool, entries: readonly Entry[], place: Place): Promise<Finding[]> {
  if (entries.length === 0) return [finding('note', `${tool.name} is not wired by this program`, `Run \`modelsvc coding load ${tool.id}\`.`)];
  const problems: Finding[] = [];
  if (foundAt(tool, place) === undefined)
    problems.push(finding('problem', `${tool.name} is not on this machine any more`, `Run \`modelsvc coding unload ${tool.id}\`.`));
  for (const entry of entries) problems.push(...(await valueFindings(tool, entry)));
  const own = entries.map(({ file }) => file);
  // In the home folder the file of a project is that of the user.
  const overrides = (tool.overrides?.(place) ?? []).filter(({ file }) => file === undefined || !own.includes(file));
  for (const override of overrides) problems.push(...(await overrideFindings(tool, override, place)));
  const isWired = entries.some(({ part }) => part === 'load');
  return problems.length > 0
    ? problems
    : [finding('ok', `${tool.name}: ${isWired ? `wired to ${entries.find(({ part }) => part === 'load')?.root}` : 'its MCP servers are in place'}`)];
}

async function valueFindings(tool: CodingTool, entry: Entry): Promise<Finding[]> {
  const { values, problem } = await statusOf(entry);
  const again = `Run \`modelsvc coding load ${tool.id}\` again.`;
  if (problem !== undefined) return [finding('problem', `${tool.name}: ${problem}`, 'Repair the file.')];
  const differing = values.filter(({ state }) => state === 'changed' || state === 'gone');
  const findings = differing.map(({ path, state }) =>
    finding('problem', `${tool.name}: ${path} is ${state === 'gone' ? 'gone' : 'changed'} in ${entry.file}`, again),
  );
  if (entry.state === 'writing') findings.push(finding('problem', `${tool.name}: the last change of ${entry.file} was interrupted`, again));
  return findings;
}

/** A key that the tool does not get, or not the one of the account. `line` and `key` are those of the account now. */
export function keyFindings(
  tool: CodingTool,
  entry: Entry,
  { line, command, apiKey }: { readonly line: string; readonly command: string; readonly apiKey: string },
  { env }: Place,
): Finding[] {
  const written = entry.edits.flatMap(({ hashes }) => hashes);
  const again = `Run \`modelsvc coding load ${tool.id}\` again.`;
  const variable = tool.keyVariable ?? 'SVC_API_KEY';
  if (entry.keyMode === 'env' && !env[variable])
    return [
      finding(
        'problem',
        `${tool.name} reads its key from ${variable}, which is not set here`,
        `Run \`modelsvc coding env ${tool.id}\` for the line that sets it.`,
      ),
    ];
  if (entry.keyMode === 'helper' && ![line, command, `!${line}`, `$(${line})`].some((text) => written.includes(hashOf(text))))
    return [finding('problem', `${tool.name} asks a command for its key that is not this program`, again)];
  if (entry.keyMode === 'plain' && !written.includes(hashOf(apiKey)))
    return [finding('problem', `${tool.name} has another key than account ${entry.account ?? 'in use'}`, again)];
  return [];
}

async function overrideFindings(tool: CodingTool, { file, contains = [], variable, effect }: Override, { env }: Place): Promise<Finding[]> {
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
