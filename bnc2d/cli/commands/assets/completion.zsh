#compdef bnc2d
# zsh completion for bnc2d, made by `bnc2d completion zsh`
_bnc2d() {
    local -a summaries
    summaries=({{summaries}})
    if (( CURRENT == 2 )); then
        _describe command summaries
        [[ $PREFIX != -* ]] || compadd -- --help --version
        return
    fi
    local name=$words[2]
    shift words
    (( CURRENT -= 1 ))
    case $name in
{{cases}}
    esac
}
if [ "$funcstack[1]" = _bnc2d ]; then _bnc2d "$@"; else compdef _bnc2d bnc2d; fi
