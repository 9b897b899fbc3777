// The variables from which a wired tool reads the key: all that its files refer to are named by `load`, `mcp add`, `doctor` and `env`, and set by `run`.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { codingTools } from '../../../src/cli/coding/tools/index.ts';
import { ends } from '../support/in-process.ts';
import { parsed } from './support/checks.ts';
import { addAccount, type CodingHome, codingHome, fakeProgram, key } from './support/home.ts';

/** Read by the tool without a word in its files. */
const implied: Readonly<Record<string, string>> = { aider: 'AIDER_OPENAI_API_KEY', cline: 'ZHIPU_API_KEY', zed: 'MODELSVC_API_KEY' };

const ways = [
  { name: 'load', args: ['load'], isLoad: true, isMcp: false },
  { name: 'load --mcp', args: ['load', '--mcp'], isLoad: true, isMcp: true },
  { name: 'load --mcp --key-mode env', args: ['load', '--mcp', '--key-mode', 'env'], isLoad: true, isMcp: true },
  { name: 'mcp add', args: ['mcp', 'add'], isLoad: false, isMcp: true },
];

const rows = codingTools.flatMap((tool) =>
  ways
    .filter(
      ({ isLoad, isMcp, args }) =>
        (isLoad ? tool.load : tool.mcp) && (isMcp ? tool.mcp : true) && (!args.includes('env') || tool.keyModes.includes('env')),
    )
    .map((way) => ({ id: tool.id, program: tool.program, canRun: tool.session !== undefined || way.isLoad, keyModes: tool.keyModes, ...way })),
);

/** Names of variables in the values of the files that the record has. */
async function referredTo({ record }: CodingHome, { id, args, isLoad, keyModes }: (typeof rows)[number]): Promise<string[]> {
  const found = new Set<string>();
  const own = implied[id];
  if (isLoad && own !== undefined && (args.includes('env') || keyModes[0] === 'env')) found.add(own);
  const search = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) search(one);
    // A value such as `set-SVC_API_KEY` is not a reference.
    else if (!String(value).startsWith('set-')) for (const [name] of String(value).matchAll(/\b[A-Z][A-Z_]*_API_KEY\b/g)) found.add(name);
  };
  for (const { file, format } of (await record()).entries) search(parsed(format, await readFile(file, 'utf8')));
  return [...found];
}

test.each(rows)('$id, $name: each variable is named, printed, set and missed', async (row) => {
  const { id, name, args, program, canRun, isLoad } = row;
  const user = await codingHome();
  if (id === 'cursor') await user.put('.cursor/mcp.json', '{}\n');
  const { stdout, stderr } = await user.ok(['coding', ...args, id, '--yes', ...(isLoad ? ['--no-check'] : [])]);
  const variables = await referredTo(user, row);
  if (name === 'load --mcp' && id === 'codex') expect(variables.sort()).toEqual(['SVC_API_KEY', 'Z_AI_API_KEY']);

  for (const variable of variables)
    expect(isLoad ? stdout : stderr, 'named').toMatch(new RegExp(`from .*\\b${variable}\\b.* not set: \`modelsvc coding env ${id}\` prints`));
  if (variables.length === 0) expect(stdout + stderr).not.toContain('not set');

  const missed = await user.sh(['coding', 'doctor', id]);
  for (const variable of variables) expect(missed.stdout, 'missed').toMatch(new RegExp(`${variable}, which is not set here[^]*coding env ${id}`));
  expect(missed.code, missed.stdout).toBe(variables.length > 0 ? 1 : 0);
  await user.ok(['coding', 'doctor', id], { env: Object.fromEntries(variables.map((variable) => [variable, key])) });

  if (variables.length > 0) {
    const { stdout: lines } = await user.ok(['coding', 'env', id]);
    expect(lines).not.toContain(key);
    const shell = execFileSync('/bin/bash', ['-c', 'eval "$1"; printenv', 'bash', lines], { env: user.env, encoding: 'utf8' });
    for (const variable of variables) expect(shell, 'printed').toContain(`${variable}=${key}\n`);
  }
  if (canRun && program !== undefined) {
    const { stdout: shown } = await user.ok(['coding', 'run', id, '--dry-run']);
    for (const variable of variables) expect(shown, 'set').toContain(`${variable}=(the key)`);
  }
});

describe('coding run', () => {
  test('the process has the keys of the servers, and this process and the shell have none', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/codex'), 'env');
    await user.ok(['coding', 'load', 'codex', '--mcp', '--yes', '--no-check']);
    const { stdout } = await user.ok(['coding', 'run', 'codex']);
    expect(stdout).toContain(`\nSVC_API_KEY=${key}\n`);
    expect(stdout).toContain(`\nZ_AI_API_KEY=${key}\n`);
  });

  test.each([
    ['goose', 'GOOSE_LEAD_MODEL'],
    ['aider', 'AIDER_EDITOR_MODEL'],
    ['claude-code', 'ANTHROPIC_UNIX_SOCKET'],
  ])('%s does not get %s of the shell, which would choose another model or host', async (id, variable) => {
    const { stdout } = await (await codingHome()).ok(['coding', 'run', id, '--dry-run'], { env: { [variable]: 'x' } });
    expect(stdout).toContain(`unset ${variable}\n`);
  });

  test('a tool that reads only files starts once it is wired', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/cline'), 'env');
    expect(await user.sh(['coding', 'run', 'cline'])).toMatchObject({ code: 2, stdout: '' });
    await user.ok(['coding', 'load', 'cline', '--yes', '--no-check']);
    expect((await user.ok(['coding', 'run', 'cline'])).stdout).toContain(`ZHIPU_API_KEY=${key}\n`);
    expect(await user.sh(['coding', 'run', 'cline', '--model', 'x']), 'the file has another model').toMatchObject({ code: 2, stdout: '' });
  });

  test('the key of an account does not go to servers on a host that it is not bound to', async () => {
    const user = await codingHome();
    await addAccount(user, 'lab', 'lab4567890abcdef1234567890abcdef.ZYXW9876543210zz', '--base-url', 'https://gateway.example/v1');
    await user.ok(['coding', 'mcp', 'add', 'codex', '--yes']);
    for (const command of ['run', 'env']) {
      expect(await user.sh(['coding', command, 'codex', '--account', 'lab', ...(command === 'run' ? ['--dry-run'] : [])])).toMatchObject(
        ends(3, 'account lab is bound to https://gateway.example'),
      );
    }
  });
});

test("the options of a session ask for its lines in addition to the wired tool's", async () => {
  const user = await codingHome();
  await user.ok(['coding', 'mcp', 'add', 'opencode', '--yes']);
  const { stdout } = await user.ok(['coding', 'env', 'opencode', '--model', 'glm-0']);
  expect(stdout).toContain('modelsvc/glm-0');
  expect(stdout).toContain('export SVC_API_KEY=');
});
