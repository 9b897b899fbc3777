import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoted, shellWord } from '../../src/cli/terminal/shell-words.ts';

const words = ['', 'plain-word_1.2/x:@%+=,', '=ls', "it's", 'a b', '$HOME `id` "q" \\ ! * ~', "'; exit 1; '", 'line\nfeed', 'Köln', '-x'];

describe('a word for a shell', () => {
  it.each(words)('%j comes back from sh as it was', (word) => {
    for (const text of [quoted(word), shellWord(word), shellWord(word, 'zsh')])
      expect(spawnSync('sh', ['-c', `printf %s. ${text}`], { encoding: 'utf8' }).stdout).toBe(`${word}.`);
  });

  it.each([
    ['bash', "it's \\", "'it'\\''s \\'"],
    ['zsh', '=ls', "'=ls'"],
    ['fish', "it's \\", "'it\\'s \\\\'"],
    ['fish', 'plain', 'plain'],
    ['powershell', "it's", "'it''s'"],
    ['powershell', 'it\u2019s \\', "'it\u2019\u2019s \\'"],
    ['powershell', 'plain', "'plain'"],
  ] as const)('%s has %j as %s', (shell, word, text) => {
    expect(shellWord(word, shell)).toBe(text);
  });
});
