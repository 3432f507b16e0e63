#!/usr/bin/env bash
# The installed command works from any folder, and its manual page and completions are in place.
#
#   command_test.sh PREFIX
set -euo pipefail
prefix=$(realpath "$1")
unset PERFMODEL_SPECS

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cd /
"$prefix/bin/perfmodel" list devices --format csv | grep -q '^h200,' || fail "no specifications"
link=$(mktemp -d)
trap 'rm -rf "$link"' EXIT
ln -s "$prefix/bin/perfmodel" "$link/perfmodel"
"$link/perfmodel" ledger K3 >/dev/null || fail "no specifications through a symbolic link"

page=$prefix/share/man/man1/perfmodel.1
for command in $("$prefix/bin/perfmodel" complete '' | cut -f1); do
  grep -q "^\.SS perfmodel ${command//-/\\\\-}$" "$page" || fail "the manual page lacks $command"
done
if command -v man >/dev/null; then
  warnings=$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "the manual page: $warnings"
fi

# Colours are for terminals, and not for people who refuse them.
in_terminal() {
  TERM=xterm script -qec "$1" /dev/null </dev/null || true
}
if command -v script >/dev/null; then
  escape=$'\e['
  [[ $(in_terminal "$prefix/bin/perfmodel doctor") == *"$escape"* ]] || fail "no colours"
  [[ $(NO_COLOR=1 in_terminal "$prefix/bin/perfmodel doctor") != *"$escape"* ]] ||
    fail "NO_COLOR is not respected"
  [[ $("$prefix/bin/perfmodel" doctor || true) != *"$escape"* ]] || fail "colours in a pipe"
fi

# complete WORDS...: the candidates that bash offers for the last word.
complete_in_bash() {
  bash --norc --noprofile -c '
    source "$1/share/bash-completion/completions/perfmodel"
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _perfmodel
    echo "${COMPREPLY[*]}"' - "$prefix" "$prefix/bin/perfmodel" "$@"
}
expect() {
  local wanted=$1
  shift
  local got
  got=$(complete_in_bash "$@")
  [ "$got" = "$wanted" ] || fail "bash completes '$*' to '$got', not '$wanted'"
}
expect "analyze" ana
expect "--device" analyze --dev
expect "h200" analyze --device h2
expect "K3 K3c" ledger K3
expect "csv" analyze --format c
expect "" audit --cubin ''
for shell in zsh fish; do
  case $shell in
    zsh) file=$prefix/share/zsh/site-functions/_perfmodel ;;
    fish) file=$prefix/share/fish/vendor_completions.d/perfmodel.fish ;;
  esac
  [ -f "$file" ] || fail "no completions for $shell"
  if ! command -v $shell >/dev/null; then
    echo "skipped: no $shell"
  elif [ $shell = zsh ]; then
    zsh -n "$file" || fail "zsh cannot read its completions"
  else
    got=$(PATH="$prefix/bin:$PATH" fish --no-config -c \
      "source $file; complete -C 'perfmodel analyze --device h2'" | cut -f1)
    [ "$got" = h200 ] || fail "fish completes to '$got'"
  fi
done
echo "the installed command works"
