// `--open`: what was saved, or the link, goes to the program of the desktop.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';

const program = process.platform === 'darwin' ? 'open' : 'xdg-open';

test.skipIf(process.platform === 'win32').each([
  ['images create cat -O cat.png', /^\S+\/cat\.png\n$/],
  ['images create cat --wait -O pictures/', /^\S+\/pictures\/\S+\n$/],
  ['images create cat', /^http:\S+\n$/],
  ['videos create cat --wait', /^http:\S+\n$/],
  ['videos create cat -O film.mp4', /^\S+\/film\.mp4\n$/],
])('%s --open', async (line, opened) => {
  const { modelsvc } = await withFake();
  const home = await newHome();
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', program), `#!/bin/sh\necho "$1" >> "${join(home, 'opened')}"\n`);
  await chmod(join(home, 'bin', program), 0o755);
  const words = [...line.split(' '), '--open'];
  const ended = await modelsvc(words, { cwd: home, env: { HOME: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin` }, isProcess: true });
  expect(ended).toMatchObject({ code: 0 });
  await expect.poll(() => readFile(join(home, 'opened'), 'utf8').catch(() => '')).toMatch(opened);
  // Without such a program the result is there all the same.
  const bare = await modelsvc([...words, '--force'], { cwd: home, env: { HOME: home, PATH: join(home, 'none') }, isProcess: true });
  expect(bare).toMatchObject(ends(0, `--open: ${program} cannot be started (ENOENT)`));
});
