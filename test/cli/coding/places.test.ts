import { describe, expect, test } from 'vitest';
import { foundAt } from '../../../src/cli/coding/installed.ts';
import type { Machine } from '../../../src/cli/coding/machine.ts';
import type { CodingTool, Wiring } from '../../../src/cli/coding/tool.ts';
import { codingTools } from '../../../src/cli/coding/tools/index.ts';

const homes = { linux: '/home/me', darwin: '/Users/me', win32: 'C:\\Users\\me' } as const;

function placeOn(platform: keyof typeof homes, env: Machine['env'] = {}, files: readonly string[] = []): Machine {
  return { platform, env, home: homes[platform], cwd: homes[platform], exists: (path) => files.includes(path) };
}

const wiring: Wiring = {
  root: 'https://api.example/v1',
  key: { mode: 'env', variable: 'SVC_API_KEY' },
  model: 'm',
  smallModel: 's',
  contextTokens: 1,
  outputTokens: 1,
  isDefault: false,
  isPlan: true,
  region: 'global',
};

function filesOf({ load, mcp }: CodingTool, machine: Machine): string[] {
  const server = { kind: 'http', name: 'x', url: 'https://api.example', key: { mode: 'plain', apiKey: 'k' } } as const;
  const files = [...(load?.(wiring, machine) ?? []), ...(mcp ? [mcp(server, machine)] : [])].map(({ file }) => file);
  return [...new Set(files)];
}

function table(machine: Machine): string {
  return codingTools
    .filter(({ load, mcp }) => load ?? mcp)
    .map((tool) => `${tool.id}: ${filesOf(tool, machine).join(', ')}`)
    .join('\n');
}

