/** The trial of one program: load, one turn, MCP, unload; then one turn with `coding run` in another home. */
import { planModels } from '../../../src/cli/coding/plan.ts';
import { toolNamed } from '../../../src/cli/coding/tools/index.ts';
import { variableOf } from '../../../src/cli/coding/variables.ts';
import type { Front } from './front.ts';
import { Home } from './home.ts';
import type { Installed } from './install.ts';
import type { Program } from './programs.ts';
import { type Cell, credentials, type Expected, failed, foreignKey, requestCell, rootPaths } from './request.ts';
import { textsOf, unloadCell, wiredFiles } from './settings.ts';

export const columns = ['load', 'request seen', 'unload', 'run', 'MCP'] as const;

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The cells, or the reason why the program was not run. */
  readonly cells: Partial<Record<(typeof columns)[number], Cell>> | string;
  /** Folders of the program, apart from its settings, with files that name the service. */
  readonly traces: readonly string[];
  /** It declares tools whose schemas the chat endpoint of the platform refuses. */
  readonly hasRefusedTools: boolean;
  readonly note?: string | undefined;
}

const server = 'modelsvc-search';
const serverPath = '/api/mcp/web_search_prime/mcp';

export async function trial(program: Program, { path, version }: Installed, front: Front): Promise<Row> {
  const { key } = front;
  const { id, files, note } = program;
  let hasRefusedTools = false;
  const tool = toolNamed(id);
  const root = front.url + rootPaths[tool.surface];
  const expected: Expected = { surface: tool.surface, key, model: planModels.main, smallModel: planModels.small };
  const ours = [key, front.url, 'modelsvc', 'SVC_API_KEY'];
  const cells: Partial<Record<(typeof columns)[number], Cell>> = {};
  const traces = new Set<string>();
  const settings = new Set(Object.keys(files));
  const inHome = async (body: (home: Home) => Promise<void>, column: (typeof columns)[number]): Promise<void> => {
    const home = await Home.make({ path, files, key, root });
    front.forget();
    try {
      await body(home);
    } catch (error) {
      cells[column] = failed(error instanceof Error ? error.message : String(error));
    } finally {
      await home.close();
    }
  };
  await inHome(async (home) => {
    const env = { ...program.env, ...(tool.keyModes[0] === 'env' && { [variableOf(tool, 'load')]: key }) };
    await home.modelsvc('coding', 'load', id, '--yes', '--no-check');
    const loaded = await textsOf(home, await wiredFiles(home));
    cells.load = { ok: true, text: tool.keyModes[0] ?? '' };
    cells['request seen'] = requestCell(front.seen, await home.program(tool.program ?? '', program.turn, env), expected);
    hasRefusedTools = tool.surface === 'chat' && front.seen.some((one) => one.hasRefusedTool);
    const used = await textsOf(home, [...loaded.keys()]);
    await home.modelsvc('coding', 'mcp', 'add', id, '--server', 'search', '--yes');
    const added = await textsOf(home, await wiredFiles(home));
    cells.MCP = await mcpCell(program, home, env, front);
    const during = await textsOf(home, [...added.keys()]);
    for (const file of during.keys()) settings.add(file);
    const rewritten = [...during.keys()].filter((file) => loaded.get(file) !== used.get(file) || added.get(file) !== during.get(file));
    const { files: restored } = JSON.parse(await home.modelsvc('coding', 'unload', id, '--yes', '--json')) as {
      readonly files: readonly { readonly left: readonly string[] }[];
    };
    const left = restored.flatMap((file) => file.left);
    cells.unload =
      left.length > 0
        ? failed(`unload left ${left.join(', ')}`)
        : await unloadCell(files, during, rewritten, await textsOf(home, [...during.keys()]), ours);
    await addTraces(home, cells, 'unload');
  }, 'unload');
  if (program.noSession === undefined)
    await inHome(async (home) => {
      const seen = await home.session(id, program.sessionTurn ?? program.turn, { ...program.env });
      cells.run = requestCell(front.seen, seen, expected);
      const changed = (await home.filesWith([key, front.url])).filter((file) => settings.has(file));
      if (changed.length > 0) cells.run = failed(`values of ours in ${changed.join(', ')}`);
      await addTraces(home, cells, 'run');
    }, 'run');
  else cells.run = { ok: true, text: program.noSession };
  return { id, name: tool.name, version, cells, traces: [...traces].sort(), hasRefusedTools, note };

  /** A key in any file fails the cell. */
  async function addTraces(home: Home, into: typeof cells, column: 'unload' | 'run'): Promise<void> {
    const keyFiles = await home.filesWith([key]);
    if (keyFiles.length > 0) into[column] = failed(`the key is in ${keyFiles.join(', ')}`);
    for (const file of await home.filesWith([front.url, 'modelsvc'])) traces.add(folderOf(file));
  }
}

/** The folder of a kind of files: `.codex/sessions`, `.local/share/goose`. */
function folderOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, file.startsWith('.local/') ? 3 : 2).join('/');
}

async function mcpCell(program: Program, home: Home, env: NodeJS.ProcessEnv, front: Front): Promise<Cell> {
  const { id, mcpList, hasNoMcp = false } = program;
  if (hasNoMcp) return { ok: true, text: 'this version has none' };
  front.forget();
  const variables = { ...env, SVC_API_KEY: front.key };
  const { stdout, stderr } = await home.program(toolNamed(id).program ?? '', mcpList ?? program.turn, variables);
  const leak = foreignKey(front.seen);
  if (leak) return failed(`${leak} of the user was sent`);
  const isAsked = front.seen.some((one) => one.path === serverPath && credentials(one).some(([, value]) => value === front.key));
  const isListed = mcpList !== undefined && (stdout + stderr).includes(server);
  if (!isListed && (mcpList !== undefined || !isAsked)) return failed(`${server} is not listed: ${JSON.stringify((stdout + stderr).slice(-600))}`);
  return { ok: true, text: [isListed && 'listed', isAsked && 'asked with the key'].filter(Boolean).join(', ') };
}
