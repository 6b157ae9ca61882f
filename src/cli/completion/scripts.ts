// The completion scripts. Each asks `icecore __complete` for candidates and knows nothing about commands, so that
// they stay right when icecore changes. It is called by its name, whatever the line begins with: a path there may lead to a
// program of somebody else's that nobody has started yet. A candidate may be the name of a run that somebody else gave it: each shell quotes
// it, so that what is inserted is one word that means the name and nothing else.

const bash = `# bash completion for icecore; to use it: source <(icecore completion bash)
_icecore() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $':files\\t' ]]; then
      compopt -o default
      COMPREPLY=()
      return
    fi
    printf -v word %q "\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(icecore __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _icecore icecore
`;

const zsh = `#compdef icecore
# zsh completion for icecore; to use it: source <(icecore completion zsh)
_icecore() {
  local line
  local -a candidates shown
  while IFS= read -r line; do
    if [[ $line == $':files\\t' ]]; then
      _files
      return
    fi
    candidates+=("\${line%%$'\\t'*}")
    shown+=("\${line%%$'\\t'*}\${\${line#*$'\\t'}:+  -- \${line#*$'\\t'}}")
  done < <(icecore __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && compadd -l -d shown -a candidates
}
if [[ "\${funcstack[1]}" == _icecore ]]; then
  _icecore "$@"
else
  compdef _icecore icecore
fi
`;

const fish = `# fish completion for icecore; to use it: icecore completion fish | source
function __icecore_complete
  set -l words (commandline -opc) (string unescape -- (commandline -ct); or commandline -ct)
  for line in (icecore __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ':files'\\t
      __fish_complete_path (commandline -ct)
    else
      printf '%s\\n' $line
    end
  end
end
complete -c icecore -f -a '(__icecore_complete)'
`;

export const scripts = { bash, zsh, fish } as const;
