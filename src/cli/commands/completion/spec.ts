import type { Command } from '../../cli.ts';
import { shells } from '../../terminal/shell-words.ts';

export const spec: Command = {
  name: 'completion',
  summary: 'Print a completion script for a shell',
  details: 'The script asks this program for candidates, from the table of commands and local data. It makes no request.',
  arguments: [{ name: 'SHELL', summary: shells.join(', '), required: true }],
  examples: [
    ['completion bash >> ~/.bashrc', 'bash'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    ['completion zsh > "${fpath[1]}/_modelsvc"', 'zsh'],
    ['completion fish > ~/.config/fish/completions/modelsvc.fish', 'fish'],
    ['completion powershell >> $PROFILE', 'PowerShell'],
  ],
  load: async () => (await import('./completion.ts')).run,
};
