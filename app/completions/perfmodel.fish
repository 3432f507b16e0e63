# fish completion for perfmodel; the program itself knows the candidates.
function __perfmodel_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l candidates ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
    if set -q candidates[1]
        printf '%s\n' $candidates
    else
        __fish_complete_path "$current"
    end
end
complete -c perfmodel -f -a '(__perfmodel_complete)'
