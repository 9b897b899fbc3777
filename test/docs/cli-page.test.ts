import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './snippets.ts';

it('docs/cli.md is the page of the table of commands, and its session runs as it is written', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/cli-page.ts', '--check'], { cwd: root });
  expect(stderr).toBe('');
});
