// Each script is a table that the shell searches by the words so far, with a few lines of code. So tests can find a row
// in it verbatim, and can query the table.
#include "options/completion.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text/shell_word.h"

namespace fathom::options {
namespace {

using base::text::single_quoted;

struct Option {
  std::string text;  // "--cpus=", "-v"
  std::string help;
  std::string values;  // choices, separated by spaces
  std::string letter;  // "-e", for an option with values
};
struct Node {
  std::vector<std::string> subcommands;
  std::vector<Option> options;
};
using Tree = std::map<std::string, Node>;  // keys: the words of a command, "fathom clock"

std::string values_of(const Row& row) {
  std::string values;
  for (const auto& choice : row.choices) values += fmt::format("{}{}", values.empty() ? "" : " ", choice.name);
  return values;
}

void add_row(Node& node, const Row& row) {
  if (row.texts.status == Status::hidden || row.texts.status == Status::not_built) return;
  const bool job_option = row.texts.names.find('=') == std::string_view::npos && row.type != Type::flag;
  const bool takes = job_option || (row.takes_value() && !row.value_optional());
  const bool is_long = row.name().size() > 1;
  Option option{fmt::format("{}{}{}", is_long ? "--" : "-", row.name(), takes && is_long ? "=" : ""), help_of(row),
                is_long ? values_of(row) : "", is_long && row.letter() != 0 ? fmt::format("-{}", row.letter()) : ""};
  const auto same = [&](const Option& other) { return other.text == option.text; };
  if (std::none_of(node.options.begin(), node.options.end(), same)) node.options.push_back(std::move(option));
}

Tree tree_of(std::span<const Manual> manuals) {
  Tree tree;
  for (const auto& manual : manuals) {
    const std::string command(manual.command);
    auto& node = tree[command];
    for (const auto& groups : {manual.groups, manual.beside})
      for (const auto& group : groups)
        for (const auto& row : group.rows) add_row(node, row);
    for (auto space = command.find(' '); space != std::string::npos; space = command.find(' ', space + 1)) {
      const auto end = std::min(command.find(' ', space + 1), command.size());
      auto& names = tree[command.substr(0, space)].subcommands;
      const auto word = command.substr(space + 1, end - space - 1);
      if (std::find(names.begin(), names.end(), word) == names.end()) names.push_back(word);
    }
  }
  return tree;
}

std::string programs_of(const Tree& tree) {
  std::string programs;
  for (const auto& [command, node] : tree)
    if (command.find(' ') == std::string::npos) programs += (programs.empty() ? "" : " ") + command;
  return programs;
}

std::string bash(const Tree& tree) {
  std::string subcommands, options, values;
  for (const auto& [command, node] : tree) {
    std::string texts;
    for (const auto& option : node.options) {
      texts += (texts.empty() ? "" : " ") + option.text;
      if (option.values.empty()) continue;
      const auto name = option.text.substr(0, option.text.find('='));
      for (const auto& called : {name, option.letter})
        if (!called.empty())
          values += fmt::format("    {}) echo {} ;;\n", single_quoted(fmt::format("{} {}", command, called)),
                                single_quoted(option.values));
    }
    if (!node.subcommands.empty())
      subcommands += fmt::format("    {}) echo {} ;;\n", single_quoted(command),
                                 single_quoted(fmt::format("{}", fmt::join(node.subcommands, " "))));
    if (!texts.empty()) options += fmt::format("    {}) echo {} ;;\n", single_quoted(command), single_quoted(texts));
  }
  return "# Completions of bash for fathom: `source <(fathom completion bash)`, or a file in\n"
         "# ~/.local/share/bash-completion/completions/.\n"
         "_fathom_subcommands() {\n  case \"$1\" in\n" +
         subcommands +
         "  esac\n}\n"
         "_fathom_options() {\n  case \"$1\" in\n" +
         options +
         "  esac\n}\n"
         "_fathom_values() {\n  case \"$1\" in\n" +
         values +
         "  esac\n}\n"
         R"sh(_fathom() {
  local word option= cur="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[0]##*/}" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    [[ $word != -* && " $(_fathom_subcommands "$command") " == *" $word "* ]] || break
    command="$command $word"
  done
  [[ $command == fathom && ($cur == -* || $i -lt $COMP_CWORD) ]] && command='fathom run'
  if [[ $cur == '=' ]]; then
    option="${COMP_WORDS[COMP_CWORD - 1]}" cur=
  elif [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
    option="${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -? ]]; then
    option="${COMP_WORDS[COMP_CWORD - 1]}"
  fi
  COMPREPLY=()
  if [[ -n $option ]]; then
    COMPREPLY=($(compgen -W "$(_fathom_values "$command $option")" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_fathom_options "$command")" -- "$cur"))
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
  else
    COMPREPLY=($(compgen -W "$(_fathom_subcommands "$command")" -- "$cur"))
  fi
  [[ ${#COMPREPLY[@]} -gt 0 || $cur == -* ]] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _fathom )sh" +
         programs_of(tree) + "\n";
}

// `_describe` separates a name from its description by a colon.
std::string described(std::string_view name, std::string_view help) {
  std::string out;
  for (const char c : name) out += c == ':' ? std::string("\\:") : std::string(1, c);
  return single_quoted(help.empty() ? out : fmt::format("{}:{}", out, help));
}

std::string zsh(const Tree& tree) {
  std::string table;
  for (const auto& [command, node] : tree) {
    table += fmt::format("    {})\n      subcommands=({})\n      options=(", single_quoted(command),
                         fmt::join(node.subcommands, " "));
    for (const auto& option : node.options) table += "\n        " + described(option.text, option.help);
    table += ")\n      values=(";
    for (const auto& option : node.options)
      if (!option.values.empty())
        table +=
            fmt::format("\n        {} {}", option.text.substr(0, option.text.find('=')), single_quoted(option.values));
    table += ") ;;\n";
  }
  return "#compdef " + programs_of(tree) +
         "\n# Completions of zsh for fathom: `fathom completion zsh > \"${fpath[1]}/_fathom\"`.\n"
         "_fathom_table() {\n  subcommands=() options=() values=()\n  case \"$1\" in\n" +
         table +
         "  esac\n}\n"
         R"sh(_fathom() {
  local command=${words[1]:t} i
  local -a subcommands options
  local -A values
  _fathom_table $command
  for ((i = 2; i < CURRENT; i++)); do
    (( ${subcommands[(Ie)$words[i]]} )) || break
    command="$command $words[i]"
    _fathom_table $command
  done
  [[ $command == fathom && ($PREFIX == -* || $i -lt $CURRENT) ]] && _fathom_table 'fathom run'
  if [[ $PREFIX == --*=* ]]; then
    local option=${PREFIX%%=*}
    compset -P '*='
    if (( ${+values[$option]} )); then compadd -- ${=values[$option]}; else _files; fi
  elif [[ $PREFIX == -* ]]; then
    _describe -o option options -S ''
  else
    (( $#subcommands )) && compadd -- $subcommands
    _files
  fi
}
_fathom "$@"
)sh";
}

std::string fish(const Tree& tree) {
  std::string lines;
  for (const auto& [command, node] : tree) {
    const auto space = command.find(' ');
    const auto program = command.substr(0, space);
    const auto path = space == std::string::npos ? "" : command.substr(space + 1);
    for (const auto& word : node.subcommands)
      lines += fmt::format("complete -c {} -n {} -a {}\n", program, single_quoted("__fathom_at " + single_quoted(path)),
                           word);
    for (const auto& option : node.options) {
      const bool is_long = option.text.starts_with("--");
      const auto name = option.text.substr(is_long ? 2 : 1, option.text.find('=') - (is_long ? 2 : 1));
      lines += fmt::format(
          "complete -c {} -n {} {} {}{}{} -d {}\n", program, single_quoted("__fathom_in " + single_quoted(path)),
          is_long ? "-l" : "-s", name, option.text.ends_with('=') ? " -r" : "",
          option.values.empty() ? "" : " -f -a " + single_quoted(option.values), single_quoted(option.help));
    }
  }
  return "# Completions of fish for fathom: `fathom completion fish > ~/.config/fish/completions/fathom.fish`.\n"
         R"sh(function __fathom_words
  set -l words (commandline -opc)
  string match -v -- '-*' $words[2..]
end
function __fathom_at
  test "$(__fathom_words)" = "$argv[1]"
end
function __fathom_in
  set -l words (__fathom_words)
  string match -q -- "$argv[1]*" "$words"
end
)sh" + lines;
}

struct Shell {
  std::string_view name;
  std::string (*print)(const Tree&);
};
constexpr Shell kShells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

base::Expected<std::string> completion(std::string_view shell, std::span<const Manual> manuals) {
  std::vector<std::string_view> names;
  for (const auto& known : kShells) {
    if (known.name == shell) return known.print(tree_of(manuals));
    names.push_back(known.name);
  }
  return usage_error(fmt::format("no completions for `{}`", shell), "",
                     base::did_you_mean(shell, names, "bash, zsh or fish"));
}

}  // namespace fathom::options
