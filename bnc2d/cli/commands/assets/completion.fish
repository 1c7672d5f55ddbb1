# fish completion for bnc2d, made by `bnc2d completion fish`
function __bnc2d_command
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end
complete -c bnc2d -n '__bnc2d_command ""' -f -l help -d 'show this help message and exit'
complete -c bnc2d -n '__bnc2d_command ""' -f -l version -d 'show the version and exit'
{{lines}}
