import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newHome, run } from '../support/in-process.ts';

// The guard of the tests refuses the service's host, so that a request which passes the policy fails as a connection: exit code 7.
const sent = 7;
const args = ['models', 'list', '--plan-endpoint', '--retries', '0'];

describe('--plan-endpoint', () => {
  it('without a terminal and --yes is refused with the terms', async () => {
    const { stderr, code } = await run(args, { env: { SVC_API_KEY: 'any-key' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^modelsvc: The terms of the coding plan limit its endpoint to the coding tools/);
    expect(stderr).toContain('Pass --yes once');
  });

  it('remembers --yes in a private file, and asks no more', async () => {
    const home = await newHome();
    const env = { HOME: home, SVC_API_KEY: 'any-key', SVC_CONFIG_DIR: join(home, 'own') };
    expect(await run([...args, '--yes'], { env })).toMatchObject({ code: sent });
    const path = join(home, 'own', 'acknowledged.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, 'own'))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 1, 'plan-endpoint': expect.stringMatching(/Z$/) });
    expect(await run(args, { env })).toMatchObject({ code: sent });
  });

  it.skipIf(process.getuid?.() === 0)('goes on if the folder cannot be written', async () => {
    const home = await newHome();
    await mkdir(join(home, 'own'));
    await chmod(join(home, 'own'), 0o500);
    const { stderr } = await run([...args, '--yes'], { env: { HOME: home, SVC_API_KEY: 'any-key', SVC_CONFIG_DIR: join(home, 'own') } });
    expect(stderr).toContain('the acknowledgement is not remembered');
  });

  it('is not asked for --dry-run, which prints the coding root', async () => {
    const { stdout, code } = await run([...args, '-n']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GET https:\/\/api\.z\.ai\/api\/coding\/paas\/v4\/models$/m);
  });
});
