// MCP servers alone. `sequences.test.ts` mixes them with the wiring of the tools, in any order.
import { describe, expect, test } from 'vitest';
import { codingTools } from '../../../src/cli/coding/tools/index.ts';
import { type CodingHome, codingHome, filesWith, key } from './support/home.ts';

/** One of each format. The others are in `sequences.test.ts`, `variables.test.ts` and `key-in-file.test.ts`. */
const some = ['codex', 'opencode', 'goose', 'zed', 'cursor'];
const tools = codingTools.flatMap(({ id, mcpKeyModes = [] }) => (some.includes(id) ? [{ id, mcpKeyModes }] : []));
const servers = ['search', 'reader', 'zread', 'vision'];

async function home(id: string): Promise<CodingHome> {
  const user = await codingHome({ settings: id });
  // Cursor has no program on the PATH.
  if (id === 'cursor') await user.put('.cursor/mcp.json', '{ "mcpServers": {} }\n');
  return user;
}

describe.each(tools)('$id', ({ id, mcpKeyModes }) => {
  test(`servers come and go one by one, with the key by ${mcpKeyModes.join(' and ')}`, async () => {
    const user = await home(id);
    const before = await user.tree();
    await user.ok(['coding', 'mcp', 'add', id, '--yes', '--server', 'search']);
    expect(filesWith(await user.tree(), key)).toHaveLength(mcpKeyModes[0] === 'plain' ? 1 : 0);
    await user.ok(['coding', 'mcp', 'add', id, '--yes', '--server', 'reader', '--server', 'vision', '--key-mode', 'plain']);
    const added = await user.tree();
    expect(filesWith(added, key)).toHaveLength(1);
    for (const name of servers) expect(filesWith(added, `modelsvc-${name}`), name).toHaveLength(name === 'zread' ? 0 : 1);
    const list = JSON.parse((await user.ok(['coding', 'mcp', 'list', '--json'])).stdout) as { server: string; tools: string[] }[];
    expect(list.filter((row) => row.tools.includes(id)).map(({ server }) => server)).toEqual(['search', 'reader', 'vision']);
    // The first that was added goes first: its container stays for the others.
    await user.ok(['coding', 'mcp', 'remove', id, '--yes', '--server', 'search']);
    await user.ok(['coding', 'mcp', 'remove', id, '--yes', '--server', 'vision']);
    expect(filesWith(await user.tree(), 'modelsvc-reader')).toHaveLength(1);
    await user.ok(['coding', 'mcp', 'remove', id, '--yes']);
    expect(await user.tree()).toEqual(before);
  });
});

test('a tool that takes no servers gets that message', async () => {
  const user = await codingHome();
  expect(await user.sh(['coding', 'mcp', 'add', 'aider', '--yes'])).toMatchObject({ code: 2 });
  const { stderr } = await user.ok(['coding', 'load', 'aider', '--mcp', '--yes', '--no-check']);
  expect(stderr).toContain('Aider takes no MCP servers');
});

test('the same server twice is one server', async () => {
  const user = await home('codex');
  await user.ok(['coding', 'mcp', 'add', 'codex', '--yes']);
  const added = await user.tree();
  await user.ok(['coding', 'mcp', 'add', 'codex', '--yes']);
  expect(await user.tree()).toEqual(added);
  await user.ok(['coding', 'mcp', 'add', 'codex', '--yes', '--latest']);
  expect(filesWith(await user.tree(), '@z_ai/mcp-server@latest')).toEqual(['.codex/config.toml']);
});

test('unload names each file once, with the values of all servers', async () => {
  const user = await home('cursor');
  await user.ok(['coding', 'mcp', 'add', 'cursor', '--yes']);
  const { stdout } = await user.ok(['coding', 'unload', 'cursor', '--yes']);
  expect(stdout).toMatch(/^\S+mcp\.json: \d+ values restored\n$/);
});
