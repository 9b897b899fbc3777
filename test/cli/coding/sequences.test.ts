// Random sequences of load, unload and MCP servers over all tools: in the end every byte is as it was.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply } from '../../../src/cli/coding/apply.ts';
import type { KeySource } from '../../../src/cli/coding/key-source.ts';
import type { Machine } from '../../../src/cli/coding/machine.ts';
import { mcpServer, type ServerName, serverNames } from '../../../src/cli/coding/mcp-servers.ts';
import { CodingRecord } from '../../../src/cli/coding/record.ts';
import { Rehearsal } from '../../../src/cli/coding/rehearsal.ts';
import type { PartTask } from '../../../src/cli/coding/task.ts';
import { entriesOf, loadTasks, takeBackTask } from '../../../src/cli/coding/tasks.ts';
import type { Wiring } from '../../../src/cli/coding/tool.ts';
import { toolNamed, wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { CliError } from '../../../src/cli/errors/exit.ts';
import { runs } from '../../support/deep.ts';

const key: KeySource = { mode: 'env', variable: 'SVC_API_KEY' };
const options = { region: 'global', origin: 'https://api.z.ai', platform: 'linux', isLatest: false } as const;
const signal = new AbortController().signal;

function wiringOf(model: string, isDefault: boolean): Wiring {
  const limits = { contextTokens: 1_000_000, outputTokens: 131_072 };
  return { root: 'https://api.z.ai/api/x', key, model, smallModel: 'glm-5.3-flash', ...limits, isDefault, isPlan: true, region: 'global' };
}

type Step =
  | { readonly kind: 'load'; readonly tool: string; readonly model: string; readonly isDefault: boolean }
  | { readonly kind: 'unload'; readonly tool: string }
  | { readonly kind: 'add' | 'remove'; readonly tool: string; readonly server: ServerName };

/** The number of the texts with nulls. */
const nulls = 4;

/** Two tools are enough for them to meet, and few enough for their steps to. */
const tools = fc.uniqueArray(fc.constantFrom(...wiredTools.map(({ id }) => id)), { minLength: 1, maxLength: 2 });

const steps = tools.chain((some) => {
  const tool = fc.constantFrom(...some);
  const server = fc.constantFrom(...serverNames);
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('load' as const), tool, model: fc.constantFrom('glm-5.3', 'glm-5.2', 'glm-5.3-flash'), isDefault: fc.boolean() }),
    fc.record({ kind: fc.constant('unload' as const), tool }),
    fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), tool, server }),
  );
  return fc.record({ some: fc.constant(some), list: fc.array(step, { minLength: 1, maxLength: 8 }), present: fc.integer({ min: 0, max: nulls }) });
});

/** Texts that a user may have; the choice is by format and a number, and 0 is a missing file. In the last of each format, null replaces containers. */
const texts: Readonly<Record<string, readonly string[]>> = {
  json: [
    '{}',
    '{\n    "theme": "dark",\n    "big": 12345678901234567890\n}\n',
    '{"env":{"A":"1"},"mcpServers":{"mine":{"command":"x"}},"models":{"mine":{}}}',
    '{"env":null,"mcpServers":null,"providers":null,"models":null,"model":"mine","enabledModels":["mine"]}',
  ],
  jsonc: [
    '{ }\n',
    '{\r\n\t// mine\r\n\t"theme": "dark", // why\r\n\t"mcp": {},\r\n}\r\n',
    '{"model":"mine","provider":{"mine":{}},"customModels":[],"mcpServers":{}}',
    '{\n  "provider": null, // why\n  "mcp": null,\n  "agent": {"build": {"model": "mine"}},\n  "customModels": null, "mcpServers": null, "env": null\n}\n',
  ],
  toml: [
    '',
    '# mine\nmodel = "o3" # why\n\n[mcp_servers.mine]\ncommand = "x"\n',
    'model_provider = "mine"\n[model_providers.mine]\nname = "mine"',
    'review_model = "mine" # why\n',
  ],
  yaml: [
    '# only a comment\n',
    'name: mine\nmodels:\n- name: a\n  model: b\nextensions:\n',
    'GOOSE_MODEL: mine # why\nmcpServers: []\nmodel: "o3"',
    'GOOSE_LEAD_MODEL: mine\nsonnet: true # why\nmodels: null\nextensions: ~\n',
  ],
};

async function tasksOf(step: Step, record: CodingRecord, machine: Machine): Promise<PartTask[]> {
  const data = await record.read();
  const tool = toolNamed(step.tool);
  if (step.kind === 'load')
    return loadTasks(
      tool,
      wiringOf(step.model, step.isDefault),
      { account: 'work', apiKey: 'a-key', from: 'account work', region: 'global' },
      machine,
      data,
    );
  if (step.kind === 'unload')
    return entriesOf(data, tool.id)
      .reverse()
      .map((entry) => takeBackTask(entry));
  const part = `mcp:${step.server}`;
  if (step.kind === 'remove') return entriesOf(data, tool.id, part).map((entry) => takeBackTask(entry));
  if (!tool.mcp) return [];
  const facts = { account: 'work', root: undefined, keyMode: 'env', version: '0' };
  const shown: KeySource = tool.mcpKeyModes?.includes('env') ? key : { mode: 'plain', apiKey: 'a-key' };
  return [{ ...tool.mcp(mcpServer(step.server, shown, options), machine), tool: tool.id, part, facts }];
}

/** The files that a tool may have, with their formats. */
function filesOf({ load, mcp }: ReturnType<typeof toolNamed>, machine: Machine): readonly { readonly file: string; readonly format: string }[] {
  const server = mcpServer('search', { mode: 'plain', apiKey: 'a-key' }, options);
  return [...(load?.(wiringOf('glm-5.3', true), machine) ?? []), ...(mcp ? [mcp(server, machine)] : [])];
}

/** A text of the user with a value of another type on a path is refused, and stays. */
function refused(error: unknown): void {
  if (!(error instanceof CliError) || !/ has no (?:object|array|map|list|table|sequence)/.test(error.message)) throw error;
}

/** Every file below a folder with its text, and every folder. */
async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length)] = entry.isDirectory() ? '(folder)' : await readFile(path, 'utf8');
  }
  return found;
}

test('after any sequence of commands, unload gives every byte back', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async ({ some, list, present }) => {
      const home = await mkdtemp(join(tmpdir(), 'modelsvc-sequence-'));
      try {
        const user = join(home, 'user');
        await mkdir(user);
        const machine: Machine = { platform: 'linux', env: {}, home: user, cwd: join(home, 'project'), exists: existsSync };
        const record = new CodingRecord(join(home, 'store'), signal);
        for (const tool of some.map(toolNamed))
          for (const { file, format } of filesOf(tool, machine)) {
            const text = texts[format]?.[present - 1];
            if (text === undefined) continue;
            await mkdir(dirname(file), { recursive: true });
            await writeFile(file, text);
          }
        const before = await contents(user);
        for (const step of [...list, ...some.map((tool): Step => ({ kind: 'unload', tool }))]) {
          const tasks = await tasksOf(step, record, machine);
          const done = apply(record, new Rehearsal(tasks), signal);
          // A null is filled.
          await (present === nulls ? done : done.catch(refused));
        }
        expect(await contents(user)).toEqual(before);
        expect(await record.read()).toMatchObject({ entries: [], made: [], narrowed: [] });
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    }),
    runs(200),
  );
});
