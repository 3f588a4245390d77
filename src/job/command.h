// fio's command line: options of the program itself, job files, and jobs written as options (`--name` starts one). The
// result is plain data; nothing is opened but job files and their includes, and nothing is printed.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::job {

// Everything outside that a job text may refer to; tests replace it.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> getenv;
  std::function<base::Expected<std::string>(const std::string& path)> read_file;  // "-" is standard input
  unsigned ncpus = 1;
  unsigned ncpus_configured = 0;  // CPU numbers go up to one less; 0: as ncpus
  std::uint64_t page_bytes = 4096, memory_mib = 0;
  std::string cwd = ".";
  static Environment of_this_process();
};

enum class Eta { automatic, always, never };
// cached: the long verdict of this boot, else a short test; full: the long test now; skip: none.
enum class ClockCheck { cached, full, skip };

// What was asked of the program, beside the jobs.
struct Command {
  bool help = false, version = false;
  std::optional<std::string> cmdhelp;  // "" or "all": every option
  std::optional<std::string> enghelp;  // "": every engine
  bool parse_only = false, showcmd = false, readonly = false, debug_parse = false;
  bool cpuclock_test = false;  // fio's test of the CPU clock, instead of a run
  std::string output;          // file; empty: standard output
  std::vector<std::string> output_formats{"normal"};
  unsigned schema = 0;  // of JSON; 0: the newest
  std::vector<std::string> sections;
  Eta eta = Eta::automatic;
  // fathom's own, accepted in fio mode too
  unsigned repeat = 1;
  bool settle = false;
  bool fio_stamps = false;
  ClockCheck clock_check = ClockCheck::cached;
  std::vector<std::string> audit{
      "auto"};             // auto, off, trace, pmu, pmu:NAME, link, smart: what may be opened to hold bytes against
  bool breakdown = false;  // the latency split, by tracepoints
  double unit_bytes = 0;   // --unit-bytes: of one increment of the PCIe counter; 0: by the table
  std::vector<std::string> allow_destructive;  // also from FATHOM_ALLOW_DESTRUCTIVE (comma list)
  JobSet jobs;
  std::vector<std::string> debug_lines;    // --debug=parse: one line an option as it was understood
  std::vector<std::string> showcmd_lines;  // --showcmd: the jobs as command lines
};

// args: without the program's name. A user's mistake comes back as an Error with file, line, column and what to write
// instead.
base::Expected<Command> parse_command(std::span<const std::string> args, const Environment& env);

// One job file's text, as --parse of a file does (fuzz target and tests).
base::Expected<JobSet> parse_job_text(const std::string& text, const std::string& file_name, const Environment& env);

// --cmdhelp of one option or of all; an unknown name is an Error with the nearest one.
base::Expected<std::string> option_help(const std::string& name_or_all);
// The engine options of one engine, a line each, for --enghelp=NAME.
std::string engine_option_help(std::string_view engine);
// docs/compat.md and the fuzz dictionary, from the rows.
std::string compat_markdown();
std::string fuzz_dictionary();
// The man page's option section (scdoc).
std::string options_scdoc();

}  // namespace fathom::job
