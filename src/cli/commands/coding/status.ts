import { accountStore } from '../../accounts/credentials.ts';
import type { Cli, Handler } from '../../cli.ts';
import { accountsOf, differences, presentOf } from '../../coding/basis.ts';
import { codingRecord } from '../../coding/carry-out.ts';
import { rivalTexts } from '../../coding/diagnosis.ts';
import { type Machine, thisMachine } from '../../coding/machine.ts';
import type { RecordEntry } from '../../coding/record.ts';
import { type EntryStatus, statusOf } from '../../coding/status.ts';
import { toolNamed } from '../../coding/tools/index.ts';
import { helperKey } from '../../coding/wiring.ts';
import type { Column } from '../../terminal/output.ts';

export const run: Handler = async (cli, input) => {
  const ids = input.args.map((id) => toolNamed(id).id);
  const { entries } = await codingRecord(cli).read();
  const chosen = entries.filter(({ tool }) => ids.length === 0 || ids.includes(tool));
  const statuses = await Promise.all(chosen.map(statusOf));
  const behind = await clausesOf(cli, chosen);
  const rows = statuses.map(({ entry, state, values, problem, exposure }) => ({
    tool: entry.tool,
    part: entry.part,
    file: entry.file,
    state,
    interrupted: entry.state === 'writing',
    account: entry.account ?? null,
    root: entry.root ?? null,
    key_mode: entry.keyMode,
    time: entry.time,
    values,
    ...(behind(entry).length > 0 && { differs: behind(entry) }),
    ...(exposure !== undefined && { exposure }),
    ...(problem !== undefined && { problem }),
  }));
  if (rows.length === 0 && cli.screen.isText) return cli.screen.note('No tool is wired by this program.');
  if (cli.screen.isText && cli.screen.io.stdout.isTTY) await cli.screen.list(byTool(rows), toolColumns);
  else await cli.screen.list(rows, columns);
  const machine = thisMachine(cli.screen.io.env);
  for (const status of statuses) explain(status, machine, (text) => cli.screen.note(text));
  for (const text of new Set(
    chosen.flatMap((entry) => behind(entry).map((clause) => `${entry.tool}: it is wired with account ${entry.account}, ${clause}`)),
  ))
    cli.screen.note(text);
};

/** The differences between the account of an entry and the present one. None for a key that cannot be read, which `doctor` explains. */
async function clausesOf(cli: Cli, entries: readonly RecordEntry[]): Promise<(entry: RecordEntry) => readonly string[]> {
  const clauses = new Map<RecordEntry, readonly string[]>();
  for (const account of accountsOf(entries)) {
    const own = entries.filter((entry) => entry.account === account);
    const find = presentOf(accountStore(cli), account).then((now) => {
      for (const entry of own) clauses.set(entry, differences(entry, now && { ...now, program: helperKey(account).program }));
    });
    await find.catch(() => cli.signal.throwIfAborted());
  }
  return (entry) => clauses.get(entry) ?? [];
}

function explain({ entry, values, content, problem, exposure }: EntryStatus, machine: Machine, note: (text: string) => void): void {
  const { tool, file, state: progress } = entry;
  if (problem !== undefined) note(`${tool}: ${problem}`);
  if (exposure !== undefined) note(`${tool}: ${exposure}. Run \`chmod 600 ${file}\`.`);
  if (progress === 'writing')
    note(`${tool}: the last change of ${file} was interrupted. Run \`modelsvc coding load ${tool}\` or \`modelsvc coding unload ${tool}\`.`);
  for (const { path, state } of values) {
    if (state === 'gone') note(`${tool}: ${path} is gone from ${file}`);
    if (state === 'changed') note(`${tool}: ${path} is changed by another program in ${file}`);
  }
  for (const { text } of rivalTexts(toolNamed(tool), entry, content, machine)) note(`${tool}: ${text}`);
}

type StatusRow = {
  readonly tool: string;
  readonly part: string;
  readonly file: string;
  readonly state: string;
  readonly interrupted: boolean;
  readonly account: string | null;
  readonly root: string | null;
};

const columns: readonly Column<StatusRow>[] = [
  { title: 'TOOL', text: ({ tool }) => tool },
  { title: 'PART', text: ({ part }) => part },
  { title: 'STATE', text: ({ state, interrupted }) => (interrupted ? `interrupted, ${state}` : state) },
  { title: 'ACCOUNT', text: ({ account }) => account },
  { title: 'ROOT', text: ({ root }) => root },
  { title: 'FILE', text: ({ file }) => file },
];

/** From the worst to the best. */
const states: readonly string[] = ['unreadable', 'changed', 'gone', 'unwritten', 'set'];

/** For people: a line for each tool, with its worst state. */
function byTool(rows: readonly StatusRow[]): readonly (StatusRow & { readonly wired: string })[] {
  return [...new Set(rows.map(({ tool }) => tool))].flatMap((tool) => {
    const parts = rows.filter((row) => row.tool === tool);
    const worst = parts.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state))[0];
    if (!worst) return [];
    const model = parts.find(({ part }) => part === 'load');
    const servers = new Set(parts.map(({ part }) => part).filter((part) => part !== 'load')).size;
    const wired = [...(model ? ['model'] : []), ...(servers > 0 ? [`${servers} MCP`] : [])].join(' + ');
    return [{ ...(model ?? worst), state: worst.state, interrupted: parts.some(({ interrupted }) => interrupted), wired }];
  });
}

const toolColumns: readonly Column<ReturnType<typeof byTool>[number]>[] = columns.map((column) => {
  if (column.title === 'PART') return { title: 'WIRED', text: ({ wired }) => wired };
  return ['ACCOUNT', 'ROOT', 'FILE'].includes(column.title) ? { ...column, isExtra: true } : column;
});
