// Completion for the shells: each asks the program itself, by `PROGRAM __complete WORDS...`, what may stand
// where the line goes on.
#include <algorithm>
#include <array>
#include <string>

#include "profiles/base/files.h"
#include "profiles/program/command_facts.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"

namespace tandem::shells {
namespace {

struct CompletionArguments {
  std::string shell, file;
  bool force = false;
};

// NAME is the program's, FUNCTION the same as part of a function's name, OTHERWISE where the program lies
// that is not found by what stands on the line; empty where it is installed.
constexpr std::string_view kBash = R"(# bash completion of NAME, made by `NAME completion bash`
FUNCTION() {
    local program=${COMP_WORDS[0]} begun= joined=0 word line about
    local -a words=()
    [[ $program == "~/"* ]] && program=$HOME/${program:2}
    type -P -- "$program" >/dev/null || program=OTHERWISE
    # bash takes "=" and ":" for words: what they join is one again.
    local i
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && { ((joined)) || [[ $word == [=:]* ]]; }; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        [[ $word == *[=:] ]] && joined=1 || joined=0
    done
    begun=${words[-1]}
    local before=${begun%"${begun##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        if [[ $about == file || $about == folder ]]; then
            compopt -o filenames 2>/dev/null
            word=${word%/}
        fi
        COMPREPLY+=("${word#"$before"}")
    done < <("$program" __complete "${words[@]}" 2>/dev/null)
}
complete -F FUNCTION NAME
)";

constexpr std::string_view kZsh = R"(#compdef NAME
# zsh completion of NAME, made by `NAME completion zsh`
FUNCTION() {
    local program=${(Q)words[1]} word about
    local -a plain shown folders
    program=${program/#\~\//$HOME/}
    whence -p -- "$program" >/dev/null || program=OTHERWISE
    while IFS=$'\t' read -r word about; do
        if [[ $about == folder ]]; then
            folders+=("$word")
        else
            plain+=("$word")
            [[ -z $about || $about == file ]] && shown+=("$word") || shown+=("$word  -- $about")
        fi
    done < <("$program" __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
    local -i found=1
    (( $#plain )) && compadd -l -d shown -a plain && found=0
    (( $#folders )) && compadd -S '' -a folders && found=0
    return found
}
if [[ ${funcstack[1]} == FUNCTION ]]; then
    FUNCTION "$@"
elif (( $+functions[compdef] )); then
    compdef FUNCTION NAME
fi
)";

constexpr std::string_view kFish = R"(# fish completion of NAME, made by `NAME completion fish`
function _FUNCTION
    set -l line (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $line[1])
    type -q -- $program; or set program OTHERWISE
    $program __complete $line[2..-1] (commandline -ct) 2>/dev/null
end
complete -c NAME -f -a '(_FUNCTION)'
)";

struct Shell {
  std::string_view name, script;
};
constexpr std::array<Shell, 3> kShells = {{{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}};

void Replace(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
}

// What stands in a file is for a program that the shell finds; for the shell that runs it may lie elsewhere.
std::string ScriptOf(std::string_view shell, bool to_file) {
  std::string script;
  for (const auto& [name, text] : kShells) {
    if (name == shell) script = text;
  }
  const std::string& program = ThisProgram().name;
  std::string function = "_" + program;
  std::replace(function.begin(), function.end(), '-', '_');
  Replace(script, "OTHERWISE", to_file ? program : WhereProgramLies());
  Replace(script, "FUNCTION", function);
  Replace(script, "NAME", program);
  return script;
}

int Completion(const CompletionArguments& arguments) {
  const Outputs outputs({{"-o",
                          arguments.file,
                          {"a script",
                           [](std::string_view head) {
                             return head.find("completion of " + ThisProgram().name) != head.npos;
                           }}}},
                        arguments.force, false);
  const std::string script = ScriptOf(arguments.shell, !arguments.file.empty());
  arguments.file.empty() ? WriteOutput(script) : WriteFile(arguments.file, script);
  return kExitDone;
}

void Declare(Command& command, CompletionArguments& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, text] : kShells) names.emplace_back(name);
  command.Add("SHELL", &arguments.shell, "whose completion").OneOf(names).Required();
  command.Add("-o,--output", &arguments.file, "write it to this file").Shown("FILE");
  command.Force(&arguments.force);
  command.Footer(
      "Completes commands, options, and the models, scenarios, boards, policies and files that they take.\n"
      "An installed program has it already. Else, for the shell that runs:\n"
      "  bash: eval \"$({program} completion bash)\"\n"
      "  zsh:  eval \"$({program} completion zsh)\", after compinit\n"
      "  fish: {program} completion fish | source\n"
      "Examples:\n  {program} completion bash\n  {program} completion zsh -o _{program}\n"
      "  {program} completion fish -o {program}.fish");
}

const CommandRegistration kCompletion{
    {.name = "completion", .summary = "completion of this program's command lines in a shell", .order = 3000},
    Declare,
    Completion};

}  // namespace
}  // namespace tandem::shells
