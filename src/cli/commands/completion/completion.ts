import type { Handler } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import { meantHint } from '../../table/near-miss.ts';
import { type Shell, shells } from '../../terminal/shell-words.ts';

/**
 * Each script calls `modelsvc __complete WORDS`; the last word is being typed. Each line of the reply is a candidate, a tab and its description. A reply
 * `:files` asks for file names.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_modelsvc() {
  local IFS=$'\\n' reply
  reply=$(modelsvc __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
  COMPREPLY=()
  if [[ $reply != :files ]]; then COMPREPLY=($reply)
  # Bash 3.2, that of macOS, has no compopt.
  elif ! compopt -o default 2>/dev/null; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]##*=}")); fi
}
complete -F _modelsvc modelsvc
`,
  zsh: `#compdef modelsvc
_modelsvc() {
  local -a lines words_only described
  local line
  lines=("\${(@f)$(modelsvc __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in $lines; do
    if [[ $line == *$'\\t'* ]]; then described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n $line ]]; then words_only+=("$line"); fi
  done
  (( $#described )) && _describe 'modelsvc' described
  (( $#words_only )) && compadd -- $words_only
}
if [[ $funcstack[1] == _modelsvc ]]; then _modelsvc "$@"; else compdef _modelsvc modelsvc; fi
`,
  fish: `function __modelsvc_complete
  set -l token (commandline -ct)
  set -l reply (modelsvc __complete (commandline -opc)[2..] "$token" 2>/dev/null)
  if test "$reply[1]" = :files
    set -l option (string match -r '^--[^=]*=' -- "$token")
    for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$token"))
      echo "$option"$path
    end
  else if set -q reply[1]
    printf '%s\\n' $reply
  end
end
complete -c modelsvc -f -a '(__modelsvc_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName modelsvc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  modelsvc __complete @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
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
  return cli.screen.piece(scripts[shell as keyof typeof scripts]);
};
