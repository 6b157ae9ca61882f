// The scripts themselves. Each asks `icecore __complete` for candidates; nothing about commands stands in them, so that
// they stay right when icecore changes.

const bash = `# bash completion for icecore; to use it: source <(icecore completion bash)
_icecore() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files* ]]; then
      compopt -o default
      COMPREPLY=()
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _icecore icecore
`;

const zsh = `#compdef icecore
# zsh completion for icecore; to use it: source <(icecore completion zsh)
_icecore() {
  local line
  local -a candidates
  while IFS= read -r line; do
    if [[ $line == :files* ]]; then
      _files
      return
    fi
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe icecore candidates
}
if [[ "\${funcstack[1]}" == _icecore ]]; then
  _icecore "$@"
else
  compdef _icecore icecore
fi
`;

const fish = `# fish completion for icecore; to use it: icecore completion fish | source
function __icecore_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (command $words[1] __complete -- $words[2..-1] 2>/dev/null)
    if string match -q ':files*' -- $line
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c icecore -f -a '(__icecore_complete)'
`;

export const scripts = { bash, zsh, fish } as const;
