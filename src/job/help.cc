// All texts about the options, generated from their rows: --cmdhelp, --enghelp=NAME, docs/reference/fio-options.md, the
// man page's section and the fuzz dictionary.
#include <algorithm>

#include <fmt/format.h>

#include "job/command.h"
#include "job/option.h"
#include "job/switches.h"
#include "job/values/engine_name.h"
#include "job/values/neutral.h"
#include "options/manual.h"
#include "options/rows.h"

namespace fathom::job {
namespace {

using Lines = fmt::memory_buffer;

template <class... Args>
void put(Lines& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

struct TypeText {  // indexed by Type
  std::string_view name, example;
};
constexpr TypeText kTypes[] = {
    {"string", "opt=bla"},
    {"empty or boolean value", "[0|1]"},
    {"boolean value", "opt=1"},
    {"integer value", "opt=100"},
    {"size", "opt=4k"},
    {"size or percentage", "opt=1g, opt=50%"},
    {"time", "opt=10s"},
    {"number", "opt=1.5"},
    {"one of the valid values", "opt=bla"},
    {"one to three ranges", "opt=1k-4k[,4k-8k[,1k-8k]]"},
    {"list", "opt=a:b"},
};
const TypeText& words_of(Type type) { return kTypes[static_cast<int>(type)]; }

std::string aliases_of(const Row& option, std::string_view separator) {
  std::string out;
  for (const auto alias : option.aliases()) out += (out.empty() ? "" : std::string(separator)) + std::string(alias);
  return out;
}

std::string bound(const Row& option, std::uint64_t value) {
  return value == ~0ull                  ? "no limit"
         : option.type == Type::duration ? fmt::format("{}ns", value)
                                         : fmt::format("{}", value);
}

void describe(Lines& out, const Row& option) {
  const auto type = words_of(option.type);
  put(out, "{:>20}: {}\n", option.name(), option.texts.help);
  if (const auto aliases = aliases_of(option, ", "); !aliases.empty()) put(out, "{:>20}: {}\n", "alias", aliases);
  put(out, "{:>20}: {} ({}){}\n", "type", type.name, type.example,
      option.per_direction ? ", up to three for read,write,trim" : "");
  put(out, "{:>20}: {}\n", "default", option.texts.fallback.empty() ? "no default" : option.texts.fallback);
  if (option.max != 0 && option.type != Type::boolean && option.type != Type::flag)
    put(out, "{:>20}: min={}, max={}\n", "range", bound(option, option.min), bound(option, option.max));
  if (!option.texts.engines.empty()) put(out, "{:>20}: {}\n", "engines", option.texts.engines);
  if (!option.texts.note.empty()) put(out, "{:>20}: {}\n", "note", option.texts.note);
  std::string_view label = "valid values";
  for (const auto& c : option.choices) {
    put(out, "{:>20}: {:<14} {}\n", label, c.name, c.help);
    label = "";
  }
  put(out, "\n");
}

std::string_view status_name(Status status) {
  return status == Status::full ? "full" : status == Status::partial ? "partial" : "ignored";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

void compat_group(Lines& out, const Group& group) {
  put(out, "\n## {}\n\n| option | aliases | status | default | what it does |\n|---|---|---|---|---|\n", group.title);
  for (const auto& o : group.rows) {
    std::string notes;
    if (!o.texts.engines.empty()) notes += fmt::format(" (engines: {})", o.texts.engines);
    if (!o.texts.note.empty()) notes += fmt::format(" ({})", o.texts.note);
    put(out, "| `{}` | {} | {} | {} | {}{} |\n", o.name(), aliases_of(o, ", "), status_name(o.texts.status),
        escaped(o.texts.fallback), escaped(o.texts.help), escaped(notes));
  }
}

void compat_not_built(Lines& out, std::string_view title, bool of_engines) {
  put(out, "\n| {} | aliases | accepted |\n|---|---|---|\n", title);
  for (const auto& o : options_not_built())
    if (o.texts.engines.empty() != of_engines)
      put(out, "| `{}` | {} | {} |\n", o.name(), aliases_of(o, " "), values::neutral_text(o));
}

}  // namespace

base::Expected<std::string> option_help(const std::string& name_or_all) {
  Lines out;
  if (name_or_all.empty() || name_or_all == "all") {
    for (const auto& group : option_groups())
      for (const auto& option : group.rows) put(out, "{:<26}: {}\n", option.name(), option.texts.help);
    return fmt::to_string(out);
  }
  const Row* option = find_option(name_or_all);
  if (is_built(option)) return describe(out, *option), fmt::to_string(out);
  if (!option)
    return usage_error(fmt::format("`{}` is not an option", name_or_all), "",
                       suggest_option(name_or_all, "`--cmdhelp` lists them", "--cmdhelp="));
  const std::string values = values::neutral_text(*option);
  auto e = usage_error(fmt::format("fio option `{}` is not built in fathom yet", name_or_all), "",
                       values.empty() ? "see docs/reference/fio-options.md for the supported options"
                                      : "accepted, without effect: " + values);
  e.kind = base::ErrorKind::not_built;
  return e;
}

std::string engine_option_help(std::string_view engine) {
  Lines out;
  for (const auto& group : engine_options())
    for (const auto& option : group.rows)
      if (option.of_engine(engine)) put(out, "{:<24}: {}\n", option.name(), option.texts.help);
  return fmt::to_string(out);
}

std::string compat_markdown() {
  Lines out;
  put(out,
      "# fio's options in fathom\n\n"
      "This file is generated from the option rows in `src/job/rows` and `src/io`. A test compares it with them. After "
      "a change of a row,\n"
      "write it again: `FATHOM_WRITE_COMPAT=1 build/test_job --gtest_filter='Compat.*'`.\n\n"
      "The status of an option is one of these:\n\n"
      "- **full**: as in fio.\n"
      "- **partial**: some values, or with the difference that the row names.\n"
      "- **ignored**: accepted without effect. The report says so.\n\n"
      "Any other option of fio is an error, \"not built in fathom yet\", unless its value requests what fathom does "
      "anyway.\n");
  for (const auto& group : option_groups()) compat_group(out, group);
  put(out, "\n## Options of the program\n\n| option | what it does |\n|---|---|\n");
  for (const auto& group : switches())
    for (const auto& row : group.rows)
      if (row.apply && !options::is_gone(row))
        put(out, "| `--{}` | {} |\n", row.name(), escaped(options::help_of(row)));
  put(out, "\n## Not built yet\n\nWith the values that are accepted because they change nothing.\n");
  compat_not_built(out, "Option of every job", false);
  compat_not_built(out, "Option of engines", true);
  put(out, "\nOptions of the program:\n\n");
  for (const auto& group : switches())
    for (const auto& row : group.rows)
      if (!row.apply) put(out, "`--{}`\n", row.name());
  put(out, "\nEngines:\n\n");
  for (const auto& row : values::kOnlyFios)
    for (const auto name : items_in(row.names)) put(out, "- `{}`: {}\n", name, row.needs);
  return fmt::to_string(out);
}

std::string fuzz_dictionary() {
  Lines out;
  const auto word = [&](std::string_view text) { put(out, "\"{}\"\n", text); };
  for (const auto text : {"[global]", "[job]", "include ", "${HOME}", "$ncpus", "$pagesize", "$mb_memory", "$jobname",
                          ";", "#", "%", ",,"})
    word(text);
  for (const auto& group : option_groups())
    for (const auto& option : group.rows) {
      word(fmt::format("{}=", option.name()));
      if (!option.texts.fallback.empty()) word(option.texts.fallback);
      for (const auto& c : option.choices) word(c.name);
    }
  return fmt::to_string(out);
}

std::string options_scdoc() {
  Lines out;
  for (const auto& group : option_groups()) {
    put(out, "## {}\n\n", group.title);
    for (const auto& o : group.rows) {
      const auto aliases = aliases_of(o, ", ");
      put(out, "*{}*={}{}\n", scdoc_escaped(o.name()), scdoc_escaped(words_of(o.type).name),
          aliases.empty() ? "" : scdoc_escaped(fmt::format(" (also {})", aliases)));
      put(out, "\t{}.", scdoc_escaped(o.texts.help));
      if (!o.texts.fallback.empty()) put(out, " Default: {}.", scdoc_escaped(o.texts.fallback));
      if (!o.texts.engines.empty()) put(out, " Engines: {}.", scdoc_escaped(o.texts.engines));
      if (!o.texts.note.empty()) put(out, " Note: {}.", scdoc_escaped(o.texts.note));
      if (const auto values = options::scdoc_values(o); !values.empty()) put(out, " Values:{}", values);
      put(out, "\n\n");
    }
  }
  return fmt::to_string(out);
}

}  // namespace fathom::job
