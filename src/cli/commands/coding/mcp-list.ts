import type { Handler } from '../../cli.ts';
import { codingRecord } from '../../coding/carry-out.ts';
import { serverId, serverNames, serverSummaries } from '../../coding/mcp-servers.ts';
import { codingTools } from '../../coding/tools/index.ts';

export const run: Handler = async (cli) => {
  const { entries } = await codingRecord(cli).read();
  const rows = serverNames.map((name) => ({
    server: name,
    id: serverId(name),
    summary: serverSummaries[name],
    tools: entries.filter(({ part }) => part === `mcp:${name}`).map(({ tool }) => tool),
  }));
  await cli.output.list(rows, [
    { title: 'SERVER', text: ({ server }) => server },
    { title: 'SUMMARY', text: ({ summary }) => summary },
    { title: 'TOOLS', text: ({ tools }) => tools.join(', ') },
  ]);
  cli.output.note(`Tools that take servers: ${codingTools.flatMap(({ id, mcp }) => (mcp ? [id] : [])).join(', ')}.`);
};
