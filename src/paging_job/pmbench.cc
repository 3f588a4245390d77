// pmbench parses its line with argp_parse(3). Grammar::getopt has the same rules. Options may follow the duration, be
// combined (-ci), be shortened (--map=64) and be repeated. The last one counts, except that each -y adds a set.
#include "paging_job/pmbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "base/system/affinity.h"
#include "base/system/numa.h"
#include "base/text/parse.h"
#include "options/command_line.h"
#include "options/rows.h"
#include "paging_job/rows.h"
#include "paging_job/values.h"
#include "result/findings/rows.h"

namespace fathom::paging_job {
namespace {

using namespace options;
using paging::AccessMode, paging::PatternPlan, paging::Plan, paging::RegionPlan, paging::Stamps, paging::TouchPlan;
using Done = base::Expected<void>;

constexpr double kShape = 1.00001;
constexpr std::uint64_t kMostMib = 1ull << 27, kMostInt = 2147483647;  // the limits of pmbench's own numbers
constexpr std::int64_t kLeastInt = -2147483648;

template <auto Member>
constexpr Row mib(Texts texts) {
  return {texts, Type::count, 1, kMostMib, 0, false, {}, [](const Targets& targets, const Value& value) {
            std::uint64_t read = 0;
            auto problem = read_number(value, read);
            if (!problem) member<Member>(targets) = read << 20;
            return problem;
          }};
}

constexpr std::string_view kPmbenchPatterns[] = {"linear", "uniform", "normal", "normal_ih", "pareto", "zipf"};

Outcome read_pmbench_pattern(PatternPlan& pattern, const Value& value) {
  const auto bare = value.text.starts_with("legacy:") ? value.text.substr(7) : value.text;
  if (std::find(std::begin(kPmbenchPatterns), std::end(kPmbenchPatterns), bare) == std::end(kPmbenchPatterns))
    return wrong("not a value of " + value.name(),
                 fmt::format("the values are {}, or legacy: and one of them", fmt::join(kPmbenchPatterns, ", ")),
                 base::did_you_mean(value.text, kPmbenchPatterns, "write one of them"), value.text);
  pattern.name = value.text;
  return {};
}

// Any number below 0 means a random word.
Outcome read_pmbench_offset(PatternPlan& pattern, const Value& value) {
  const auto number = base::text::parse_int(value.text);
  if (!number || *number < kLeastInt || *number > 1023)
    return wrong("not the number of a word in a page", "a page has 1024 words of 4 bytes", "write `-o 0` to `-o 1023`",
                 value.text);
  pattern.offset_words = std::max<std::int64_t>(-1, *number);
  return {};
}

Outcome be_quiet(const Targets& targets, const Value&) {
  targets.get<Request>().quiet = true;
  targets.get<ReportOptions>().eta = job::Eta::never;
  return {};
}

Outcome fill_at_random(RegionPlan& region, const Value&) {
  region.fill = paging::Fill::random;
  region.fill_map = true;
  return {};
}

std::vector<int> nodes_of(const std::vector<int>& cpus) {
  std::vector<int> nodes;
  for (const int node : base::system::memory_nodes()) {
    const auto of_node = base::system::node_cpus(node);
    const bool used = std::any_of(cpus.begin(), cpus.end(),
                                  [&](int c) { return std::find(of_node.begin(), of_node.end(), c) != of_node.end(); });
    if (used) nodes.push_back(node);
  }
  return nodes;
}

// As numa_parse_cpustring_all(3): "0,2-5", "all", and "!0-3" for all except these.
Outcome read_cpu_string(const Value& value, std::vector<int>& cpus) {
  cpus = base::system::allowed_cpus();
  if (value.text == "all") return {};
  if (!value.text.starts_with('!')) return read_cpus(value, cpus);
  std::vector<int> without;
  if (auto problem = read_numbers(value.part(value.text.substr(1)), without)) return problem;
  std::erase_if(cpus, [&](int cpu) { return std::find(without.begin(), without.end(), cpu) != without.end(); });
  if (!cpus.empty()) return {};
  return wrong("no CPU is left", "", "`-y all`", value.text);
}

// "0-3:2": two threads on these CPUs, with their memory on the nodes of these CPUs. Without a number: one thread per
// CPU. In pmbench each set has a separate map; here it has a separate process.
Outcome read_affinity(Plan& plan, const Value& value) {
  const auto colon = value.text.find(':');
  std::vector<int> cpus;
  if (auto problem = read_cpu_string(value.part(value.text.substr(0, colon)), cpus)) return problem;
  std::uint64_t threads = cpus.size();
  if (colon != std::string_view::npos)
    if (auto problem = read_number(value.part(value.text.substr(colon + 1)), threads)) return problem;
  plan.process_threads.push_back(static_cast<int>(threads));
  plan.process_nodes.push_back(nodes_of(cpus));
  plan.processes = static_cast<int>(plan.process_nodes.size());
  plan.thread_cpus.insert(plan.thread_cpus.end(), threads, cpus);
  return {};
}

constexpr Choice kPmbenchAccesses[] = {{"histo", int(AccessMode::histogram), ""},
                                       {"touch", int(AccessMode::touch), ""}};
constexpr Choice kPmbenchStamps[] = {{"rdtscp", int(Stamps::rdtscp), ""},
                                     {"rdtsc", int(Stamps::rdtsc), ""},
                                     {"perfc", int(Stamps::clock_gettime), "clock_gettime"}};

constexpr Row kPmbenchRows[] = {
    mib<&RegionPlan::map_bytes>({"mapsize m=MIB", "256", "map"}),
    mib<&RegionPlan::set_bytes>({"setsize s=MIB", "128", "its part that is touched"}),
    choice<&TouchPlan::mode>({"access a=HOW", "histo", ""}, kPmbenchAccesses),
    special<read_pmbench_pattern>(
        {"pattern p=NAME", "",
         "linear, uniform (default), normal, normal_ih, pareto, zipf; legacy:NAME for pmbench's own"},
        Type::text),
    special<read_shape>({"shape e=X", "1.00001", "the pattern's parameter"}, Type::real),
    count<&TouchPlan::delay_ticks>({"delay d=TICKS", "0", "delay between accesses; 10 or fewer: no delay"}, 0,
                                   kMostInt),
    special<be_quiet>({"quiet q", "", "no status line"}, Type::flag),
    flag<&Plan::warmup, true>({"cold c", "", "no warm-up"}),
    choice<&TouchPlan::stamps>({"timestamp t=NAME", "rdtscp", ""}, kPmbenchStamps),
    percent<&PatternPlan::read_percent>({"ratio r=PERCENT", "50", "reads"}),
    special<read_pmbench_offset>({"offset o=N", "-1", "word of the page, 0 to 1023; any below 0: random"}, Type::count),
    special<fill_at_random>({"initialize i", "", "fill the map with random bytes first"}, Type::flag),
    count<&TouchPlan::mark_above_ns>(
        {"threshold h=NS", "", "write a line to the kernel's trace_marker for slower accesses"}, 0, kMostInt),
    flag<&TouchPlan::load_before_store>({"wrneedsrd z", "", "what is written was read first"}),
    text<&ReportOptions::xml_file>({"file f=FILE", "", "write the XML report there"}),
    flag<&ReportOptions::force>({"force", "", "overwrite a file that fathom did not write"}),
    count<&Plan::threads>({"jobs j=N", "1", "threads"}, 1, 4096),
    special<read_affinity>({"affinityset y=CPUS[:THREADS]", "",
                            "threads on these CPUs (0,2-5, all, !0), memory on their nodes; several sets: a map and "
                            "separate threads for each; not with -j"},
                           Type::count, 1, 4096),
    {{.names = "x",
      .note = "an option of pmbench (xalloc), which its own build has switched off",
      .status = Status::not_built}},
    {{.names = "X",
      .note = "an option of pmbench (xalloc), which its own build has switched off",
      .status = Status::not_built}},
    noted({"help ?", "", "this list"}),
    noted({"usage", "", "a line"}),
    noted({"version V", "", "fathom's version"}),
};
constexpr Group kPmbenchOptions[] = {{"", kPmbenchRows}};
constexpr Manual kPmbenchManual{
    .command = "pmbench",
    .usage = "[options] SECONDS",
    .about = "pmbench's command line, measured by fathom; `fathom paging --help` has more.\n",
    .groups = kPmbenchOptions,
    .grammar = Grammar::getopt};

void settle_threads(paging::Plan& plan) {
  auto& of_sets = plan.process_threads;
  if (of_sets.empty()) return;
  plan.threads = *std::max_element(of_sets.begin(), of_sets.end());
  if (std::all_of(of_sets.begin(), of_sets.end(), [&](int n) { return n == plan.threads; })) of_sets.clear();
}

void settle_delay(Request& o) {
  auto& ticks = o.plan.touch.delay_ticks;
  if (ticks == 0 || ticks > paging::kNoDelay_ticks) return;
  o.findings.push_back(result::findings::found(
      "paging.no_delay", {.values = {{"delay_ticks", ticks}, {"least_ticks", paging::kNoDelay_ticks}}}));
  ticks = 0;
}

// The report has the shape as written. pmbench truncates it to whole pages if it is in pages, and ignores it otherwise.
Done settle_shape(Request& o, const Given& given) {
  auto& pattern = o.plan.pattern;
  o.shown_shape = pattern.shape;
  if (pattern.name == "uniform" || pattern.name == "normal_ih") pattern.shape.reset();
  if (pattern.name != "linear" && pattern.name != "normal") return {};
  pattern.shape = std::trunc(*pattern.shape);
  const std::uint64_t pages = o.plan.region.set_bytes >> 12;
  if (*pattern.shape >= 1 && *pattern.shape <= static_cast<double>(pages)) return {};
  const auto* value = given.last("shape");
  return usage_error(
      fmt::format("-e {}: not from 1 to {}, the pages of the set", value == nullptr ? "" : *value, pages),
      fmt::format("pmbench uses the whole pages of the value: {:.0f}, as the {}", *pattern.shape,
                  pattern.name == "linear" ? "stride" : "standard deviation"),
      "");
}

Done check(Request& o, const Given& given) {
  if (given.has("y") && given.has("j"))
    return usage_error("-y excludes -j", "", "write the number of threads after a colon: `-y 0-3:2`");
  if (o.plan.touch.mode == AccessMode::touch && o.plan.touch.mark_above_ns > 0)
    return usage_error("-h: -a touch measures no latencies", "", "omit one of them");
  auto& region = o.plan.region;
  if (region.set_bytes > region.map_bytes)
    return usage_error(
        fmt::format("-s {}: larger than the map of {} MiB", region.set_bytes >> 20, region.map_bytes >> 20), "",
        "write a smaller -s or a larger -m");
  settle_threads(o.plan);
  settle_delay(o);
  return settle_shape(o, given);
}

Done read_duration(Request& o, const std::vector<std::string>& args) {
  if (args.size() != 1)
    return usage_error(args.empty() ? "the duration is missing" : fmt::format("unexpected argument `{}`", args[1]), "",
                       "write pmbench [options] SECONDS: `pmbench -m 256 -s 128 10`");
  const auto seconds = base::text::parse_int(args[0]);
  if (!seconds || *seconds < 1 || *seconds > 30L * 86400)
    return usage_error(fmt::format("duration {}: not a whole number from 1 to {}", args[0], 30 * 86400), "", "");
  o.plan.duration_s = static_cast<double>(*seconds);
  return {};
}

}  // namespace

base::Expected<PmbenchCommand> parse_pmbench(std::span<const std::string> args) {
  PmbenchCommand command;
  auto& o = command.request;
  o.plan.pattern.shape = kShape;
  o.plan.touch.stamps = Stamps::rdtscp;
  o.stamps_given = o.map_given = o.set_given = true;
  const auto given = read_command_line(kPmbenchManual, args, targets_of(command));
  if (!given) return given.error();
  command.usage = given->has("usage");
  command.version = given->has("version");
  command.help = given->help && !command.usage && !command.version;
  if (given->help) return command;
  if (auto ok = read_duration(o, given->arguments); !ok) return ok.error();
  if (auto ok = check(o, *given); !ok) return given->placed(ok.error());
  return command;
}

const Manual& pmbench_manual() { return kPmbenchManual; }

std::string pmbench_usage() {
  std::string alone, with_value;
  for (const auto& row : kPmbenchRows) {
    if (row.letter() == 0 || row.texts.status == Status::not_built) continue;
    if (row.takes_value())
      with_value += fmt::format(" [-{} {}]", row.letter(), row.value());
    else
      alone += row.letter();
  }
  return fmt::format("usage: pmbench [-{}]{} SECONDS\n", alone, with_value);
}

}  // namespace fathom::paging_job
