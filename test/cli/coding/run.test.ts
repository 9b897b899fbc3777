// `coding run` and `coding env`: the tool gets the service in its own process, and no file is written.
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { start } from '../support/run.ts';
import { type CodingHome, codingHome, fakeProgram, key } from './support/home.ts';

/** Prints its arguments and its environment, one a line. */
const shows = `for word in "$@"; do echo "arg $word"; done\nenv`;

const sessions: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['arg --settings', '"ANTHROPIC_BASE_URL":"https://api.z.ai/api/anthropic"', '"apiKeyHelper":', 'accounts token work'],
  codex: ['arg model="glm-5.3"', 'arg model_provider="modelsvc"', 'arg model_providers.modelsvc.base_url="https://api.z.ai/api/v1"'],
  opencode: ['OPENCODE_CONFIG_CONTENT={"model":"modelsvc/glm-5.3"', '"apiKey":"{env:SVC_API_KEY}"', `SVC_API_KEY=${key}`],
  kilo: ['KILO_CONFIG_CONTENT={"model":"modelsvc/glm-5.3"', `SVC_API_KEY=${key}`],
  goose: [
    'GOOSE_PROVIDER=openai',
    'OPENAI_HOST=https://api.z.ai\n',
    'OPENAI_BASE_PATH=api/coding/paas/v4/chat/completions',
    'GOOSE_MODEL=glm-5.3',
    `OPENAI_API_KEY=${key}`,
  ],
  pi: ['arg --provider', 'arg zai', 'arg glm-5.3', `ZAI_API_KEY=${key}`],
  qwen: [`OPENAI_API_KEY=${key}`, 'OPENAI_BASE_URL=https://api.z.ai/api/paas/v4', 'arg --model\narg glm-5.3\n'],
  aider: ['arg openai/glm-5.3', 'AIDER_OPENAI_API_BASE=https://api.z.ai/api/paas/v4', `AIDER_OPENAI_API_KEY=${key}`],
};

describe('coding run', () => {
  test.each(wiredTools.filter(({ session }) => session).map(({ id, program = '' }) => ({ id, program })))(
    '$id gets the service in arguments and variables',
    async ({ id, program }) => {
      const user = await codingHome({ isProcess: true });
      await fakeProgram(user.at('bin', program), shows);
      const before = await user.wholeTree();
      const { stdout } = await user.ok(['coding', 'run', id, '--', '-p', 'two words'], {
        env: { ANTHROPIC_API_KEY: 'sk-user-0123456789', EDITOR: 'vi' },
      });
      for (const text of sessions[id] ?? ['missing in the table']) expect(stdout).toContain(text);
      expect(stdout).toContain('arg -p\narg two words\n');
      expect(stdout).toContain('EDITOR=vi');
      expect(stdout.match(/^arg .*/gm)?.join('\n'), 'other users of the machine see arguments').not.toContain(key);
      expect(await user.wholeTree(), 'no file is written').toEqual(before);
    },
  );

  test('keys and clouds of the user do not reach Claude Code', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/claude'), shows);
    const env = {
      ANTHROPIC_API_KEY: 'sk-user-0123456789',
      ANTHROPIC_AUTH_TOKEN: 'token-user-0123456789',
      ANTHROPIC_CUSTOM_HEADERS: 'x-user: 1',
      CLAUDE_CODE_USE_BEDROCK: '1',
    };
    const { stdout } = await user.ok(['coding', 'run', 'claude-code'], { env });
    for (const [name, value] of Object.entries(env)) {
      expect(stdout).not.toMatch(new RegExp(`^${name}=`, 'm'));
      if (value.length > 1) expect(stdout).not.toContain(value);
    }
    // A key without an account is passed in a variable.
    const given = await user.ok(['coding', 'run', 'claude-code'], { env: { ...env, SVC_API_KEY: key } });
    expect(given.stdout).toContain(`ANTHROPIC_AUTH_TOKEN=${key}`);
    expect(given.stdout).not.toContain('sk-user');
  });

  test('Claude Code gets its whole system prompt, unless the user has chosen', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/claude'), shows);
    const name = 'CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT';
    expect((await user.ok(['coding', 'run', 'claude-code'])).stdout).toContain(`"${name}":"0"`);
    const { stdout } = await user.ok(['coding', 'run', 'claude-code'], { env: { [name]: '1' } });
    expect([stdout.includes(`"${name}"`), stdout.includes(`${name}=1`)]).toEqual([false, true]);
  });

  test('exit codes, signals and stdin pass through', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/goose'), 'exit 42');
    expect((await user.sh(['coding', 'run', 'goose'])).code).toBe(42);
    await fakeProgram(user.at('bin/goose'), 'kill -KILL $$');
    expect((await user.sh(['coding', 'run', 'goose'])).code).toBe(137);
    await fakeProgram(user.at('bin/goose'), 'tr a-z A-Z');
    expect(await user.ok(['coding', 'run', 'goose'], { stdin: 'hello\n' })).toMatchObject({ stdout: 'HELLO\n' });
    await fakeProgram(user.at('bin/goose'), 'trap "echo ended; exit 3" TERM; echo ready; while :; do sleep 0.05; done');
    const { child, line, ended } = start(['coding', 'run', 'goose'], { env: user.env, cwd: user.at('project') });
    expect(await line()).toBe('ready');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 3, stdout: 'ready\nended\n' });
  });

  test('a dry run starts no program and shows no key', async () => {
    const user = await codingHome();
    await fakeProgram(user.at('bin/goose'), 'echo started');
    const { stdout } = await user.ok(['coding', 'run', 'goose', '--dry-run', '--', 'x']);
    expect(stdout).not.toContain('started');
    expect(stdout).not.toContain(key);
    expect(stdout).toContain('OPENAI_API_KEY=(the key)');
    expect(stdout).toContain(`${user.at('bin/goose')} x`);
  });

  test('the terms of the plan endpoint are asked for by a start, and not by a dry run', async () => {
    const user = await codingHome();
    const args = ['coding', 'run', 'qwen', '--plan-endpoint'];
    const { stdout } = await user.ok([...args, '--dry-run']);
    expect(stdout).toContain('OPENAI_BASE_URL=https://api.z.ai/api/coding/paas/v4');
    await user.ok(['coding', 'load', 'qwen', '--plan-endpoint', '--dry-run']);
    const refused = await user.sh(args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Pass --yes once');
  });

  test('another model and the general endpoint', async () => {
    const user = await codingHome({ isProcess: true });
    await fakeProgram(user.at('bin/goose'), shows);
    expect((await user.ok(['coding', 'run', 'goose', '--general-endpoint'])).stdout).toContain('OPENAI_BASE_PATH=api/paas/v4/chat/completions');
    await fakeProgram(user.at('bin/pi'), shows);
    expect((await user.ok(['coding', 'run', 'pi', '-m', 'glm-0'])).stdout).toContain('arg glm-0\n');
    // Pi's own provider has a fixed root.
    expect(await user.sh(['coding', 'run', 'pi', '--general-endpoint'], { isProcess: false })).toMatchObject({ code: 2, stdout: '' });
  });
});

