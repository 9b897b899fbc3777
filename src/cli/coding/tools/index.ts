// All coding tools: first those whose files are edited, then those that are set up by hand.
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { CodingTool } from '../tool.ts';
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueTool } from './continue.ts';
import { crush } from './crush.ts';
import { cursor } from './cursor.ts';
import { droid } from './droid.ts';
import { goose } from './goose.ts';
import { guidedTools } from './guided.ts';
import { kilo } from './kilo.ts';
import { openCode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { zed } from './zed.ts';

/** Tools whose files are edited. */
export const wiredTools: readonly CodingTool[] = [claudeCode, codex, openCode, kilo, crush, droid, cline, goose, pi, qwen, continueTool, aider, zed];

export const codingTools: readonly CodingTool[] = [...wiredTools, cursor, ...guidedTools];

/** The tool with an id. Throws a CliError that lists the ids. */
export function toolNamed(id: string): CodingTool {
  const tool = codingTools.find((one) => one.id === id);
  if (tool) return tool;
  const near = codingTools.find((one) => one.id.startsWith(id.toLowerCase()) || one.name.toLowerCase() === id.toLowerCase() || one.program === id);
  throw new CliError(
    `no coding tool has the name ${JSON.stringify(id)}${near ? `; did you mean ${near.id}?` : ''}`,
    exitCodes.notFound,
    'Run `modelsvc coding tools` for the list.',
  );
}
