// fio's command line: options of the program itself, job files, and jobs written as options (`--name` starts one). The
// result is plain data; nothing is opened but job files and their includes, and nothing is printed.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "job/values/explain_compat.h"
#include "options/live.h"

namespace fathom::job {

// Of one job file, and of all that it includes together.
inline constexpr std::size_t kMostJobFile_bytes = std::size_t{16} << 20;

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

// Of --cost: without a time, and at least.
inline constexpr std::uint64_t kUsualCost_ns = 10'000'000'000, kLeastCost_ns = 1'000'000'000;

enum class Eta { automatic, always, never };
// cached: the long verdict of this boot, else a short test; full: the long test now; skip: none.
enum class ClockCheck { cached, full, skip };

// What was asked of the program, beside the jobs.
struct Command {
  bool help = false, version = false;
  std::optional<std::string> cmdhelp;  // "" or "all": every option
  std::optional<std::string> enghelp;  // "": every engine
  bool parse_only = false, showcmd = false, readonly = false, debug_parse = false;
  std::optional<std::string> inflate_log;    // a log that log_store_compressed made: print it, run nothing
  std::optional<std::string> bandwidth_log;  // of all jobs together: what its files' names begin with
  std::uint64_t log_memory_bytes = 0;        // for rows of logs until they are written; 0: a share of the machine's
  bool cpuclock_test = false;                // fio's test of the CPU clock, instead of a run
  bool explain_compat = false;               // say what would differ from fio, run nothing
  std::string aux_path;                      // folder of state files and dumps; empty: the working directory
  std::string trigger_file;                  // its appearance ends the run; empty: none
  std::uint64_t trigger_timeout_ns = 0;      // likewise, since the start; 0: none
  std::string trigger_command;               // for the shell, when a trigger has ended the run
  std::string output;                        // file; empty: standard output
  bool force = false;                        // outputs replace files that are not ours
  bool strict = false;                       // failed checks are an exit status
  std::vector<std::string> output_formats{"normal"};
  int terse_version = 3;  // of the format `terse`
  std::vector<std::string> sections;
  Eta eta = Eta::automatic;
  std::uint64_t eta_interval_ns = 0;     // between two status lines; 0: as sampled
  std::uint64_t eta_newline_ns = 0;      // so often the status line begins a new line; 0: never
  std::uint64_t status_interval_ns = 0;  // between two reports in mid-run; 0: none
  // fathom's own, accepted in fio mode too
  unsigned repeat = 1;
  bool repeat_same = false;  // each repetition draws what the first did
  bool settle = false;
  bool plot = false;                // the format `plot` too, behind the others
  std::string report;               // a file for the result as a page of HTML; empty: none
  std::vector<options::Live> live;  // what follows the run
  bool fio_stamps = false;
  ClockCheck clock_check = ClockCheck::cached;
  std::vector<std::string> audit{
      "auto"};  // auto, off, trace, pmu, pmu:NAME, link, smart: what may be opened to hold bytes against
  enum class Breakdown { none, by_cost, all, slices };  // all: every I/O, whatever it costs
  Breakdown breakdown = Breakdown::none;                // the latency split, by tracepoints
  std::uint64_t cost_ns = 0;                   // --cost: how long it is measured what watching costs; 0: it is not
  double unit_bytes = 0;                       // --unit-bytes: of one increment of the PCIe counter; 0: by the table
  std::vector<std::string> allow_destructive;  // also from FATHOM_ALLOW_DESTRUCTIVE (comma list)
  enum class IdleProf { none, system, percpu, calibrate };
  IdleProf idle_prof = IdleProf::none;
  bool warnings_fatal = false;            // what would be a finding about the job's text refuses it
  std::vector<std::string> debug;         // --debug=: categories, in order
  std::vector<std::uint32_t> debug_jobs;  // job:N; empty: all
  JobSet jobs;
  std::string profile;                     // that the jobs are of; empty: none
  std::vector<std::string> debug_lines;    // --debug=parse: one line an option as it was understood
  std::vector<std::string> showcmd_lines;  // --showcmd: the jobs as command lines
  values::Explanation explanation;         // --explain-compat
};

// args: without the program's name. A user's mistake comes back as an Error with file, line, column and what to write
// instead; under --explain-compat it is part of the explanation.
base::Expected<Command> parse_command(std::span<const std::string> args, const Environment& env);

// One job file's text, as --parse of a file does (fuzz target and tests).
base::Expected<JobSet> parse_job_text(const std::string& text, const std::string& file_name, const Environment& env);

// --cmdhelp of one option or of all; an unknown name is an Error with the nearest one.
base::Expected<std::string> option_help(const std::string& name_or_all);
// The engine options of one engine, a line each, for --enghelp=NAME.
std::string engine_option_help(std::string_view engine);
// docs/reference/fio-options.md and the fuzz dictionary, from the rows.
std::string compat_markdown();
std::string fuzz_dictionary();
// The man page's option section (scdoc).
std::string options_scdoc();

}  // namespace fathom::job