describe('files of the tools', () => {
  test('on Linux', () => {
    expect(table(placeOn('linux'))).toMatchInlineSnapshot(`
      "claude-code: /home/me/.claude/settings.json, /home/me/.claude.json
      codex: /home/me/.codex/modelsvc.config.toml, /home/me/.codex/config.toml
      opencode: /home/me/.config/opencode/opencode.json
      kilo: /home/me/.config/kilo/kilo.json
      crush: /home/me/.config/crush/crush.json
      droid: /home/me/.factory/settings.json, /home/me/.factory/mcp.json
      cline: /home/me/.cline/data/settings/providers.json, /home/me/.cline/data/settings/cline_mcp_settings.json
      goose: /home/me/.config/goose/custom_providers/modelsvc.json, /home/me/.config/goose/config.yaml
      pi: /home/me/.pi/agent/models.json, /home/me/.pi/agent/settings.json, /home/me/.pi/agent/mcp.json
      qwen: /home/me/.qwen/settings.json
      continue: /home/me/.continue/config.yaml
      aider: /home/me/.aider.conf.yml
      zed: /home/me/.config/zed/settings.json
      cursor: /home/me/.cursor/mcp.json"
    `);
  });

  test('on macOS they differ from Linux only in the home', () => {
    expect(table(placeOn('darwin')).replaceAll(homes.darwin, homes.linux)).toBe(table(placeOn('linux')));
  });

  test('on Windows they differ from Linux in the home, the slashes and two folders', () => {
    const windows = table(placeOn('win32', { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' }));
    const moved = table(placeOn('linux'))
      .replaceAll('.config/goose/', 'AppData/Roaming/Block/goose/config/')
      .replaceAll('.config/zed/', 'AppData/Roaming/Zed/');
    expect(windows).toBe(moved.replaceAll(homes.linux, homes.win32).replaceAll('/', '\\'));
  });

  test('folders that variables move', () => {
    const env = {
      CLAUDE_CONFIG_DIR: '/c/claude',
      CODEX_HOME: '/c/codex',
      XDG_CONFIG_HOME: '/c/config',
      CRUSH_GLOBAL_CONFIG: '/c/crush',
      CLINE_DIR: '/c/cline',
      PI_CODING_AGENT_DIR: '/c/pi',
      QWEN_HOME: '/c/qwen',
      CONTINUE_GLOBAL_DIR: '/c/continue',
      OPENCODE_CONFIG_DIR: '/c/opencode',
      KILO_CONFIG_DIR: '/c/kilo',
    };
    expect(table(placeOn('linux', env))).toMatchInlineSnapshot(`
      "claude-code: /c/claude/settings.json, /c/claude/.claude.json
      codex: /c/codex/modelsvc.config.toml, /c/codex/config.toml
      opencode: /c/opencode/opencode.json
      kilo: /c/kilo/kilo.json
      crush: /c/crush/crush.json
      droid: /home/me/.factory/settings.json, /home/me/.factory/mcp.json
      cline: /c/cline/data/settings/providers.json, /c/cline/data/settings/cline_mcp_settings.json
      goose: /c/config/goose/custom_providers/modelsvc.json, /c/config/goose/config.yaml
      pi: /c/pi/models.json, /c/pi/settings.json, /c/pi/mcp.json
      qwen: /c/qwen/settings.json
      continue: /c/continue/config.yaml
      aider: /home/me/.aider.conf.yml
      zed: /c/config/zed/settings.json
      cursor: /home/me/.cursor/mcp.json"
    `);
    // A relative folder would depend on the folder in which the tool starts.
    expect(table(placeOn('linux', Object.fromEntries(Object.keys(env).map((name) => [name, 'relative']))))).toBe(table(placeOn('linux')));
  });

  test('of several that exist the one that the tool reads last', () => {
    const at = (id: string, ...files: string[]): string[] => {
      const tool = codingTools.find((one) => one.id === id);
      return tool ? filesOf(tool, placeOn('linux', {}, files)) : [];
    };
    expect(at('opencode', '/home/me/.config/opencode/opencode.json', '/home/me/.config/opencode/opencode.jsonc')).toEqual([
      '/home/me/.config/opencode/opencode.jsonc',
    ]);
    expect(at('kilo', '/home/me/.config/kilo/kilo.json', '/home/me/.config/kilo/opencode.json')).toEqual(['/home/me/.config/kilo/opencode.json']);
    expect(at('aider', '/home/me/.aider.conf.yaml')).toEqual(['/home/me/.aider.conf.yaml']);
  });
});

describe('the folder in which a tool is looked for is the folder of its files', () => {
  const edited = codingTools.filter(({ load, mcp }) => load ?? mcp);
  const platforms = ['linux', 'win32'] as const;

  /** The variables that the places of a tool depend on. */
  function variablesOf(tool: CodingTool, platform: (typeof platforms)[number]): string[] {
    const names = new Set<string>();
    const env = new Proxy({}, { get: (_, name) => void names.add(String(name)) });
    filesOf(tool, placeOn(platform, env));
    tool.traces(placeOn(platform, env));
    return [...names].sort();
  }

  /** A machine that has only these files, with their folders. */
  function having(platform: (typeof platforms)[number], env: Machine['env'], files: readonly string[]): Machine {
    const isThere = (path: string): boolean =>
      files.some((file) => file === path || (/^[\\/]/.test(file.slice(path.length)) && file.startsWith(path)));
    return { ...placeOn(platform, env), exists: isThere };
  }

  test('the variables of each tool', () => {
    expect(edited.map((tool) => `${tool.id}: ${variablesOf(tool, 'linux').join(' ')}`).join('\n')).toMatchInlineSnapshot(`
      "claude-code: CLAUDE_CONFIG_DIR
      codex: CODEX_HOME
      opencode: OPENCODE_CONFIG_DIR XDG_CONFIG_HOME XDG_DATA_HOME
      kilo: KILO_CONFIG_DIR XDG_CONFIG_HOME XDG_DATA_HOME
      crush: CRUSH_GLOBAL_CONFIG CRUSH_GLOBAL_DATA XDG_CONFIG_HOME XDG_DATA_HOME
      droid: 
      cline: CLINE_DATA_DIR CLINE_DIR CLINE_MCP_SETTINGS_PATH CLINE_PROVIDER_SETTINGS_PATH
      goose: XDG_CONFIG_HOME
      pi: PI_CODING_AGENT_DIR
      qwen: QWEN_HOME
      continue: CONTINUE_GLOBAL_DIR
      aider: 
      zed: XDG_CONFIG_HOME
      cursor: "
    `);
  });

  const table = platforms.flatMap((platform) =>
    edited.flatMap((tool) => [undefined, ...variablesOf(tool, platform)].map((name) => ({ id: tool.id, platform, name, tool }))),
  );

  test.each(table)('$id on $platform with $name', ({ tool, platform, name }) => {
    const moved = platform === 'win32' ? 'D:\\moved' : '/moved';
    const env = name === undefined ? {} : { [name]: moved };
    const [standard, files] = [filesOf(tool, placeOn(platform)), filesOf(tool, placeOn(platform, env))];
    for (const file of files) expect(foundAt(tool, having(platform, env, [file])), `only ${file}`).toBeDefined();
    if (files.some((file) => standard.includes(file))) return;
    expect(foundAt(tool, having(platform, env, standard)), 'only the files at the usual place').toBeUndefined();
  });
});

test('each tool names what it needs', () => {
  for (const { id, load, mcp, mcpKeyModes, keyModes, guide } of codingTools) {
    expect(load ?? guide, id).toBeDefined();
    expect(mcp === undefined, id).toBe(mcpKeyModes === undefined);
    expect(keyModes.length, id).toBeGreaterThan(0);
  }
});
