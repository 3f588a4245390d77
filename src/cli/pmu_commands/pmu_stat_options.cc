// perf's short options accept an attached value (-r3), a separate one (-r 3) or one after `=`. The first word that is
// not an option begins the command. `--` ends the options.
#include "cli/pmu_commands/pmu_stat_options.h"

#include <fmt/format.h>

#include "base/text/parse.h"
#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "pmu/events/event_names.h"

namespace fathom::cli::pmu_commands {
namespace {

using namespace options;
using session::counters::StatPlan;

// Slot lengths are in ms on the command line and in ns in the runner. Without a length, the runner chooses one with a
// low overhead.
constexpr double kMs = 1e6, kShortestMs = 0.1, kLongestMs = 10'000, kMostJitterPercent = 90;

Outcome add_events(StatPlan& o, const Value& value) {
  o.events += (o.events.empty() ? "" : ",") + std::string(value.text);
  return {};
}

Outcome add_detail(StatPlan& o, const Value&) {
  ++o.detail;
  return {};
}

// The last option counts.
template <pmu::events::Together By>
Outcome show_by(StatPlan& o, const Value&) {
  o.together = By;
  return {};
}

constexpr Choice kStatFormats[] = {
    {"text", int(StatFormat::text), ""},
    {"csv", int(StatFormat::csv), "comma separated, with a header line"},
    {"json", int(StatFormat::json), "a document; with -I an object per line, the document last"},
    {"perf-json", int(StatFormat::perf_json), "as perf: an object per line and event"},
    {"html", int(StatFormat::html), "an HTML page, also for -o FILE.html; with -I it plots counts over time"}};
using pmu::events::Together;
constexpr Row kStatRows[] = {
    special<add_events>(
        {"event e=EVENTS", "",
         "count these events, by perf's names: pmu/event,term=value/, cycles, sched:sched_switch, {a,b}:u "
         "(default: perf's default events)"},
        Type::list),
    special<add_detail>({"detailed d", "", "add cache events; -dd and -ddd add more"}, Type::flag),
    flag<&StatPlan::all_cpus>({"all-cpus a", "", "count on all CPUs"}),
    text<&StatPlan::cpus>({"cpu C=CPUS", "", "count on these CPUs: 0,2-3"}),
    text<&StatPlan::processes>(
        {"pid p=PIDS", "",
         "count these processes while the command runs; without a command, until they end: 4711,4712"}),
    text<&StatPlan::threads>({"tid t=TIDS", "", "count these threads"}),
    special<show_by<Together::cpu>>({"no-aggr A", "", "show each CPU (with -a or -C)"}, Type::flag),
    special<show_by<Together::core>>({"per-core", "", "show each core (with -a or -C)"}, Type::flag),
    special<show_by<Together::die>>({"per-die", "", "show each die (with -a or -C)"}, Type::flag),
    special<show_by<Together::socket>>({"per-socket", "", "show each socket (with -a or -C)"}, Type::flag),
    count<&StatPlan::runs>({"repeat r=N", "1", "run the command N times; print mean and its deviation"}, 1, 100'000),
    count<&StatPlan::interval_ms>({"interval-print I=MS", "", "print the counts of each MS milliseconds (at least 10)"},
                                  10, 86'400'000),
    count<&StatPlan::delay_ms>({"delay D=MS", "0", "start counting MS milliseconds after the command starts"}, 0,
                               86'400'000),
    count<&StatPlan::timeout_ms>(
        {"timeout=MS", "", "stop the command MS milliseconds (at least 10) after counting starts"}, 10, 86'400'000),
    text<&StatOptions::separator>({"field-separator x=SEP", "", "separate fields by SEP, in perf's order"}),
    noted({"json-output j", "", "perf's JSON: an object per line and event"}),
    choice<&StatOptions::format>({"output-format=FORMAT", "text", ""}, kStatFormats),
    text<&StatOptions::output>({"output o=FILE", "", "write to FILE instead of standard error; - is standard output"}),
    text<&StatOptions::report>(
        {"report=FILE", "", "also write an HTML report to FILE; with -I it plots counts over time"}),
    flag<&StatOptions::append>({"append", "", "append to the file of -o"}),
    flag<&StatOptions::force>({"force", "", "overwrite a file that fathom did not write"}),
    positive<&StatPlan::unit_bytes>(
        {"unit-bytes=N", "", "bytes per increment of a PCIe bandwidth event, in place of the built-in rule"}),
    flag<&StatPlan::pinned>({"pinned", "", "never share a counter: an event without its own counter is not counted"}),
    noted({"slots=[MS]", "",
           "share a counter in random turns of MS on average, and print estimates with intervals (default MS: as "
           "short as the overhead allows); software events and tracepoints are counted all the time"}),
    noted({"slots2=MS", "", "also use turns of a second length; flag a count that depends on the length as aliased"}),
    noted({"slot-jitter=PERCENT", "25", "vary the length of turns by PERCENT; 0: fixed turns, to show aliasing"}),
    flag<&StatPlan::passes>({"passes", "", "run the command once per event, for exact counts"}),
};
constexpr Manual kStatManual{
    .command = "fathom pmu stat",
    .usage =
        "[-e EVENTS] [options] [--] COMMAND [arguments]\n"
        "       fathom pmu stat -a|-C CPUS|-p PIDS|-t TIDS [-e EVENTS] [options]",
    .about =
        "Counts events while COMMAND runs, or until Ctrl-C: on the whole machine (-a), on some CPUs (-C), or of "
        "running\n"
        "processes and threads (-p, -t). Events of a PMU outside the processor (a PCIe port, a memory controller)\n"
        "count the whole machine even without -a.\n"
        "The exit status is that of the command; 128 + the signal that ended it, 127 if it could not be started, 0 if\n"
        "--timeout stopped it.\n",
    .grammar = Grammar::command};

base::Expected<void> check(const StatPlan& options) {
  const bool tasks = !options.processes.empty() || !options.threads.empty();
  const bool cpus = options.all_cpus || !options.cpus.empty();
  if (options.command.empty() && !cpus && !tasks)
    return usage_error("no command to count", "",
                       "write a command after the options, or -a for the whole machine, -C for some of its CPUs, -p "
                       "for running processes");
  if (!options.processes.empty() && !options.threads.empty())
    return usage_error("-p and -t exclude each other", "", "omit one of them");
  if (options.together != Together::all && (!cpus || tasks))
    return usage_error("-A and --per-* need -a or -C", "counts of a task are not per CPU", "add -a, or -C CPUS");
  if (options.command.empty() && (options.runs > 1 || options.passes))
    return usage_error("-r and --passes repeat a command", "no command is given", "write a command after the options");
  if (options.interval_ms > 0 && (options.runs > 1 || options.passes))
    return usage_error("-I needs a single run; -r and --passes make several", "", "omit one of them");
  if (options.together != Together::all && options.passes)
    return usage_error("--passes and -A or --per-* exclude each other",
                       "each event of each CPU, core, die or socket would need its own run", "omit one of them");
  if (options.interval_ms > 0 && options.timeout_ms > 0)
    return usage_error("--timeout and -I exclude each other", "",
                       "omit one of them, or run the command under `timeout`");
  if (options.slots && (tasks || options.delay_ms > 0 || options.timeout_ms > 0 || options.together != Together::all))
    return usage_error("--slots estimates one window of a command or of the machine", "",
                       "omit -p, -t, -D, --timeout, -A and --per-*");
  if (options.slots && (options.runs > 1 || options.passes || options.interval_ms > 0 || options.pinned))
    return usage_error("--slots estimates one window", "-r, -I, --passes and --pinned count differently",
                       "omit one of them");
  return {};
}

// --output-format overrides -j, and -j overrides -x.
void settle_format(const Given& given, StatOptions& o) {
  if (o.separator == "\\t") o.separator = "\t";
  o.header = given.has("output-format") && o.format == StatFormat::csv;
  if (given.has("output-format")) return;
  if (given.has("field-separator")) o.format = StatFormat::csv;
  if (given.has("json-output")) o.format = StatFormat::perf_json;
  if (o.format == StatFormat::text && o.output.ends_with(".html")) o.format = StatFormat::html;
}

// Empty: not given, or given without a number.
base::Expected<std::optional<double>> number_in(const Given& given, std::string_view flag, double least, double most) {
  const std::string* text = given.last(flag);
  if (text == nullptr || text->empty()) return std::optional<double>();
  const auto value = base::text::parse_double(*text);
  if (value && *value >= least && *value <= most) return std::optional<double>(*value);
  return usage_error(fmt::format("--{}={}: not a number from {:g} to {:g}", flag, *text, least, most), "", "");
}

// Empty: not requested.
base::Expected<std::optional<pmu::slots::SlotRunnerOptions>> read_slot_options(const Given& given) {
  auto mean = number_in(given, "slots", kShortestMs, kLongestMs);
  auto second = number_in(given, "slots2", kShortestMs, kLongestMs);
  auto jitter = number_in(given, "slot-jitter", 0, kMostJitterPercent);
  if (!mean) return mean.error();
  if (!second) return second.error();
  if (!jitter) return jitter.error();
  if (!given.has("slots")) {
    if (!*second && !*jitter) return std::optional<pmu::slots::SlotRunnerOptions>();
    return usage_error("--slots2 and --slot-jitter need --slots", "--slots is not given", "--slots=4 --slots2=7");
  }
  if (*second && !*mean) return usage_error("--slots2 needs a first length in --slots", "", "--slots=4 --slots2=7");
  pmu::slots::SlotRunnerOptions options;
  pmu::slots::SlotPlan& plan = options.plans.front();
  if (*jitter) plan.jitter = **jitter / 100;
  if (*mean) plan.mean_ns = **mean * kMs, options.cpu_share = 0;
  if (*second) options.plans.push_back({**second * kMs, options.plans.front().jitter});
  return std::optional(std::move(options));
}

}  // namespace

// The names of events that every machine has are values of the first row.
const Manual& pmu_stat_manual() {
  static const auto names = pmu::events::generic_names();
  static const std::vector<Choice> events = [] {
    std::vector<Choice> all;
    all.reserve(names.size());
    for (const auto& name : names) all.push_back({name, 0, ""});
    return all;
  }();
  static const std::vector<Row> rows = [] {
    std::vector<Row> all(std::begin(kStatRows), std::end(kStatRows));
    all[0].choices = events;
    all[0].examples = true;
    return all;
  }();
  static const Group groups[] = {{"", rows}};
  static const Manual manual = [] {
    Manual with_events = kStatManual;
    with_events.groups = groups;
    return with_events;
  }();
  return manual;
}

base::Expected<StatOptions> read_stat_options(std::span<const std::string> args) {
  StatOptions o;
  auto given = read_command_line(pmu_stat_manual(), args, Targets(o, o.plan));
  if (!given) return given.error();
  o.help = given->help;
  if (o.help) return o;
  o.plan.command = std::move(given->command);
  settle_format(*given, o);
  if (o.append && o.format == StatFormat::html)
    return given->placed(usage_error("--append cannot add to an HTML page", "a page is one document",
                                     "omit --append, or choose another --output-format"));
  auto slots = read_slot_options(*given);
  if (!slots) return given->placed(slots.error());
  o.plan.slots = std::move(*slots);
  if (auto done = check(o.plan); !done) return given->placed(done.error());
  return o;
}

}  // namespace fathom::cli::pmu_commands
