// Help texts. The lists of options come from their rows.
#include "cli/help.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/nearest.h"
#include "base/text/printable.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "fathom_version.h"
#include "io/engines.h"
#include "job/command.h"
#include "job/option.h"
#include "job/switches.h"
#include "options/completion.h"
#include "options/manual_sets.h"
#include "result/findings/rows.h"

namespace fathom::cli {
namespace {

void print(const std::string& text) { write_text(stdout, text); }

std::string overview() {
  std::string out = fmt::format(
      "{}\nmeasures where the time of an I/O goes, and audits its own numbers\n\n"
      "usage: fathom SUBCOMMAND [arguments]\n"
      "       fathom JOBFILE | --name=... [fio options]     the same as `fathom run`, with fio's exit statuses\n\n"
      "subcommands:\n",
      version_line());
  out += command_lines(commands()) +
         "\n`fathom help SUBCOMMAND` lists its options, `fathom run --cmdhelp=OPTION` explains an option of a job.\n";
  return out;
}

using Arguments = std::span<const std::string>;

// For a job, or for the named command.
std::string man_options(Arguments arguments) {
  if (arguments.empty()) return job::options_scdoc();
  return options::scdoc_sections(manuals(), "fathom", fmt::format("{}", fmt::join(arguments, " ")));
}

std::string finding_help(Arguments arguments) {
  if (arguments.empty()) return result::findings::list_text();
  return result::findings::explained(arguments[0]);
}

// Help for a command, or for one of its actions: `nvme perf`. Empty: no such command.
std::string command_help(Arguments words) {
  const Command* found = nullptr;
  auto among = commands();
  for (const auto& word : words) {
    found = find_command(among, word);
    if (found == nullptr) return "";
    among = found->actions;
  }
  if (found == nullptr) return "";
  if (!found->actions.empty()) return overview(*found);
  if (found->manual != nullptr) return options::help_text(found->manual());
  return fmt::format("fathom {}: {}\n", fmt::join(words, " "), found->summary);
}

struct Topic {
  std::string_view name;
  std::string (*text)(Arguments arguments);
};
constexpr Topic kTopics[] = {
    {"run", [](Arguments) { return run_help(false); }},
    {"paging", [](Arguments) { return overview(*find_command(commands(), "paging")); }},
    {"man-options", man_options},
    {"compat", [](Arguments) { return job::compat_markdown(); }},
    {"finding", finding_help},
    {"findings", [](Arguments) { return result::findings::reference_markdown(); }},
    {"fuzz-dictionary", [](Arguments) { return job::fuzz_dictionary() + options::example_words(manuals()); }},
};

}  // namespace

std::string version_line() { return fmt::format("fathom {} (commit {})", FATHOM_VERSION, FATHOM_COMMIT); }

result::Program program_facts(std::span<const std::string> argv, bool fio_mode) {
  result::Program p;
  p.version = FATHOM_VERSION;
  p.commit = FATHOM_COMMIT;
  p.compiler = FATHOM_COMPILER;
  p.argv.assign(argv.begin(), argv.end());
  p.fio_version = kFioVersion;
  p.fio_mode = fio_mode;
  return p;
}

audit::machine::BuildFacts build_facts() {
  audit::machine::BuildFacts facts;
#ifndef __OPTIMIZE__
  facts.optimised = false;
#endif
  facts.sanitizers = FATHOM_SANITIZERS;
#ifdef FATHOM_PROFILED
  facts.profiled = true;
#endif
  return facts;
}

int version_command() {
  print(version_line() + "\n");
  return kOk;
}

// A job begins with --name, which is read as an option of the job.
const options::Manual& run_manual() {
  static constexpr options::Row kName[] = {
      options::noted({"name=NAME", "", "start a job; job options follow (--rw=randread --bs=4k ...)"})};
  static const std::vector<options::Group> groups = [] {
    std::vector<options::Group> all{{"", kName}};
    all.insert(all.end(), job::switches().begin(), job::switches().end());
    return all;
  }();
  static const options::Manual manual{.command = "fathom run",
                                      .usage = "[options] [job options] <job file(s)>",
                                      .about = "Runs fio's job files and options.\n",
                                      .groups = groups,
                                      .beside = job::option_groups()};
  return manual;
}

std::string run_help(bool fio_mode) {
  auto manual = run_manual();
  if (fio_mode) manual.command = "fio";
  return version_line() + "\n" + options::help_text(manual);
}

int completion_command(std::span<const std::string> args) {
  if (args.size() == 1 && (args[0] == "--help" || args[0] == "-h"))
    return print_out("usage: fathom completion bash|zsh|fish\n\nPrints completions, to be sourced by a shell.\n",
                     "fathom completion");
  const auto script = options::completion(args.size() == 1 ? args[0] : "", manuals());
  if (script) return print_out(*script, "fathom completion");
  show_error(script.error(), "fathom completion");
  return kUsage;
}

int no_finding(const std::string& id) {
  base::Error error;
  error.what = fmt::format("no finding `{}`", base::text::printable(id));
  std::vector<std::string_view> known;
  for (const auto& row : result::findings::rows()) known.push_back(row.id);
  const auto nearest = base::nearest_name(id, known);
  error.help = nearest.empty() ? "`fathom help finding` lists them" : fmt::format("did you mean `{}`?", nearest);
  show_error(error, "fathom help");
  return kUsage;
}

int help_command(std::span<const std::string> args) {
  if (args.empty()) return print(overview()), kOk;
  auto asked = args[0];
  if (const auto text = command_help(args); !text.empty() && args[0] != "run") return print(text), kOk;
  for (const auto& topic : kTopics) {
    if (topic.name != args[0]) continue;
    if (const auto text = topic.text(args.subspan(1)); !text.empty()) return print(text), kOk;
    if (args[0] == "finding") return no_finding(args[1]);
    asked = args.back();
  }
  const auto text = job::option_help(asked);
  if (text) return print(*text), kOk;
  show_error(text.error(), "fathom help");
  return kUsage;
}

base::Expected<std::string> engine_help(const std::string& name) {
  if (!name.empty()) {
    const auto* info = io::find_engine(name);
    if (info == nullptr) {
      base::Error e;
      e.what = "no engine `" + name + "`";
      e.help = "`--enghelp` lists the engines";
      return e;
    }
    return fmt::format("{}: {}\n{}", info->name, info->summary, job::engine_option_help(name));
  }
  std::string out = "Available IO engines:\n";
  for (const auto& info : io::engines()) out += fmt::format("\t{:<10} {}\n", info.name, info.summary);
  return out;
}

}  // namespace fathom::cli
