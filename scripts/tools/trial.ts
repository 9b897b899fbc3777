/** The trial of one program: load, one turn, MCP, unload; then one turn with `coding run` in another home. */
import { planModels } from '../../src/cli/coding/plan.ts';
import { toolNamed } from '../../src/cli/coding/tools/index.ts';
import type { Front, Seen } from './front.ts';
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
  /** Files of the program, apart from its settings, that name the service. */
  readonly traces: readonly string[];
  readonly notes: readonly string[];
}

const server = 'modelsvc-search';
const serverPath = '/api/mcp/web_search_prime/mcp';
const key = 'svc-key-0123456789abcdef.0123456789abcdef';

export const trialKey = key;

export async function trial(program: Program, { path, version }: Installed, front: Front): Promise<Row> {
  const { id, files } = program;
  const notes = program.note === undefined ? [] : [program.note];
  const tool = toolNamed(id);
  const root = front.url + rootPaths[tool.surface];
  const expected: Expected = { surface: tool.surface, key, model: planModels.main, smallModel: planModels.small };
  const ours = [key, front.url, 'modelsvc', 'SVC_API_KEY'];
  const cells: Partial<Record<(typeof columns)[number], Cell>> = {};
  const traces = new Set<string>();
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
    const env = { ...program.env, ...(tool.keyModes[0] === 'env' && { [tool.keyVariable ?? 'SVC_API_KEY']: key }) };
    await home.modelsvc('coding', 'load', id, '--yes', '--no-check');
    const loaded = await textsOf(home, await wiredFiles(home));
    cells.load = { ok: true, text: tool.keyModes[0] ?? '' };
    cells['request seen'] = requestCell(front.seen, await home.program(tool.program ?? '', program.turn, env), expected);
    if (front.seen.some((one) => one.hasRefusedTool))
      notes.push('it declares tools with `anyOf`, `oneOf`, `allOf` or `$ref`, for which the chat endpoint of the platform answers 500');
    const used = await textsOf(home, [...loaded.keys()]);
    cells.MCP = await mcpCell(program, home, env, front);
    const during = await textsOf(home, await wiredFiles(home));
    const rewritten = [...during.keys()].filter((file) => !loaded.has(file) || loaded.get(file) !== used.get(file));
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
      const changed = (await home.filesWith([key, front.url])).filter((file) => file in files);
      if (changed.length > 0) cells.run = failed(`values of ours in ${changed.join(', ')}`);
      await addTraces(home, cells, 'run');
    }, 'run');
  else cells.run = { ok: true, text: program.noSession };
  return { id, name: tool.name, version, cells, traces: [...traces].sort(), notes };

  /** A key in any file, or the root in a file that is not a log or a transcript, fails the cell. */
  async function addTraces(home: Home, into: typeof cells, column: 'unload' | 'run'): Promise<void> {
    const keyFiles = await home.filesWith([key]);
    if (keyFiles.length > 0) into[column] = failed(`the key is in ${keyFiles.join(', ')}`);
    for (const file of await home.filesWith([front.url, 'modelsvc'])) traces.add(file);
  }
}

async function mcpCell(program: Program, home: Home, env: NodeJS.ProcessEnv, front: Front): Promise<Cell> {
  const { id, mcpList, hasNoMcp = false } = program;
  await home.modelsvc('coding', 'mcp', 'add', id, '--server', 'search', '--yes');
  if (hasNoMcp) return { ok: true, text: 'this version has none' };
  front.forget();
  const variables = { ...env, SVC_API_KEY: key };
  const { stdout, stderr } = await home.program(toolNamed(id).program ?? '', mcpList ?? program.turn, variables);
  const leak = foreignKey(front.seen);
  if (leak) return failed(`${leak} of the user was sent`);
  const isAsked = front.seen.some((one) => isOurs(one));
  const isListed = mcpList !== undefined && (stdout + stderr).includes(server);
  if (!isListed && (mcpList !== undefined || !isAsked)) return failed(`${server} is not listed: ${JSON.stringify((stdout + stderr).slice(-600))}`);
  return { ok: true, text: [isListed && 'listed', isAsked && 'asked with the key'].filter(Boolean).join(', ') };
}

function isOurs(seen: Seen): boolean {
  return seen.path === serverPath && credentials(seen).some(([, value]) => value === key);
}
