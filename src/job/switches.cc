// A comma list of names is read against the row's choices, where "pmu:" is any name behind it.
#include "job/switches.h"

#include <algorithm>

#include "base/parse.h"
#include "options/rows.h"

namespace fathom::job {
namespace {

using namespace options;

Outcome output_format(Command& command, const Value& value) {
  for (const auto part : split(value.text, ','))
    if (part == "terse")
      return wrong("fio's terse output is not built in fathom yet", "", "write `--output-format=json` or `json+`", part,
                   base::ErrorKind::not_built);
  return read_names(value, command.output_formats);
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
  for (const auto part : split(value.text, ','))
    if (part != "parse")
      return wrong(fmt::format("fio's debug output `{}` is not built in fathom yet", part), "", "write `--debug=parse`",
                   part, base::ErrorKind::not_built);
  command.debug_parse = true;
  return {};
}

// A list, and one name: a device may have commas in its own (a socket's path, options of a controller in software).
Outcome allow_destructive(Command& command, const Value& value) {
  if (value.text.find(',') != std::string_view::npos) command.allow_destructive.emplace_back(value.text);
  for (const auto part : split(value.text, ','))
    if (!part.empty()) command.allow_destructive.emplace_back(part);
  return {};
}

// As in fio, the limit is 4096 whatever is written here.
Outcome max_jobs(Command&, const Value& value) {
  const auto n = base::parse_int(value.text);
  if (n) return {};
  return wrong("not a number", n.error().what, "write a whole number, or leave it out", value.text);
}

// fio's pools of shared memory; fathom has none to make larger.
Outcome no_effect(Command&, const Value&) { return {}; }

constexpr Choice kFormats[] = {{"normal", 0, ""}, {"json", 0, ""},    {"json+", 0, ""},     {"spdk", 0, ""},
                               {"spdk-l", 0, ""}, {"spdk-ll", 0, ""}, {"spdk-stats", 0, ""}};
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
    append<&Command::sections>({"section=NAME", "", "run only this section of the job file (repeatable)"}),
    flag<&Command::parse_only>({"parse-only", "", "check the jobs, run nothing"}),
    flag<&Command::showcmd>({"showcmd", "", "print the job file as command lines, run nothing"}),
    text<&Command::cmdhelp>({"cmdhelp=[OPTION]", "", "explain one option, or list all"}),
    text<&Command::enghelp>({"enghelp=[ENGINE]", "", "list the engines, or the options of one"}),
    choice<&Command::eta>({"eta=WHEN", "auto", "status line"}, kEtas),
    flag<&Command::readonly>({"readonly", "", "refuse every job that writes or trims"}),
    special<max_jobs>({"max-jobs=N", "", "without effect, as in fio: the limit is 4096 jobs"}, Type::count),
    special<no_effect>({"alloc-size=KB", "", "without effect: there are no pools to size"}, Type::text),
    special<debug>({"debug=parse", "", "show how each option was understood"}, Type::list),
    flag<&Command::cpuclock_test>(
        {"cpuclock-test", "", "test the CPU clock across CPUs, in fio's words, instead of a run"}),
    flag<&Command::version>({"version v", "", "print the version"}),
    flag<&Command::help>({"help h", "", "print this page"}),
};

constexpr Row kFathoms[] = {
    count<&Command::repeat>(
        {"repeat=N", "1", "run everything N times: mean, deviation, median, 95 % interval, all raw results"}, 1,
        1'000'000),
    count<&Command::schema>({"schema=N", "", "write JSON of the schema before the newest, by its number"}, 1, 1000),
    flag<&Command::settle>({"settle", "", "wait until the machine and the targets are idle before each run"}),
    choice<&Command::fio_stamps>({"stamps=WHERE", "fathom", "where the issue time is taken"}, kStamps),
    choice<&Command::clock_check>({"clock-check=HOW", "cached", "the CPU clock's cross-core test before a run"},
                                  kClockChecks),
    special<audit>({"audit=LIST", "auto", "what holds the bytes against other counters"}, Type::list, 0, 0, 0, false,
                   kWays),
    positive<&Command::unit_bytes>(
        {"unit-bytes=N", "", "bytes of one increment of the PCIe counter, instead of the table's"}),
    flag<&Command::breakdown>(
        {"breakdown", "", "divide latencies into submit, queue, device and completion, by the kernel's tracepoints"}),
    special<allow_destructive>({"allow-destructive=DEV", "",
                                "allow writing to a block device that is in use or holds data; DEV:mounted, DEV:swap: "
                                "although it is mounted, is active swap"},
                               Type::text),
};

constexpr Row not_built(std::string_view names) {
  return {{.names = names, .help = "fio's, not built yet", .status = Status::not_built}};
}
constexpr Row kNotBuilt[] = {
    not_built("minimal"),           not_built("append-terse"),        not_built("terse-version=N"),
    not_built("bandwidth-log=[F]"), not_built("latency-log=F"),       not_built("status-interval=TIME"),
    not_built("eta-interval=TIME"), not_built("eta-newline=T"),       not_built("warnings-fatal"),
    not_built("server=[ARGS]"),     not_built("daemonize=FILE"),      not_built("client=HOST"),
    not_built("remote-config=F"),   not_built("crctest=[TYPE]"),      not_built("memcpytest=[TYPE]"),
    not_built("idle-prof=HOW"),     not_built("inflate-log=F"),       not_built("trigger-file=F"),
    not_built("trigger-timeout=T"), not_built("trigger=COMMAND"),     not_built("trigger-remote=COMMAND"),
    not_built("aux-path=DIR"),      not_built("merge-blktrace-only"),
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
