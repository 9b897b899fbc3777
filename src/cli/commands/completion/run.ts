import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { meantHint } from '../../table/near-miss.ts';
import { type Shell, shells } from '../../terminal/shell-words.ts';

/** Each script calls `modelsvc __complete WORDS`; the last word is being typed. Each line of the reply is a candidate, a tab and its description. */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_modelsvc() {
  local IFS=$'\\n'
  local current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(modelsvc __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _modelsvc modelsvc
`,
  zsh: `#compdef modelsvc
_modelsvc() {
  local -a lines candidates
  lines=("\${(@f)$(modelsvc __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#candidates )); then _describe 'modelsvc' candidates; else _files; fi
}
compdef _modelsvc modelsvc
`,
  fish: `function __modelsvc_complete
  set -l words (commandline -opc)[2..] (commandline -ct)
  modelsvc __complete $words 2>/dev/null
end
complete -c modelsvc -a '(__modelsvc_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName modelsvc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  modelsvc __complete @words 2>$null | ForEach-Object {
    $value, $text = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $(if ($text) { $text } else { $value }))
  }
}
`,
};

export const run: Handler = (cli, input) => {
  const shell = input.arg(0);
  if (!Object.hasOwn(scripts, shell))
    throw usageError(`SHELL must be ${shells.slice(0, -1).join(', ')} or ${shells.at(-1)}, not ${JSON.stringify(shell)}${meantHint(shell, shells)}`);
  return cli.output.piece(scripts[shell as keyof typeof scripts]);
};