/** The environment of a shell after the lines of `coding env`. */
function evaluated(user: CodingHome, lines: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('/bin/bash', ['-c', `eval "$1"; printenv`, 'bash', lines], { env: { ...user.env, ...env }, encoding: 'utf8' });
}

describe('coding env', () => {
  test.each(wiredTools.filter(({ session, keyModes }) => session || keyModes.includes('env')).map(({ id }) => ({ id })))(
    '$id: bash takes the lines, which contain no key, and then has it',
    async ({ id }) => {
      const user = await codingHome();
      const { stdout } = await user.ok(['coding', 'env', id]);
      expect(stdout).not.toContain(key);
      const variables = evaluated(user, stdout, { ANTHROPIC_API_KEY: 'sk-user-0123456789' });
      if (id !== 'codex') expect(variables).toContain(`=${key}\n`);
      if (id === 'claude-code') expect(variables).not.toContain('sk-user');
      if (id === 'claude-code') expect(variables).toContain('ANTHROPIC_BASE_URL=https://api.z.ai/api/anthropic\n');
      if (id === 'opencode')
        expect(JSON.parse(/^OPENCODE_CONFIG_CONTENT=(.*)$/m.exec(variables)?.[1] ?? '')).toMatchObject({ model: 'modelsvc/glm-5.3' });
    },
  );

  test('a tool that is wired by a variable needs only this variable', async () => {
    const user = await codingHome();
    await user.ok(['coding', 'load', 'opencode', '--yes', '--no-check']);
    const { stdout } = await user.ok(['coding', 'env', 'opencode']);
    expect(stdout).toMatch(/^export SVC_API_KEY="\$\(.* accounts token work --for https:\/\/api\.z\.ai\)"\n$/);
    expect(evaluated(user, stdout)).toContain(`SVC_API_KEY=${key}\n`);
  });

  test.each([
    ['fish', /^set -gx MODELSVC_API_KEY \(.* accounts token work --for https:\/\/api\.z\.ai\)\n$/],
    ['powershell', /^\$env:MODELSVC_API_KEY = \(& .* accounts token work --for https:\/\/api\.z\.ai\)\n$/],
    ['zsh', /^export MODELSVC_API_KEY="\$\(.* accounts token work --for https:\/\/api\.z\.ai\)"\n$/],
  ])('%s', async (shell, pattern) => {
    const user = await codingHome();
    expect((await user.ok(['coding', 'env', 'zed', '--shell', shell])).stdout).toMatch(pattern);
  });

  test('with a key in the environment the lines pass it on', async () => {
    const user = await codingHome();
    const { stdout } = await user.ok(['coding', 'env', 'zed'], { env: { SVC_API_KEY: key } });
    expect(stdout).toBe('export MODELSVC_API_KEY="$SVC_API_KEY"\n');
  });
});

test('the program on the PATH is the one that starts', async () => {
  const user = await codingHome({ isProcess: true });
  await fakeProgram(user.at('bin/goose'), 'echo "$0"');
  expect(realpathSync((await user.ok(['coding', 'run', 'goose'])).stdout.trim())).toBe(realpathSync(user.at('bin/goose')));
});
