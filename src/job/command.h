// fio's command line: program options, job files, and jobs written as options (`--name` starts one). The result is
// plain data. The parser opens only job files and their includes, and prints nothing.
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

// Maximum for one job file and all its includes together.
inline constexpr std::size_t kMostJobFile_bytes = std::size_t{16} << 20;

// The environment that a job text may refer to; tests replace it.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> getenv;
  std::function<base::Expected<std::string>(const std::string& path)> read_file;  // "-" is standard input
  unsigned ncpus = 1;
  unsigned ncpus_configured = 0;  // CPU numbers are below this; 0: as ncpus
  std::uint64_t page_bytes = 4096, memory_mib = 0;
  std::string cwd = ".";
  static Environment of_this_process();
};

// --cost: default time, and minimum.
inline constexpr std::uint64_t kUsualCost_ns = 10'000'000'000, kLeastCost_ns = 1'000'000'000;

enum class Eta { automatic, always, never };
// cached: this boot's verdict of the long test, else a short test; full: the long test now; skip: no test.
enum class ClockCheck { cached, full, skip };

// Program options, in addition to the jobs.
struct Command {
  bool help = false, version = false;
  std::optional<std::string> cmdhelp;  // "" or "all": every option
  std::optional<std::string> enghelp;  // "": every engine
  bool parse_only = false, showcmd = false, readonly = false, debug_parse = false;
  std::optional<std::string> inflate_log;    // a compressed log (log_store_compressed): print it, run nothing
  std::optional<std::string> bandwidth_log;  // log of all jobs together: prefix of its files' names
  std::uint64_t log_memory_bytes = 0;        // maximum memory of unwritten log rows; 0: a share of the machine's
  bool cpuclock_test = false;                // fio's test of the CPU clock, instead of a run
  bool explain_compat = false;               // report differences from fio, run nothing
  std::string aux_path;                      // directory of state files and dumps; empty: the working directory
  std::string trigger_file;                  // a file with this name ends the run; empty: no trigger file
  std::uint64_t trigger_timeout_ns = 0;      // ends the run at this time since the start; 0: no limit
  std::string trigger_command;               // shell command, run after a trigger ended the run
  std::string output;                        // file; empty: standard output
  bool force = false;                        // outputs replace files not written by fathom
  bool strict = false;                       // failed checks set the exit status
  bool keep = false;                         // store the run in a history
  std::string history;                       // file of the history; empty: the usual one
  std::vector<std::string> output_formats{"normal"};
  int terse_version = 3;  // version of the format `terse`
  std::vector<std::string> sections;
  Eta eta = Eta::automatic;
  std::uint64_t eta_interval_ns = 0;     // between two status lines; 0: the sampling interval
  std::uint64_t eta_newline_ns = 0;      // interval at which a new status line starts; 0: never
  std::uint64_t status_interval_ns = 0;  // between two reports during the run; 0: no such reports
  // fathom's own options, accepted in fio mode too
  unsigned repeat = 1;
  bool repeat_same = false;  // each repetition uses the random values of the first
  bool settle = false;
  bool plot = false;                // adds the format `plot` after the others
  std::string report;               // file for the result as an HTML report; empty: no report
  std::vector<options::Live> live;  // live outputs
  bool fio_stamps = false;
  ClockCheck clock_check = ClockCheck::cached;
  std::vector<std::string> audit{
      "auto"};  // auto, off, trace, pmu, pmu:NAME, link, smart: sources that may be opened to compare bytes
  enum class Breakdown { none, by_cost, all, slices };  // all: every I/O, regardless of its overhead
  Breakdown breakdown = Breakdown::none;                // latency breakdown, by tracepoints
  std::uint64_t cost_ns = 0;  // --cost: duration of the probe overhead measurement; 0: not measured
  double unit_bytes = 0;      // --unit-bytes: bytes per increment of the PCIe counter; 0: from the table
  std::vector<std::string> allow_destructive;  // also from FATHOM_ALLOW_DESTRUCTIVE (comma list)
  enum class IdleProf { none, system, percpu, calibrate };
  IdleProf idle_prof = IdleProf::none;
  bool warnings_fatal = false;            // findings about the job's text become errors
  std::vector<std::string> debug;         // --debug=: categories, in order
  std::vector<std::uint32_t> debug_jobs;  // job:N; empty: all
  JobSet jobs;
  std::string profile;                     // profile of the jobs; empty: no profile
  std::vector<std::string> debug_lines;    // --debug=parse: one line per option as parsed
  std::vector<std::string> showcmd_lines;  // --showcmd: the jobs as command lines
  values::Explanation explanation;         // --explain-compat
};

// args: without the program's name. A user's mistake is an Error with file, line, column and what to write instead.
// With --explain-compat it is part of the explanation.
// The words of a command line for a result: a secret (options/row.h) is replaced by kSecret.
std::vector<std::string> without_secrets(std::span<const std::string> args);

base::Expected<Command> parse_command(std::span<const std::string> args, const Environment& env);

// Parses the text of one job file, as --parse-only does (fuzz target and tests).
base::Expected<JobSet> parse_job_text(const std::string& text, const std::string& file_name, const Environment& env);

// --cmdhelp for one option or all. An unknown name is an Error that suggests the nearest one.
base::Expected<std::string> option_help(const std::string& name_or_all);
// The engine options of one engine, one per line, for --enghelp=NAME.
std::string engine_option_help(std::string_view engine);
// docs/reference/fio-options.md and the fuzz dictionary, generated from the rows.
std::string compat_markdown();
std::string fuzz_dictionary();
// The man page's option section (scdoc).
std::string options_scdoc();

}  // namespace fathom::job
