# bash completion for bnc2d, made by `bnc2d completion bash`
_bnc2d_words() {
    COMPREPLY+=($(IFS=' '; compgen -W "$1" -- "$current"))
}
_bnc2d_files() {
    COMPREPLY+=($(compgen -f -- "$current"))
}
_bnc2d() {
    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
    local command="${COMP_WORDS[1]}" options="" words="" IFS=$'\n'
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _bnc2d_words {{commands}}
        return
    fi
    case "$command:$before" in
{{values}}
    esac
    case "$command" in
{{words}}
        *) return ;;
    esac
    case "$current" in
        -*) _bnc2d_words "$options" ;;
        *) _bnc2d_words "$words"; _bnc2d_files ;;
    esac
}
complete -o filenames -F _bnc2d bnc2d
