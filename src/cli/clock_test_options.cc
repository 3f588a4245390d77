// Options of `fathom clock test`, a row each.
#include "cli/clock_test_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/cpu_list.h"
#include "base/parse.h"

namespace fathom::cli {
namespace {

using Outcome = base::Expected<void>;

base::Error usage(std::string what, std::string cause, std::string help) {
  base::Error e;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

Outcome read_cpus(ClockTestOptions& o, std::string_view value, const std::vector<unsigned>& usable) {
  const auto list = base::parse_cpu_list(value);
  o.cpus.clear();
  for (const int cpu : list.written())
    if (!std::binary_search(usable.begin(), usable.end(), static_cast<unsigned>(cpu)))
      return usage(fmt::format("--cpus={}: CPU {} may not be used", value, cpu),
                   "it is not there, or the affinity mask or the container leaves it out",
                   fmt::format("this process may use: {}", fmt::join(usable, ",")));
  if (!list.ok())
    return usage(fmt::format("--cpus={}: `{}` is no CPU or range of CPUs", value, list.wrong), "",
                 "write `--cpus=0,2-5`");
  for (const int cpu : list.sorted()) o.cpus.push_back(static_cast<unsigned>(cpu));
  return {};
}

Outcome read_entries(ClockTestOptions& o, std::string_view value, const std::vector<unsigned>&) {
  const auto n = base::parse_int(value);
  if (!n || *n < 1 || static_cast<std::uint64_t>(*n) > clock::kMostEntries)
    return usage(fmt::format("--entries={}: not a number of entries", value), "",
                 fmt::format("write a number from 1 to {}", clock::kMostEntries));
  o.entries = static_cast<std::uint32_t>(*n);
  return {};
}

std::string barrier_names() {
  std::string names;
  for (const auto& b : clock::kBarriers)
    if (b.here()) names += fmt::format("{}, ", b.name);
  return names + "all";
}

Outcome read_barrier(ClockTestOptions& o, std::string_view value, const std::vector<unsigned>&) {
  o.barriers.clear();
  for (const auto& b : clock::kBarriers) {
    if (value == b.name && !b.here())
      return usage(fmt::format("--barrier={}: an instruction of {}", value, name(b.machine)),
                   fmt::format("this program is made for {}", name(clock::kMachine)), "one of: " + barrier_names());
    if (b.here() && (value == "all" || value == b.name)) o.barriers.push_back(b.barrier);
  }
  if (o.barriers.empty())
    return usage(fmt::format("--barrier={}: no such barrier", value), "", "one of: " + barrier_names());
  return {};
}

// "+200", "-200ns", "1us" -> ns.
std::optional<double> signed_ns(std::string_view text) {
  const bool micro = text.ends_with("us");
  if (micro || text.ends_with("ns")) text.remove_suffix(2);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = base::parse_double(text);
  if (!value || *value > 1e15 || *value < -1e15) return std::nullopt;
  return *value * (micro ? 1000 : 1);
}

Outcome read_injection(ClockTestOptions& o, std::string_view value, const std::vector<unsigned>&) {
  const std::size_t first = value.find(':');
  const std::size_t second = first == std::string_view::npos ? first : value.find(':', first + 1);
  AskedInjection injection;
  const auto cpu = base::parse_int(value.substr(0, first));
  const auto ns =
      first == std::string_view::npos
          ? std::nullopt
          : signed_ns(value.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  std::string_view drift = second == std::string_view::npos ? "0" : value.substr(second + 1);
  if (drift.starts_with('+')) drift.remove_prefix(1);
  if (drift.ends_with("ppm")) drift.remove_suffix(3);
  const auto ppm = base::parse_double(drift);
  if (!cpu || *cpu < 0 || *cpu > 0xFFFF || !ns || !ppm || *ppm > 1e5 || *ppm < -1e5)
    return usage(fmt::format("--inject={}: not an injection", value), "it is CPU:OFFSET[ns|us][:DRIFT in ppm]",
                 "write `--inject=1:+200ns` or `--inject=1:0:-50`");
  injection.cpu = static_cast<unsigned>(*cpu);
  injection.offset_ns = *ns;
  injection.drift_ppm = *ppm;
  if (std::any_of(o.injections.begin(), o.injections.end(), [&](const auto& i) { return i.cpu == injection.cpu; }))
    return usage(fmt::format("--inject={}: CPU {} has an injection", value, injection.cpu), "one CPU has one clock",
                 "write its offset and its drift in one: `--inject=1:+200ns:-50`");
  o.injections.push_back(injection);
  return {};
}

struct Row {
  std::string_view name;
  Outcome (*read)(ClockTestOptions&, std::string_view value, const std::vector<unsigned>& usable);
};
constexpr Row kValued[] = {
    {"--cpus", read_cpus}, {"--entries", read_entries}, {"--barrier", read_barrier}, {"--inject", read_injection}};

Outcome check(const ClockTestOptions& o) {
  if (o.cpus.empty()) return usage("no CPU to test", "", "name at least one with --cpus");
  if (o.cpus.size() * o.entries > clock::kMostEntries)
    return usage(fmt::format("--entries={}: too many for {} CPUs", o.entries, o.cpus.size()),
                 "an entry takes 16 bytes of memory",
                 fmt::format("write at most {}", clock::kMostEntries / o.cpus.size()));
  for (const auto& i : o.injections)
    if (!std::binary_search(o.cpus.begin(), o.cpus.end(), i.cpu))
      return usage(fmt::format("--inject: CPU {} is not tested", i.cpu), "",
                   fmt::format("the CPUs of this test are {}", fmt::join(o.cpus, ",")));
  return {};
}

}  // namespace

base::Expected<ClockTestOptions> parse_clock_test(std::span<const std::string> args,
                                                  const std::vector<unsigned>& usable) {
  ClockTestOptions options;
  options.cpus = usable;
  options.entries = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--json" || arg == "--help" || arg == "-h") {
      (arg == "--json" ? options.json : options.help) = true;
      continue;
    }
    const std::size_t equals = arg.find('=');
    const auto row = std::find_if(std::begin(kValued), std::end(kValued),
                                  [&](const Row& r) { return r.name == arg.substr(0, equals); });
    if (row == std::end(kValued))
      return usage(fmt::format("no option `{}`", arg), "", "`fathom clock test --help` lists them");
    if (equals == std::string_view::npos && i + 1 == args.size())
      return usage(fmt::format("{}: a value is missing", arg), "", fmt::format("write `{}=...`", arg));
    const std::string_view value = equals == std::string_view::npos ? args[++i] : arg.substr(equals + 1);
    if (auto ok = row->read(options, value, usable); !ok) return ok.error();
  }
  if (options.entries == 0) options.entries = clock::full_entries(options.cpus.size());
  if (auto ok = check(options); !ok) return ok.error();
  return options;
}

std::string clock_test_help() {
  return fmt::format(
      "usage: fathom clock test [options]\n\n"
      "Takes time stamps on all CPUs in one agreed order and looks whether time ever runs backwards along it.\n\n"
      "  --cpus=LIST       CPUs to test: 0,2-5 (default: all that this process may use)\n"
      "  --entries=N       readings on each CPU (default {}, less on more than {} CPUs; fio's short test: {})\n"
      "  --barrier=NAME    what orders a reading: {}\n"
      "                    (default {}; all: a table, with the instruction that the compiler's builtin became)\n"
      "  --json            print JSON\n"
      "  --inject=CPU:OFFSET[ns|us][:PPM]\n"
      "                    make the clock of one CPU wrong on purpose: proves that the test can fail\n\n"
      "Exit status: 0 passed; 1 failed, or the CPUs could not be compared; 2 a mistake in the call.\n",
      clock::kFullEntries, clock::kMostEntries / clock::kFullEntries, clock::kBriefEntries, barrier_names(),
      row(clock::kDefaultBarrier).name);
}

}  // namespace fathom::cli
