// perf's short options take their value attached (-r3), apart (-r 3) or after `=`; the first word that is no option
// begins the command, `--` ends the options.
#include "cli/pmu_stat_options.h"

#include <algorithm>

#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/pmu_stat_slots.h"

namespace fathom::cli {
namespace {

constexpr Flag kFlags[] = {
    {"-e", "EVENTS", "what to count, as perf names it: pmu/event,term=value/, cycles, sched:sched_switch, {a,b}:u"},
    {"--event", "EVENTS", "the same"},
    {"-a", "", "count every CPU, not the command alone"},
    {"--all-cpus", "", "the same"},
    {"-r", "N", "run the command N times: mean and its deviation"},
    {"--repeat", "N", "the same"},
    {"-I", "MS", "a table every MS milliseconds (at least 10), of what was counted in between"},
    {"--interval-print", "MS", "the same"},
    {"-x", "SEP", "fields separated by SEP, in perf's order"},
    {"--field-separator", "SEP", "the same"},
    {"-j", "", "JSON; with -I an object a line: the intervals, and the whole run last"},
    {"--json-output", "", "the same"},
    {"--output-format", "FORMAT", "text, csv (comma and a line of names) or json"},
    {"-o", "FILE", "write the report there and not to standard error; - is standard output"},
    {"--output", "FILE", "the same"},
    {"--append", "", "add to the end of the file of -o"},
    {"--unit-bytes", "N", "bytes of one increment of a PCIe bandwidth event, in place of the rule's"},
    {"--pinned", "", "an event keeps its counter or is not counted: never shared, never scaled"},
    {"--slots", "[MS]",
     "events take the counter in turns of MS on average, in an order drawn anew: an estimate with an interval; "
     "without MS: as short as costs little. Software events and tracepoints need no counter and are counted all the "
     "time"},
    {"--slots2", "MS", "turns of a second length as well: a count that changes with the length is flagged as aliased"},
    {"--slot-jitter", "PERCENT", "how far lengths are drawn from the mean (25); 0: fixed, in turn, to show aliasing"},
    {"--passes", "", "run the command once for every event, so that each has its counter to itself: exact counts"},
};
constexpr Manual kManual{
    "fathom pmu stat", "-e EVENTS [options] [--] COMMAND [arguments]\n       fathom pmu stat -a -e EVENTS [options]",
    "Counts events while COMMAND runs, or on the whole machine (-a) until Ctrl-C. Events of a PMU outside the\n"
    "processor (a PCIe port, a memory controller) count the whole machine even without -a.\n"
    "The exit status is the command's; 128 + the signal that ended it, 127 if it could not be started.\n",
    kFlags};

const Flag* find_flag(std::string_view name) {
  const auto found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : &*found;
}

// "-r3" -> "-r=3".
std::string with_equals(const std::string& arg) {
  if (arg.size() < 3 || arg[1] == '-' || arg[2] == '=') return arg;
  const Flag* flag = find_flag(std::string_view(arg).substr(0, 2));
  return flag == nullptr || flag->value.empty() ? arg : arg.substr(0, 2) + "=" + arg.substr(2);
}

// "--slots" takes its value behind `=` or none: the next word is no part of it.
bool may_stand_alone(const Flag& flag) { return flag.value.starts_with('['); }

// Splits options from the command.
std::vector<std::string> take_options(std::span<const std::string> args, std::vector<std::string>& command) {
  std::vector<std::string> options;
  std::size_t at = 0;
  for (; at < args.size(); ++at) {
    if (args[at].size() < 2 || args[at][0] != '-') break;
    if (args[at] == "--") {
      ++at;
      break;
    }
    options.push_back(with_equals(args[at]));
    const Flag* flag = find_flag(args[at]);
    if (flag == nullptr || flag->value.empty()) continue;
    if (may_stand_alone(*flag)) {
      options.back() += "=auto";
    } else if (at + 1 < args.size()) {
      options.back() += "=" + args[++at];
    }
  }
  command.assign(args.begin() + static_cast<std::ptrdiff_t>(at), args.end());
  return options;
}

const std::string* either(const Given& given, std::string_view a, std::string_view b) {
  const std::string* first = given.last(a);
  return first != nullptr ? first : given.last(b);
}

base::Expected<std::uint64_t> number_of(const Given& given, std::string_view a, std::string_view b,
                                        std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const auto value = number_flag(given, given.has(a) ? a : b, fallback, least, most);
  if (!value) return value.error();
  return static_cast<std::uint64_t>(*value);
}

base::Expected<void> read_format(const Given& given, StatOptions& options) {
  if (const auto* separator = either(given, "-x", "--field-separator")) {
    options.format = StatFormat::csv;
    options.separator = *separator == "\\t" ? "\t" : *separator;
  }
  if (given.has("-j") || given.has("--json-output")) options.format = StatFormat::json;
  const std::string* name = given.last("--output-format");
  if (name == nullptr) return {};
  if (*name == "csv") options.header = true;
  if (*name == "csv" || *name == "json" || *name == "text") {
    options.format = *name == "csv" ? StatFormat::csv : *name == "json" ? StatFormat::json : StatFormat::text;
    return {};
  }
  return usage_error("--output-format=" + *name + ": no such format", "", "text, csv or json");
}

base::Expected<void> read_unit(const Given& given, StatOptions& options) {
  const std::string* text = given.last("--unit-bytes");
  if (text == nullptr) return {};
  const auto value = base::parse_double(*text);
  if (!value || *value <= 0)
    return usage_error("--unit-bytes=" + *text + ": not a number above 0", "", "16: an increment is 16 bytes");
  options.unit_bytes = *value;
  return {};
}

base::Expected<void> check(const StatOptions& options) {
  if (options.events.empty()) return usage_error("nothing to count", "", "-e EVENTS; `fathom pmu list` shows them");
  if (options.command.empty() && !options.all_cpus)
    return usage_error("no command to count", "", "write one behind the options, or -a for the whole machine");
  if (options.command.empty() && (options.runs > 1 || options.passes))
    return usage_error("-r and --passes repeat a command, and there is none", "", "write one behind the options");
  if (options.interval_ms > 0 && (options.runs > 1 || options.passes))
    return usage_error("-I shows one run, -r and --passes several", "", "leave one of them out");
  if (options.slots && (options.runs > 1 || options.passes || options.interval_ms > 0 || options.pinned))
    return usage_error("--slots estimates one window", "-r, -I, --passes and --pinned count in other ways",
                       "leave one of them out");
  return {};
}

}  // namespace

std::string stat_help() { return manual_text(kManual); }

base::Expected<StatOptions> read_stat_options(std::span<const std::string> args) {
  constexpr std::int64_t kMostRuns = 100'000, kMostMs = 86'400'000, kLeastMs = 10;
  StatOptions options;
  const auto written = take_options(args, options.command);
  const auto given = read_flags(kManual, written);
  if (!given) return given.error();
  options.help = given->help;
  if (options.help) return options;
  for (const auto& [flag, value] : given->flags)
    if (flag == "-e" || flag == "--event") options.events += (options.events.empty() ? "" : ",") + value;
  options.all_cpus = given->has("-a") || given->has("--all-cpus");
  options.pinned = given->has("--pinned");
  options.passes = given->has("--passes");
  options.append = given->has("--append");
  if (const auto* file = either(*given, "-o", "--output")) options.output = *file;
  const auto runs = number_of(*given, "-r", "--repeat", 1, 1, kMostRuns);
  const auto interval = number_of(*given, "-I", "--interval-print", 0, kLeastMs, kMostMs);
  if (!runs) return runs.error();
  if (!interval) return interval.error();
  options.runs = static_cast<unsigned>(*runs);
  options.interval_ms = *interval;
  auto slots = read_slot_options(*given);
  if (!slots) return slots.error();
  options.slots = std::move(*slots);
  for (const auto step : {read_format, read_unit})
    if (auto done = step(*given, options); !done) return done.error();
  if (auto done = check(options); !done) return done.error();
  return options;
}

}  // namespace fathom::cli
