import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { examples } from '../input/examples.ts';
import { ExitError, usageExitCode } from '../io.ts';

/** Each script requests the words from the program itself, so it stays right when commands are added. */
const scripts: Readonly<Record<string, string>> = {
  bash: `# fairlead: completion for bash; source <(fairlead completion bash)
_fairlead() {
  local IFS=$'\\n'
  COMPREPLY=($(fairlead __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  compopt -o nosort 2>/dev/null
  __ltrim_colon_completions "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null || true
}
complete -o default -F _fairlead fairlead
`,
  zsh: `#compdef fairlead
# fairlead: completion for zsh; source <(fairlead completion zsh), or a file _fairlead in a folder of fpath
_fairlead() {
  local -a found
  local name about
  while IFS=$'\\t' read -r name about; do
    found+=("\${name//:/\\\\:}\${about:+:$about}")
  done < <(fairlead __complete -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)
  _describe -V 'fairlead' found
}
# a file that zsh loads on the first Tab is the body of the function itself
if [[ "\${funcstack[1]}" == _fairlead ]]; then
  _fairlead "$@"
else
  compdef _fairlead fairlead
fi
`,
  fish: `# fairlead: completion for fish; fairlead completion fish | source
function __fairlead_complete
  set -l words (commandline -opc) (commandline -ct)
  fairlead __complete -- $words[2..-1] 2>/dev/null
end
complete -c fairlead -f -a '(__fairlead_complete)'
`,
};

export function addCompletion(completion: Command, { io }: CliDeps): void {
  completion.argument('<shell>').action((shell: string) => {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined)
      throw new ExitError(usageExitCode, `no completion for ${shell}: use bash, zsh or fish`);
    io.out(script);
  });
  examples(
    completion,
    'source <(fairlead completion bash)',
    'fairlead completion zsh > ~/.zfunc/_fairlead',
    'fairlead completion fish | source',
  );
}
