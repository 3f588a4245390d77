// Options of `fathom clock test`, one row each. The help lists the barriers of this machine.
#include "cli/clock_commands/clock_test_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/parse.h"
#include "cli/report_commands/text_formats.h"
#include "options/rows.h"

namespace fathom::cli::clock_commands {
namespace {

using namespace options;

Outcome read_cpus(ClockTestOptions& o, const Value& value) {
  std::vector<int> cpus;
  const std::vector<int> usable(o.usable.begin(), o.usable.end());
  if (auto problem = read_usable_cpus(value, usable, cpus)) return problem;
  o.cpus.assign(cpus.begin(), cpus.end());
  return {};
}

std::string barrier_names() {
  std::string names;
  for (const auto& b : clock::cores::kBarriers)
    if (b.here()) names += fmt::format("{}, ", b.name);
  return names + "all";
}

Outcome read_barrier(ClockTestOptions& o, const Value& value) {
  o.barriers.clear();
  for (const auto& b : clock::cores::kBarriers) {
    if (value.text == b.name && !b.here())
      return wrong(fmt::format("barrier instruction of {}", name(b.machine)),
                   fmt::format("this program was compiled for {}", name(clock::cores::kMachine)),
                   "one of: " + barrier_names(), value.text);
    if (b.here() && (value.text == "all" || value.text == b.name)) o.barriers.push_back(b.barrier);
  }
  if (o.barriers.empty()) return wrong("unknown barrier", "", "one of: " + barrier_names(), value.text);
  return {};
}

// "+200", "-200ns", "1us" -> ns.
std::optional<double> signed_ns(std::string_view text) {
  const bool micro = text.ends_with("us");
  if (micro || text.ends_with("ns")) text.remove_suffix(2);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = base::text::parse_double(text);
  if (!value || *value > 1e15 || *value < -1e15) return std::nullopt;
  return *value * (micro ? 1000 : 1);
}

// "+50ppm", "-50"
std::optional<double> drift(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.ends_with("ppm")) text.remove_suffix(3);
  const auto ppm = base::text::parse_double(text);
  if (!ppm || *ppm > 1e5 || *ppm < -1e5) return std::nullopt;
  return *ppm;
}

Outcome read_injection(ClockTestOptions& o, const Value& value) {
  const auto parts = split(value.text, ':');
  const auto cpu = base::text::parse_int(parts[0]);
  const auto ns = parts.size() > 1 ? signed_ns(parts[1]) : std::nullopt;
  const auto ppm = parts.size() > 2 ? drift(parts[2]) : 0;
  if (!cpu || *cpu < 0 || *cpu > 0xFFFF || !ns || !ppm || parts.size() > 3)
    return wrong("invalid injection", "the form is CPU:OFFSET[ns|us][:DRIFT in ppm]",
                 "write `--inject=1:+200ns` or `--inject=1:0:-50`", value.text);
  const session::clocks::AskedInjection injection{static_cast<unsigned>(*cpu), *ns, *ppm};
  if (std::any_of(o.injections.begin(), o.injections.end(), [&](const auto& i) { return i.cpu == injection.cpu; }))
    return wrong(fmt::format("second injection for CPU {}", injection.cpu), "each CPU takes one injection",
                 "write offset and drift in one injection: `--inject=1:+200ns:-50`", value.text);
  o.injections.push_back(injection);
  return {};
}

base::Expected<void> check(const ClockTestOptions& o) {
  if (o.cpus.empty()) return usage_error("no CPU to test", "", "name at least one with --cpus");
  if (o.cpus.size() * o.entries > clock::cores::kMostEntries)
    return usage_error(fmt::format("--entries={}: too many for {} CPUs", o.entries, o.cpus.size()),
                       "an entry takes 16 bytes of memory",
                       fmt::format("write at most {}", clock::cores::kMostEntries / o.cpus.size()));
  for (const auto& i : o.injections)
    if (!std::binary_search(o.cpus.begin(), o.cpus.end(), i.cpu))
      return usage_error(fmt::format("--inject: CPU {} is not tested", i.cpu), "",
                         fmt::format("name one of the tested CPUs: {}", fmt::join(o.cpus, ",")));
  return {};
}

std::span<const Group> groups() {
  static const std::string entries = fmt::format("{}, fewer on more than {} CPUs", clock::cores::kFullEntries,
                                                 clock::cores::kMostEntries / clock::cores::kFullEntries);
  static const std::string readings =
      fmt::format("clock reads per CPU; fio's short test: {}", clock::cores::kBriefEntries);
  static const std::string barriers = fmt::format(
      "instruction that orders a clock read: {}: a table of all, and the instruction that the compiler emits for its "
      "builtin",
      barrier_names());
  static const Row rows[] = {
      special<read_cpus>({"cpus=LIST", "all that this process may use", "CPUs to test: 0,2-5"}, Type::list),
      count<&ClockTestOptions::entries>({"entries=N", entries, readings}, 1, clock::cores::kMostEntries),
      special<read_barrier>({"barrier=NAME", row(clock::cores::kDefaultBarrier).name, barriers}, Type::text),
      noted(report_commands::kJsonRow),
      noted(report_commands::kFormatRow),
      text<&ClockTestOptions::output>(report_commands::kOutputRow),
      text<&ClockTestOptions::report>({"report=FILE", "", "also write an HTML report to FILE"}),
      flag<&ClockTestOptions::force>(report_commands::kForceRow),
      special<read_injection>({"inject=CPU:OFFSET[ns|us][:PPM]", "",
                               "give the clock of one CPU a wrong offset and rate, to see the test fail"},
                              Type::text),
  };
  static const Group all[] = {{"", rows}};
  return all;
}

}  // namespace

const Manual& clock_test_manual() {
  static const Manual manual{
      .command = "fathom clock test",
      .usage = "[options]",
      .about = "Reads the clock on all CPUs in one global order, and checks that time never runs backwards along it.\n",
      .groups = groups(),
      .after =
          "Exit status: 0 passed; 1 failed, or the CPUs could not be compared; 2 a mistake in the call; 4 a FILE that\n"
          "cannot be written.\n"};
  return manual;
}

base::Expected<ClockTestOptions> parse_clock_test(std::span<const std::string> args,
                                                  const std::vector<unsigned>& usable) {
  ClockTestOptions asked;
  asked.usable = asked.cpus = usable;
  const auto given = read_command_line(clock_test_manual(), args,
                                       Targets(asked, static_cast<session::clocks::AskedClockTest&>(asked)));
  if (!given) return given.error();
  asked.help = given->help;
  if (asked.help) return asked;
  if (!given->arguments.empty())
    return usage_error(fmt::format("no option `{}`", given->arguments[0]), "", "`fathom clock test --help` lists them");
  auto formats = report_commands::formats_asked(*given, result::ClockTest());
  if (!formats) return given->placed(formats.error());
  asked.formats = std::move(*formats);
  if (asked.entries == 0) asked.entries = clock::cores::full_entries(asked.cpus.size());
  if (auto ok = check(asked); !ok) return given->placed(ok.error());
  return asked;
}

}  // namespace fathom::cli::clock_commands
