// A comma list of names is read against the row's choices, where "pmu:" is any name behind it.
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
    return wrong("bad terse version format", "there are versions 2 to 5", "write `--terse-version=3`", value.text);
  command.terse_version = static_cast<int>(*n);
  return {};
}

// auto: sysfs, /proc and a PMU; trace: tracepoints too; pmu:NAME: this PMU, whatever port the device is behind; link:
// the PMU's link events too, in turns on a counter of their own; smart: an NVMe controller's health log, by a command.
Outcome audit(Command& command, const Value& value) {
  std::vector<std::string> ways;
  if (auto problem = read_names(value, ways)) return problem;
  if (ways.size() > 1 && std::find(ways.begin(), ways.end(), "off") != ways.end())
    return wrong("`off` stands alone", "the other values ask for an audit", "write `--audit=off`", value.text);
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

// A list, and one name: a device may have commas in its own (a socket's path, options of a controller in software).
Outcome allow_destructive(Command& command, const Value& value) {
  if (value.text.find(',') != std::string_view::npos) command.allow_destructive.emplace_back(value.text);
  for (const auto part : split(value.text, ','))
    if (!part.empty()) command.allow_destructive.emplace_back(part);
  return {};
}

// What it sets is a job's, and is read with the jobs.
Outcome set_option(Command&, const Value& value) {
  if (!value.text.empty() && value.text.front() != '=') return {};
  return wrong("there is no option in it", "it sets an option of every job, whatever the jobs say",
               "write `--set=iodepth=4`", value.text);
}

// fio's words for what is too short.
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

// As in fio, the limit is 4096 whatever is written here.
Outcome max_jobs(Command&, const Value& value) {
  const auto n = base::text::parse_int(value.text);
  if (n) return {};
  return wrong("not a number", n.error().what, "write a whole number, or leave it out", value.text);
}

Outcome bandwidth_log(Command& command, const Value& value) {
  command.bandwidth_log = value.text.empty() ? "agg" : std::string(value.text);
  return {};
}

// Removed, in fio's words.
Outcome latency_log(Command&, const Value& value) {
  return wrong("--latency-log is deprecated. Use per-job latency log options", "fio has taken it out",
               "write `--write_lat_log=PREFIX` behind the job's --name", value.text);
}

// fio's pools of shared memory; fathom has none to make larger.
Outcome no_effect(Command&, const Value&) { return {}; }

constexpr Choice kFormats[] = {{"normal", 0, ""},
                               {"brief", 0, "the verdict alone"},
                               {"verbose", 0, "normal, and all that it leaves out"},
                               {"plot", 0, "drawn"},
                               {"plot-ascii", 0, "drawn without block characters"},
                               {"terse", 0, "of --terse-version"},
                               {"minimal", 0, "as terse"},
                               {"csv", 0, "as terse"},
                               {"json", 0, ""},
                               {"json+", 0, ""},
                               {"spdk", 0, ""},
                               {"spdk-l", 0, ""},
                               {"spdk-ll", 0, ""},
                               {"spdk-stats", 0, ""}};
constexpr Choice kDebug[] = {
    {"parse", 0, "how each option was understood"}, {"random", 0, "the seed of each job"},
    {"job:", 0, "N, from 0: only of this job"},     {"all", 0, "all of them"},
    {"process", 0, "accepted, says nothing"},       {"file", 0, "accepted, says nothing"},
    {"io", 0, "each I/O that was completed"},       {"mem", 0, "accepted, says nothing"},
    {"blktrace", 0, "accepted, says nothing"},      {"verify", 0, "accepted, says nothing"},
    {"diskutil", 0, "accepted, says nothing"},      {"job", 0, "accepted, says nothing"},
    {"mutex", 0, "accepted, says nothing"},         {"profile", 0, "accepted, says nothing"},
    {"time", 0, "accepted, says nothing"},          {"net", 0, "accepted, says nothing"},
    {"rate", 0, "accepted, says nothing"},          {"compress", 0, "accepted, says nothing"},
    {"steadystate", 0, "the limit of each one"},    {"helperthread", 0, "accepted, says nothing"},
    {"zbd", 0, "accepted, says nothing"},           {"sprandom", 0, "accepted, says nothing"}};
using IdleProf = Command::IdleProf;
constexpr Choice kIdleProf[] = {{"system", int(IdleProf::system), "of all CPUs together"},
                                {"percpu", int(IdleProf::percpu), "of each too"},
                                {"calibrate", int(IdleProf::calibrate), "time the unit of work, and run nothing"}};
using Breakdown = Command::Breakdown;
constexpr Choice kBreakdowns[] = {
    {"auto", int(Breakdown::by_cost), "all of them as long as that costs little, else slices"},
    {"all", int(Breakdown::all), "every I/O, whatever it costs"},
    {"slices", int(Breakdown::slices), "in drawn slices of time: nearly free"}};
constexpr Choice kStamps[] = {{"fathom", false, "before the submitting call"}, {"fio", true, "after it, as fio does"}};
constexpr Choice kClockChecks[] = {{"cached", int(ClockCheck::cached), "this boot's verdict, or else a short test"},
                                   {"full", int(ClockCheck::full), "the long test now"},
                                   {"skip", int(ClockCheck::skip), "none"}};
constexpr Choice kWays[] = {{"auto", 0, "sysfs, /proc, a PCIe PMU"},
                            {"off", 0, ""},
                            {"trace", 0, ""},
                            {"pmu", 0, ""},
                            {"pmu:", 0, "NAME"},
                            {"link", 0, "link events too"},
                            {"smart", 0, "an NVMe device's health log"}};

constexpr Row kFios[] = {
    text<&Command::output>({"output=FILE", "", "write the report to FILE"}),
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
    special<eta_interval>({"eta-interval=TIME", "500", "time between two status lines; a bare number is ms"},
                          Type::duration, 0, 0, 1'000'000),
    duration<&Command::eta_newline_ns>({"eta-newline=TIME", "", "begin a new line so often"}, 1'000'000'000),
    special<status_interval>({"status-interval=TIME", "", "a whole report so often, while the jobs run"},
                             Type::duration, 0, 0, 1'000'000'000),
    flag<&Command::readonly>({"readonly", "", "refuse every job that writes or trims"}),
    special<max_jobs>({"max-jobs=N", "", "without effect, as in fio: the limit is 4096 jobs"}, Type::count),
    special<latency_log>({.names = "latency-log=F", .status = Status::hidden}, Type::text),
    special<no_effect>({"alloc-size=KB", "", "without effect: there are no pools to size"}, Type::text),
    special<debug>({"debug=LIST", "", "show what fio's debugging shows and scripts read"}, Type::list, 0, 0, 0, false,
                   kDebug),
    choice<&Command::idle_prof>({"idle-prof=HOW", "", "report how idle the CPUs were"}, kIdleProf),
    flag<&Command::warnings_fatal>({"warnings-fatal", "", "refuse jobs whose options would leave a finding"}),
    special<bandwidth_log>({"bandwidth-log=[PREFIX]", "agg", "log what all jobs move together: PREFIX-read_bw.log"},
                           Type::text),
    text<&Command::aux_path>({"aux-path=DIR", "", "where verify's state files and dumps go; the working directory"}),
    text<&Command::trigger_file>(
        {"trigger-file=FILE", "", "when FILE is there, remove it, save the verify states of all jobs, and end them"}),
    duration<&Command::trigger_timeout_ns>({"trigger-timeout=TIME", "", "the same when the jobs have run so long"},
                                           1'000'000'000),
    text<&Command::trigger_command>({"trigger=COMMAND", "", "run by the shell when a trigger has ended the jobs"}),
    text<&Command::inflate_log>({"inflate-log=FILE", "", "print a log that log_store_compressed=1 made"}),
    flag<&Command::cpuclock_test>(
        {"cpuclock-test", "", "test the CPU clock across CPUs, in fio's words, instead of a run"}),
    flag<&Command::version>({"version v", "", "print the version"}),
    flag<&Command::help>({"help h", "", "print this page"}),
};

constexpr Row kFathoms[] = {
    count<&Command::repeat>(
        {"repeat=N", "1", "run everything N times: mean, deviation, median, 95 % interval, all raw results"}, 1,
        1'000'000),
    flag<&Command::repeat_same>(
        {"repeat-same", "",
         "of --repeat: draw the same offsets and sizes each time; else each repetition draws its own"}),
    gone("schema=N", kSchemaIsGone),
    flag<&Command::explain_compat>(
        {"explain-compat", "", "list what these jobs would do otherwise than in fio, run nothing"}),
    bytes<&Command::log_memory_bytes>({"log-memory=SIZE", "",
                                       "for lines of logs of single I/Os; beyond it they go to the log's disk while "
                                       "the jobs run; an eighth of the machine's, 1g at most"},
                                      1, kMaxU64),
    special<set_option>({"set=NAME=VALUE", "", "an option of every job, whatever is written there; may be repeated"},
                        Type::text),
    special<brief>({"brief", "", "as --output-format=brief: what was measured, and whether the checks passed"},
                   Type::flag),
    special<verbose>(
        {"verbose", "", "as --output-format=verbose: the whole report, and all that it leaves out or shortens"},
        Type::flag),
    flag<&Command::plot>({"plot", "", "draw histograms, percentile curves and series behind the report"}),
    text<&Command::report>({"report=FILE", "", "write the result as a page of HTML to FILE too"}),
    flag<&Command::force>({"force", "", "overwrite a file that fathom did not write"}),
    flag<&Command::strict>({"strict", "", "exit with status 1 when the checks of the run failed"}),
    special<read_live<&Command::live>>({"live=WHAT", "", kLiveHelp}, Type::text),
    flag<&Command::settle>({"settle", "", "wait until the machine and the targets are idle before each run"}),
    choice<&Command::fio_stamps>({"stamps=WHERE", "fathom", "where the issue time is taken"}, kStamps),
    choice<&Command::clock_check>({"clock-check=HOW", "cached", "the CPU clock's cross-core test before a run"},
                                  kClockChecks),
    special<audit>({"audit=LIST", "auto", "what holds the bytes against other counters"}, Type::list, 0, 0, 0, false,
                   kWays),
    positive<&Command::unit_bytes>(
        {"unit-bytes=N", "", "bytes of one increment of the PCIe counter, instead of the table's"}),
    special<breakdown>(
        {"breakdown=[HOW]", "auto",
         "where latencies were spent: program, limit, queue, device, flush, CPU; by the kernel's tracepoints"},
        Type::choice, 0, 0, 0, false, kBreakdowns),
    special<cost>(
        {"cost=[TIME]", "", "run the jobs for 10 s, or so long, before: what does each of those who watch cost them?"},
        Type::duration, kLeastCost_ns, kMaxU64, 1'000'000'000),
    special<allow_destructive>({"allow-destructive=DEV", "",
                                "allow writing to a block device that is in use or holds data; DEV:mounted, DEV:swap: "
                                "although it is mounted, is active swap"},
                               Type::text),
};

constexpr Row not_built(std::string_view names) {
  return {{.names = names, .help = "fio's, not built yet", .status = Status::not_built}};
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
      .help = "fio's, not built: it is for servers, and fathom has none",
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
