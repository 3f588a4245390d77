// Help texts. The option lists come from the rows in job/ and engine/.
#include "cli/help.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/exit_codes.h"
#include "cli/front_door.h"
#include "cli/manuals.h"
#include "cli/paging_command.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "fathom_version.h"
#include "io/engines.h"
#include "job/command.h"
#include "options/completion.h"

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
  for (const auto& s : subcommands())
    out += fmt::format("  {:<11} {}{}\n", s.name, s.summary, s.run ? "" : " (not built yet)");
  out += "\n`fathom help run` lists the options of a run, `fathom run --cmdhelp=OPTION` explains one.\n";
  return out;
}

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

audit::BuildFacts build_facts() {
  audit::BuildFacts facts;
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

std::string run_help(bool fio_mode) {
  auto manual = run_manual();
  if (fio_mode) manual.command = "fio";
  return version_line() + "\n" + options::help_text(manual);
}

int completion_command(std::span<const std::string> args) {
  const auto script = options::completion(args.size() == 1 ? args[0] : "", manuals());
  if (script) return print_out(*script, "fathom completion");
  show_error(script.error(), "fathom completion");
  return kUsage;
}

int help_command(std::span<const std::string> args) {
  if (args.empty()) {
    print(overview());
  } else if (args[0] == "run") {
    print(run_help(false));
  } else if (args[0] == "paging") {
    print(paging_overview());
  } else if (args[0] == "man-options") {
    print(job::options_scdoc());
  } else if (args[0] == "compat") {
    print(job::compat_markdown());
  } else if (args[0] == "fuzz-dictionary") {
    print(job::fuzz_dictionary());
  } else {
    auto text = job::option_help(args[0]);
    if (!text) {
      show_error(text.error(), "fathom help");
      return kUsage;
    }
    print(*text);
  }
  return kOk;
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
