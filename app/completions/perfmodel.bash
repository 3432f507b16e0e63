# bash completion for perfmodel; the program itself knows the candidates.
_perfmodel() {
  local candidates
  mapfile -t candidates < <(
    "${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
  COMPREPLY=("${candidates[@]%%$'\t'*}")
}
# Where there are no candidates, a file is expected.
complete -o default -F _perfmodel perfmodel
