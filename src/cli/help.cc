// Help texts. The option lists come from the rows in job/ and engine/.
#include "cli/help.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/exit_codes.h"
#include "cli/front_door.h"
#include "cli/paging_command.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "fathom_version.h"
#include "io/engines.h"
#include "job/command.h"
#include "report/formats.h"

namespace fathom::cli {
namespace {

void print(const std::string& text) { write_text(stdout, text); }

std::string format_names() {
  std::string names;
  for (const auto& f : report::formats()) names += (names.empty() ? "" : ",") + std::string(f.name);
  return names;
}

std::string overview() {
  std::string out = fmt::format(
      "{}\nmeasures where the time of an I/O goes, and audits its own numbers\n\n"
      "usage: fathom SUBCOMMAND [arguments]\n"
      "       fathom JOBFILE | --name=... [fio options]     the same as `fathom run`, with fio's exit statuses\n\n"
      "subcommands:\n",
      version_line());
  for (const auto& s : subcommands())
    out += fmt::format("  {:<9} {}{}\n", s.name, s.summary, s.run ? "" : " (not built yet)");
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
  return fmt::format(
      "{}\n"
      "usage: {} [options] [job options] <job file(s)>\n\n"
      "  --name=NAME              start a job on the command line; job options follow (--rw=randread --bs=4k ...)\n"
      "  --output=FILE            write the report to FILE\n"
      "  --output-format=LIST     comma list of: {}\n"
      "  --section=NAME           run only this section of the job file (repeatable)\n"
      "  --parse-only             check the jobs, run nothing\n"
      "  --showcmd                print the job file as command lines, run nothing\n"
      "  --cmdhelp[=OPTION]       explain one option, or list all\n"
      "  --enghelp[=ENGINE]       list the engines, or the options of one\n"
      "  --eta=auto|always|never  status line (auto: when the output is a terminal)\n"
      "  --readonly               refuse every job that writes or trims\n"
      "  --max-jobs=N             without effect, as in fio: the limit is 4096 jobs\n"
      "  --debug=parse            show how each option was understood\n"
      "  --cpuclock-test          test the CPU clock across CPUs, in fio's words, instead of a run\n"
      "  --version, --help\n\n"
      "fathom's own:\n"
      "  --repeat=N               run everything N times: mean, deviation, median, 95 % interval, all raw results\n"
      "  --settle                 wait until the machine and the targets are idle before each run\n"
      "  --stamps=fathom|fio      where the issue time is taken: before the submitting call, or after it as fio does\n"
      "  --clock-check=cached|full|skip\n"
      "                           the CPU clock's cross-core test before a run: this boot's verdict, or else a short "
      "test; the\n"
      "                           long test now; none\n"
      "  --audit=LIST             what holds the bytes against other counters: auto (sysfs, /proc, a PCIe PMU), off, "
      "trace,\n"
      "                           pmu, pmu:NAME, link (link events too), smart (an NVMe device's health log)\n"
      "  --unit-bytes=N           bytes of one increment of the PCIe counter, instead of the table's\n"
      "  --breakdown              divide latencies into submit, queue, device and completion\n"
      "  --allow-destructive=DEV  allow writing to a block device that is in use or holds data;\n"
      "                           DEV:mounted, DEV:swap: although it is mounted, is active swap\n",
      version_line(), fio_mode ? "fio" : "fathom run", format_names());
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
