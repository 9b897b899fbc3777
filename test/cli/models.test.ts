import { describe, expect, it } from 'vitest';
import { run, withFake } from './support/run.ts';

describe('models', () => {
  it('list prints one model a line in a pipe, and objects as JSON', async () => {
    const { modelsvc } = await withFake();
    const listed = await modelsvc(['models', 'list']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^glm-4\.6\t\d+\t\d+\ttext, thinking, tools, code$/m);
    const { stdout } = await modelsvc(['models', 'list', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: 'glm-4.6', listed: true }));
  });

  it('list with a capability contains only models with it', async () => {
    const { modelsvc } = await withFake();
    const { stdout } = await modelsvc(['models', 'list', '--capability', 'vision', '--json']);
    const models = JSON.parse(stdout) as { capabilities: string[] }[];
    expect(models.length).toBeGreaterThan(0);
    expect(models.every(({ capabilities }) => capabilities.includes('vision'))).toBe(true);
  });

  it('get shows one model, and an unknown id is a usage error', async () => {
    const { modelsvc } = await withFake();
    expect((await modelsvc(['models', 'get', 'glm-4.6'])).stdout).toMatch(/^id: glm-4\.6$/m);
    const unknown = await modelsvc(['models', 'get', 'nope']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('ID is neither listed by the service');
  });
});

describe('usage', () => {
  it.each([
    [['modls'], "unknown command 'modls'; did you mean models?"],
    [['models', 'lst'], "unknown command 'lst'"],
    [['models', 'list', '--jsn'], "unknown option '--jsn'; did you mean --json?"],
    [['models', 'get'], "missing required argument 'ID'"],
    [['models', 'list', '--timeout', 'soon'], '--timeout must be a duration such as 500ms, 30s, 5m or 2h, not "soon"'],
    [['models', 'list', '--region', 'mars'], '--region must be global or china, not "mars"'],
  ])('%j is refused in one line with exit code 2', async (args, text) => {
    const { stdout, stderr, code } = await run(args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr.split('\n')[0]).toBe(`modelsvc: ${text}${args[1] === 'lst' ? '; did you mean one of list, ls?' : ''}`);
  });

  it('no key: how to get going, exit code 3', async () => {
    const { stderr, code } = await run(['models', 'list']);
    expect(code).toBe(3);
    expect(stderr).toBe('modelsvc: no API key\nRun `modelsvc accounts add NAME`, or set SVC_API_KEY.\n');
  });

  it('a wrong key is exit code 3, and not printed', async () => {
    const { modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['models', 'list', '--json'], { env: { SVC_API_KEY: 'wrong-key-of-a-user' } });
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'api', status: 401, exit_code: 3 } });
    expect(stderr).not.toContain('wrong-key');
  });
});
