// A comma-separated list of names is compared with the row's choices. A choice such as "pmu:" accepts any name after
// it.
#include "job/switches.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/parse.h"
#include "options/live_row.h"
#include "options/rows.h"

namespace fathom::job {
namespace {

using namespace options;

void add_format(Command& command, const std::string& name) {
  auto& formats = command.output_formats;
  if (std::find(formats.begin(), formats.end(), name) == formats.end()) formats.push_back(name);
}

Outcome output_format(Command& command, const Value& value) {
  std::vector<std::string> formats;
  if (auto problem = read_names(value, formats)) return problem;
  command.output_formats.clear();
  for (const auto& name : formats) add_format(command, name == "minimal" || name == "csv" ? "terse" : name);
  return {};
}

Outcome breakdown(Command& command, const Value& value) {
  int how = static_cast<int>(Command::Breakdown::by_cost);
  if (!value.text.empty())
    if (auto problem = read_choice(value, how)) return problem;
  command.breakdown = static_cast<Command::Breakdown>(how);
  return {};
}

Outcome cost(Command& command, const Value& value) {
  command.cost_ns = kUsualCost_ns;
  return value.text.empty() ? Outcome{} : read_number(value, command.cost_ns);
}

Outcome minimal(Command& command, const Value&) {
  command.output_formats = {"terse"};
  return {};
}

Outcome brief(Command& command, const Value&) {
  command.output_formats = {"brief"};
  return {};
}

Outcome verbose(Command& command, const Value&) {
  command.output_formats = {"verbose"};
  return {};
}

Outcome append_terse(Command& command, const Value&) {
  add_format(command, "terse");
  return {};
}

Outcome terse_version(Command& command, const Value& value) {
  const auto n = base::text::parse_int(value.text);
  if (!n || *n < 2 || *n > 5)
    return wrong("bad terse version format", "the versions are 2 to 5", "write `--terse-version=3`", value.text);
  command.terse_version = static_cast<int>(*n);
  return {};
}

// auto: sysfs, /proc and a PMU. trace: also tracepoints. pmu:NAME: this PMU, even if it does not belong to the device's
// port. link: also the PMU's link events, which take turns on a separate counter. smart: an NVMe controller's health
// log, by a command.
Outcome audit(Command& command, const Value& value) {
  std::vector<std::string> ways;
  if (auto problem = read_names(value, ways)) return problem;
  if (ways.size() > 1 && std::find(ways.begin(), ways.end(), "off") != ways.end())
    return wrong("`off` cannot be combined", "the other values request an audit", "write `--audit=off`", value.text);
  command.audit = std::move(ways);
  return {};
}

Outcome debug(Command& command, const Value& value) {
  std::vector<std::string> names;
  if (auto problem = read_names(value, names)) return problem;
  for (const auto& name : names) {
    if (!name.starts_with("job:")) {
      command.debug.push_back(name);
      command.debug_parse |= name == "parse" || name == "all";
      continue;
    }
    const auto n = base::text::parse_int(std::string_view(name).substr(4));
    if (!n || *n < 0 || *n > 0xffffffffll)
      return wrong("not the number of a job", "", "write `--debug=job:0`", value.text);
    command.debug_jobs.push_back(static_cast<std::uint32_t>(*n));
  }
  return {};
}

// Accepts a list, and also the whole value as one name. A device name may contain commas (a socket's path, options of
// an emulated controller).
Outcome allow_destructive(Command& command, const Value& value) {
  if (value.text.find(',') != std::string_view::npos) command.allow_destructive.emplace_back(value.text);
  for (const auto part : split(value.text, ','))
    if (!part.empty()) command.allow_destructive.emplace_back(part);
  return {};
}

// The option belongs to the jobs, and is read with them.
Outcome set_option(Command&, const Value& value) {
  if (!value.text.empty() && value.text.front() != '=') return {};
  return wrong("the value has no option", "--set overrides an option of every job", "write `--set=iodepth=4`",
               value.text);
}

// too_short: fio's words.
Outcome interval(const Value& value, std::uint64_t least_ns, const char* too_short, const char* example,
                 std::uint64_t& to) {
  std::uint64_t ns = 0;
  if (auto problem = read_number(value, ns)) return problem;
  if (ns < least_ns) return wrong(too_short, "", fmt::format("write `{}`", value.with(example)), value.text);
  to = ns;
  return {};
}

Outcome eta_interval(Command& command, const Value& value) {
  return interval(value, 250'000'000, "eta interval time too short (250msec min)", "500", command.eta_interval_ns);
}

Outcome status_interval(Command& command, const Value& value) {
  return interval(value, 1'000'000, "status interval too small", "5", command.status_interval_ns);
}

// As in fio, the limit is 4096 for any value.
Outcome max_jobs(Command&, const Value& value) {
  const auto n = base::text::parse_int(value.text);
  if (n) return {};
  return wrong("not a number", n.error().what, "write a whole number, or omit it", value.text);
}

Outcome bandwidth_log(Command& command, const Value& value) {
  command.bandwidth_log = value.text.empty() ? "agg" : std::string(value.text);
  return {};
}

// Removed; the message has fio's words.
Outcome latency_log(Command&, const Value& value) {
  return wrong("--latency-log is deprecated. Use per-job latency log options", "fio removed this option",
               "write `--write_lat_log=PREFIX` after the job's --name", value.text);
}

// Sizes fio's pools of shared memory. fathom does not have such pools.
Outcome no_effect(Command&, const Value&) { return {}; }

constexpr Choice kFormats[] = {{"normal", 0, ""},
                               {"brief", 0, "the first lines alone"},
                               {"verbose", 0, "normal, and what it omits"},
                               {"plot", 0, "plots"},
                               {"plot-ascii", 0, "plots without block characters"},
                               {"terse", 0, "of --terse-version"},
                               {"minimal", 0, "as terse"},
                               {"csv", 0, "as terse"},
                               {"json", 0, ""},
                               {"json+", 0, ""},
                               {"rows-csv", 0, "a row per job and direction"},
                               {"markdown", 0, "a table for GitHub"},
                               {"jsonl", 0, "a JSON object per number"},
                               {"openmetrics", 0, "for Prometheus"},
                               {"hdr", 0, "a log of HdrHistogram"},
                               {"influx", 0, "line protocol of InfluxDB"},
                               {"spdk", 0, ""},
                               {"spdk-l", 0, ""},
                               {"spdk-ll", 0, ""},
                               {"spdk-stats", 0, ""}};
constexpr Choice kDebug[] = {{"parse", 0, "how each option was read"},
                             {"random", 0, "the seed of each job"},
                             {"job:", 0, "N, from 0: this job alone"},
                             {"all", 0, "all of them"},
                             {"process", 0, "accepted, says nothing"},
                             {"file", 0, "accepted, says nothing"},
                             {"io", 0, "each completed I/O"},
                             {"mem", 0, "accepted, says nothing"},
                             {"blktrace", 0, "accepted, says nothing"},
                             {"verify", 0, "accepted, says nothing"},
                             {"diskutil", 0, "accepted, says nothing"},
                             {"job", 0, "accepted, says nothing"},
                             {"mutex", 0, "accepted, says nothing"},
                             {"profile", 0, "accepted, says nothing"},
                             {"time", 0, "accepted, says nothing"},
                             {"net", 0, "accepted, says nothing"},
                             {"rate", 0, "accepted, says nothing"},
                             {"compress", 0, "accepted, says nothing"},
                             {"steadystate", 0, "the limit of each one"},
                             {"helperthread", 0, "accepted, says nothing"},
                             {"zbd", 0, "accepted, says nothing"},
                             {"sprandom", 0, "accepted, says nothing"}};
using IdleProf = Command::IdleProf;
constexpr Choice kIdleProf[] = {{"system", int(IdleProf::system), "all CPUs together"},
                                {"percpu", int(IdleProf::percpu), "each CPU too"},
                                {"calibrate", int(IdleProf::calibrate), "time the unit of work, run nothing"}};
using Breakdown = Command::Breakdown;
constexpr Choice kBreakdowns[] = {
    {"auto", int(Breakdown::by_cost), "every I/O while the overhead is below 3 %, else slices"},
    {"all", int(Breakdown::all), "every I/O"},
    {"slices", int(Breakdown::slices), "I/Os in random slices of time, 10 % of the run"}};
constexpr Choice kStamps[] = {{"fathom", false, "before the system call"}, {"fio", true, "after it, as fio does"}};
constexpr Choice kClockChecks[] = {{"cached", int(ClockCheck::cached), "the result of this boot, else a short test"},
                                   {"full", int(ClockCheck::full), "the long test"},
                                   {"skip", int(ClockCheck::skip), "no test"}};
constexpr Choice kWays[] = {{"auto", 0, "sysfs, /proc, a PCIe PMU"},
                            {"off", 0, ""},
                            {"trace", 0, ""},
                            {"pmu", 0, ""},
                            {"pmu:", 0, "NAME"},
                            {"link", 0, "link events too"},
                            {"smart", 0, "an NVMe device's health log"}};

constexpr Row kFios[] = {
    text<&Command::output>({"output o=FILE", "", "write the report to FILE"}),
    special<output_format>({"output-format=LIST", "normal", "one or more, separated by commas"}, Type::list, 0, 0, 0,
                           false, kFormats),
    special<minimal>({"minimal", "", "as --output-format=terse"}, Type::flag),
    special<append_terse>({"append-terse", "", "terse output too"}, Type::flag),
    special<terse_version>({"terse-version=N", "3", "version of terse output, 2 to 5"}, Type::count),
    append<&Command::sections>({"section=NAME", "", "run only this section of the job file (repeatable)"}),
    flag<&Command::parse_only>({"parse-only", "", "check the jobs, run nothing"}),
    flag<&Command::showcmd>({"showcmd", "", "print the job file as command lines, run nothing"}),
    text<&Command::cmdhelp>({"cmdhelp=[OPTION]", "", "explain one option, or list all"}),
    text<&Command::enghelp>({"enghelp=[ENGINE]", "", "list the engines, or the options of one"}),
    choice<&Command::eta>({"eta=WHEN", "auto", "status line"}, kEtas),
    special<eta_interval>(
        {"eta-interval=TIME", "500", "time between two updates of the status line (a bare number: ms)"}, Type::duration,
        0, 0, 1'000'000),
    duration<&Command::eta_newline_ns>({"eta-newline=TIME", "", "start a new status line every TIME"}, 1'000'000'000),
    special<status_interval>({"status-interval=TIME", "", "print a report every TIME while the jobs run"},
                             Type::duration, 0, 0, 1'000'000'000),
    flag<&Command::readonly>({"readonly", "", "refuse every job that writes or trims"}),
    special<max_jobs>({"max-jobs=N", "", "accepted, ignored, as in fio: the limit is 4096 jobs"}, Type::count),
    special<latency_log>({.names = "latency-log=F", .status = Status::hidden}, Type::text),
    special<no_effect>({"alloc-size=KB", "", "accepted, ignored"}, Type::text),
    special<debug>({"debug=LIST", "", "print those debug messages of fio that scripts read"}, Type::list, 0, 0, 0,
                   false, kDebug),
    choice<&Command::idle_prof>({"idle-prof=HOW", "", "report the idle time of the CPUs"}, kIdleProf),
    flag<&Command::warnings_fatal>({"warnings-fatal", "", "refuse jobs with options that cause a finding"}),
    special<bandwidth_log>(
        {"bandwidth-log=[PREFIX]", "agg", "log the bandwidth of all jobs together: PREFIX-read_bw.log"}, Type::text),
    text<&Command::aux_path>(
        {"aux-path=DIR", "", "directory of verify state files and dumps (default: the working directory)"}),
    text<&Command::trigger_file>(
        {"trigger-file=FILE", "", "when FILE exists, remove it, save the verify states of all jobs, and stop them"}),
    duration<&Command::trigger_timeout_ns>({"trigger-timeout=TIME", "", "the same after TIME"}, 1'000'000'000),
    text<&Command::trigger_command>(
        {"trigger=COMMAND", "", "run COMMAND in a shell when a trigger has stopped the jobs"}),
    text<&Command::inflate_log>({"inflate-log=FILE", "", "print a log of log_store_compressed=1"}),
    flag<&Command::cpuclock_test>(
        {"cpuclock-test", "", "test the CPU clock across CPUs and print fio's text, run nothing"}),
    flag<&Command::version>({"version v", "", "print the version"}),
    flag<&Command::help>({"help h", "", "print this page"}),
};

constexpr Row kFathoms[] = {
    count<&Command::repeat>(
        {"repeat=N", "1", "run all jobs N times; report mean, deviation, median, 95 % interval and each result"}, 1,
        1'000'000),
    flag<&Command::repeat_same>(
        {"repeat-same", "", "use the same random offsets and sizes in each repetition (default: new ones)"}),
    gone("schema=N", kSchemaIsGone),
    flag<&Command::explain_compat>({"explain-compat", "", "list what these jobs do differently from fio, run nothing"}),
    bytes<&Command::log_memory_bytes>({"log-memory=SIZE", "",
                                       "memory for lines of per-I/O logs; further lines are written to disk during "
                                       "the run (default: an eighth of the machine's memory, at most 1g)"},
                                      1, kMaxU64),
    special<set_option>({"set=NAME=VALUE", "", "set an option in every job, over the job file (repeatable)"},
                        Type::text),
    special<brief>({"brief", "", "as --output-format=brief: rates, latencies and the result of the checks"},
                   Type::flag),
    special<verbose>({"verbose", "", "as --output-format=verbose: the report, and what it omits or shortens"},
                     Type::flag),
    flag<&Command::plot>({"plot", "", "add plots to the report: histograms, percentiles, rate over time"}),
    text<&Command::report>({"report=FILE", "", "also write an HTML report to FILE"}),
    flag<&Command::force>({"force", "", "overwrite a file that fathom did not write"}),
    flag<&Command::strict>({"strict", "", "exit with status 1 when the checks fail"}),
    flag<&Command::keep>({"keep", "", "after the report, store the run in the history (fathom history)"}),
    text<&Command::history>(
        {"history=FILE", "", "with --keep: file of the history (default: $XDG_DATA_HOME/fathom/history.db)"}),
    special<read_live<&Command::live>>({"live=WHAT", "", kLiveHelp}, Type::text),
    flag<&Command::settle>({"settle", "", "wait until the machine and the targets are idle before each run"}),
    choice<&Command::fio_stamps>({"stamps=WHERE", "fathom", "take the issue time of an I/O"}, kStamps),
    choice<&Command::clock_check>({"clock-check=HOW", "cached", "test the CPU clock across CPUs before the run"},
                                  kClockChecks),
    special<audit>({"audit=LIST", "auto", "compare the byte counts with other counters"}, Type::list, 0, 0, 0, false,
                   kWays),
    positive<&Command::unit_bytes>(
        {"unit-bytes=N", "", "bytes per increment of the PCIe counter, in place of the built-in table"}),
    special<breakdown>(
        {"breakdown=[HOW]", "auto",
         "divide latencies into program, throttling, queue, device, flush and CPU wait, with kernel tracepoints"},
        Type::choice, 0, 0, 0, false, kBreakdowns),
    special<cost>({"cost=[TIME]", "",
                   "run the jobs for TIME before the measurement, to measure probe overhead (default: 10s per stage)"},
                  Type::duration, kLeastCost_ns, kMaxU64, 1'000'000'000),
    special<allow_destructive>({"allow-destructive=DEV", "",
                                "allow writes to a block device that is in use or holds data; DEV:mounted if it is "
                                "mounted, DEV:swap if it is active swap"},
                               Type::text),
};

constexpr Row not_built(std::string_view names) {
  return {{.names = names, .help = "an option of fio, not supported yet", .status = Status::not_built}};
}
constexpr Row kNotBuilt[] = {
    not_built("server=[ARGS]"),
    not_built("daemonize=FILE"),
    not_built("client=HOST"),
    not_built("remote-config=F"),
    not_built("crctest=[TYPE]"),
    not_built("memcpytest=[TYPE]"),
    not_built("merge-blktrace-only"),
    {{.names = "trigger-remote=COMMAND",
      .help = "an option of fio for servers, not supported",
      .status = Status::not_built}},
};

constexpr Group kGroups[] = {{"", kFios}, {"fathom's own", kFathoms}, {"not built", kNotBuilt}};

}  // namespace

std::span<const Group> switches() { return kGroups; }

const Row* find_switch(std::string_view name) {
  for (const auto& group : kGroups)
    for (const auto& row : group.rows)
      if (name.size() > 1 && row.is_called(name)) return &row;
  return nullptr;
}

}  // namespace fathom::job
