import type { Handler } from '../../cli.ts';
import { codingRecord } from '../../coding/carry-out.ts';
import { foundAt } from '../../coding/installed.ts';
import { thisMachine } from '../../coding/machine.ts';
import { planDate } from '../../coding/plan.ts';
import type { CodingTool } from '../../coding/tool.ts';
import { codingTools } from '../../coding/tools/index.ts';
import type { Column } from '../../terminal/output.ts';

export const run: Handler = async (cli) => {
  const machine = thisMachine(cli.screen.io.env);
  const { entries } = await codingRecord(cli).read();
  const rows = codingTools.map((tool) => ({
    tool: tool.id,
    name: tool.name,
    installed: foundAt(tool, machine) ?? null,
    wired: entries.some((entry) => entry.tool === tool.id && entry.part === 'load'),
    by: wayOf(tool),
    plan: tool.isListed,
    mcp: tool.mcp !== undefined,
    key_modes: tool.keyModes,
  }));
  await cli.screen.list(rows, columns);
  cli.screen.note(`PLAN: on the vendor's list of tools for the coding plan, as of ${planDate}.`);
};

function wayOf({ load, guide }: CodingTool): 'load' | 'guide' {
  return load || !guide ? 'load' : 'guide';
}

type CodingToolRow = {
  readonly tool: string;
  readonly name: string;
  readonly installed: string | null;
  readonly wired: boolean;
  readonly by: string;
  readonly plan: boolean;
};

const columns: readonly Column<CodingToolRow>[] = [
  { title: 'TOOL', text: ({ tool }) => tool },
  { title: 'NAME', isExtra: true, text: ({ name }) => name },
  { title: 'PLAN', text: ({ plan }) => (plan ? 'yes' : 'no') },
  { title: 'BY', text: ({ by }) => by },
  { title: 'WIRED', text: ({ wired }) => (wired ? 'yes' : '') },
  { title: 'FOUND', isExtra: true, text: ({ installed }) => installed },
];
