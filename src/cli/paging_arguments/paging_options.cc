// What only the whole command line can tell: sizes that are chosen from each other, and options that do not go
// together.
#include "cli/paging_arguments/paging_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/text/parse.h"
#include "cli/manuals.h"
#include "cli/paging_arguments/paging_rows.h"
#include "cli/paging_arguments/paging_values.h"
#include "cli/subcommand.h"
#include "options/command_line.h"

namespace fathom::cli::paging_arguments {
namespace {

// Options of `fathom paging` that come to nothing beside others. What is written and not done would stand in the report
// as a condition that was not there; so it is refused.

// given: as written; o: what was read from it. ErrorKind::usage.
base::Expected<void> check_conflicts(PagingAction action, const options::Given& given, const PagingOptions& o);

using paging::AccessMode, paging::Fill, paging::Memory, paging::SwapPlan;

struct Need {
  std::string_view flag;
  bool (*met)(const PagingOptions& o);
  const char* why;  // it comes to nothing
  const char* help;
};
constexpr auto kHot = [](const PagingOptions& o) { return o.plan.pattern.name == "hot"; };
constexpr auto kDrawn = [](const PagingOptions& o) { return o.plan.pattern.name != "trace"; };
constexpr auto kStamped = [](const PagingOptions& o) { return o.plan.touch.mode == AccessMode::histogram; };
constexpr auto kLegacy = [](const PagingOptions& o) { return o.plan.pattern.name.starts_with("legacy:"); };
constexpr auto kFilledByChance = [](const PagingOptions& o) {
  return o.plan.region.fill == Fill::random || o.plan.region.fill == Fill::compressible;
};
constexpr char kNoHotSet[] = "the pattern has no hot set", kWriteHot[] = "`--pattern=hot`";
constexpr char kInTrace[] = "a trace says it of each access", kLeave[] = "leave one of them out";
constexpr char kNoStamps[] = "there are no latencies with --access=touch";

constexpr char kByClass[] = "a breakdown needs latencies by class";

constexpr Need kBreakdownNeeds[] = {
    {"no-classify", [](const PagingOptions& o) { return o.plan.touch.classify; }, kByClass, "leave it out"},
    {"access", kStamped, kByClass, "leave it out"},
};

constexpr Need kNeeds[] = {
    {"hot-access", kHot, kNoHotSet, kWriteHot},
    {"hot-set", kHot, kNoHotSet, kWriteHot},
    {"hot-move", kHot, kNoHotSet, kWriteHot},
    {"trace-loop", [](const PagingOptions& o) { return o.plan.pattern.name == "trace"; }, "there is no trace",
     "`--pattern=trace:FILE`"},
    {"read-ratio", kDrawn, kInTrace, kLeave},
    {"offset", kDrawn, kInTrace, kLeave},
    {"permute", [](const PagingOptions& o) { return o.plan.pattern.name != "uniform"; },
     "uniform pages are uniform in any order", kLeave},
    {"permute", [](const PagingOptions& o) { return kDrawn(o) && !kLegacy(o); },
     "pages are where the trace, or pmbench, puts them", kLeave},
    {"delay",
     [](const PagingOptions& o) {
       return o.plan.touch.delay_ticks == 0 || o.plan.touch.delay_ticks > paging::kNoDelay_ticks;
     },
     "10 ticks or fewer are over before the clock is read again", "`--delay=11` or more, or 0"},
    {"seed", [](const PagingOptions& o) { return (kDrawn(o) && !kLegacy(o)) || kFilledByChance(o); },
     "pmbench's generators have seeds of their own, and a trace draws nothing",
     "leave it out; `--fill=random` draws with it"},
    {"fill-map", [](const PagingOptions& o) { return o.plan.region.fill != Fill::none; }, "nothing is filled",
     "`--fill=random`"},
    {"fill-map", [](const PagingOptions& o) { return o.plan.region.memory == Memory::anonymous; },
     "what is behind a file's set, or behind huge pages that were reserved for one, may not be there", kLeave},
    {"overwrite-file", [](const PagingOptions& o) { return o.plan.region.memory == Memory::file_shared; },
     "nothing is written to a file", "`--memory=file-shared:PATH`"},
    {"thp", [](const PagingOptions& o) { return o.plan.region.memory != Memory::hugetlb; },
     "pages of hugetlbfs are huge already", kLeave},
    {"stamps", kStamped, kNoStamps, kLeave},
    {"mark-above", kStamped, kNoStamps, kLeave},
    {"slow-above", [](const PagingOptions& o) { return kStamped(o) && o.plan.touch.classify; },
     "nothing is looked up with --no-classify or --access=touch", kLeave},
    {"only",
     [](const PagingOptions& o) {
       return !o.swaps.empty() && std::none_of(o.swaps.begin(), o.swaps.end(),
                                               [](const auto& s) { return s.kind == SwapPlan::Kind::current; });
     },
     "the swap that is on is what the run uses", "name the run's own: `--swap=zram:2G`, or `--swap=none`"},
};

base::Expected<void> check_needs(std::span<const Need> needs, const Given& given, const PagingOptions& o) {
  for (const auto& need : needs)
    if (given.has(need.flag) && !need.met(o))
      return usage_error(fmt::format("--{}: {}", need.flag, need.why), "", need.help);
  return {};
}

base::Expected<void> check_import(PagingAction action, const Given& given) {
  if (!given.has("import")) return {};
  if (action == PagingAction::breakdown)
    return usage_error("--import: a breakdown measures", "", "`fathom paging --import=FILE` shows a report again");
  for (const auto& written : given.options)
    if (!options::has_item("import output output-format", written.row->name()))
      return usage_error(fmt::format("--{}: nothing is measured with --import", written.row->name()), "",
                         "--output and --output-format stand beside it, and nothing else");
  return {};
}

base::Expected<void> check_conflicts(PagingAction action, const Given& given, const PagingOptions& o) {
  if (auto ok = check_import(action, given); !ok) return ok;
  if (action == PagingAction::breakdown)
    if (auto ok = check_needs(kBreakdownNeeds, given, o); !ok) return ok;
  if (auto ok = check_needs(kNeeds, given, o); !ok) return ok;
  if (given.has("cpus") && given.has("cpunode"))
    return usage_error("--cpunode: --cpus binds the threads already", "", kLeave);
  return {};
}

using Outcome = base::Expected<void>;  // of what only the whole line can tell
using paging::Fill;

constexpr std::uint64_t kDefaultMap_bytes = 256ull << 20;
constexpr double kDefaultDuration_s = 10;

const Manual& manual_of(PagingAction action) {
  return action == PagingAction::run ? paging_run_manual() : paging_breakdown_manual();
}

Outcome check_sizes(PagingOptions& o) {
  auto& region = o.plan.region;
  if (!o.map_given) region.map_bytes = std::max(kDefaultMap_bytes, o.set_given ? region.set_bytes : 0);
  if (!o.set_given) region.set_bytes = std::max<std::uint64_t>(4096, region.map_bytes / 2 / 4096 * 4096);
  if (region.set_bytes <= region.map_bytes) return {};
  return usage_error(fmt::format("--set: larger than the map ({} of {} bytes)", region.set_bytes, region.map_bytes), "",
                     "the set is a part of the map: write a smaller --set or a larger --map");
}

// What one half of a command line asks and the other takes back.
Outcome check_together(PagingOptions& o) {
  if (auto ok = check_sizes(o); !ok) return ok;
  const auto& region = o.plan.region;
  if (region.initial_node >= 0 && region.fill == Fill::none)
    return usage_error("--initial-node: nothing is placed without a fill", "", "add `--fill=zero` or `--fill=random`");
  if (region.initial_node >= 0 && !region.memory_nodes.empty())
    return usage_error("--initial-node: memory that is bound cannot move", "", "leave --membind out");
  return {};
}

Outcome check_run(PagingOptions& o) {
  if (auto ok = check_together(o); !ok) return ok;
  if (o.swaps.size() > 1)
    return usage_error("--swap: a run has one swap", "", "`fathom paging breakdown` compares several");
  if (!o.swaps.empty()) o.pressure.swap = o.swaps[0];
  return {};
}

// Seeds of pmbench's generators come from the thread's number, and nothing else.
void find_same_draws(PagingOptions& o) {
  const auto& pattern = o.plan.pattern.name;
  if (o.repeat < 2 || !pattern.starts_with("legacy:")) return;
  o.findings.push_back({"paging.same_draws", result::Severity::warning, "",
                        fmt::format("{} draws the same accesses in each of the {} repetitions, as pmbench does: the "
                                    "luck of the draw is not in their interval",
                                    pattern, o.repeat),
                        "patterns without legacy: draw with the next seed each time"});
}

// The load of the paper's Table 2 under what the user wrote; sizes that fit a laptop.
PagingOptions breakdown_defaults() {
  PagingOptions o;
  o.plan.region.fill = Fill::random;
  o.plan.threads = 2;
  o.plan.warmup = false;
  o.plan.duration_s = 20;
  o.repeat = 3;
  o.settle = true;
  o.pressure.limit_bytes = 512ull << 20;
  return o;
}

Outcome check_breakdown(PagingOptions& o) {
  auto& region = o.plan.region;
  if (o.swaps.empty())
    return usage_error("--swap is missing", "a breakdown compares swaps",
                       "`--swap=zram:2G,file:/var/tmp/fathom.swap:2G`");
  if (!o.map_given) region.map_bytes = o.set_given ? region.set_bytes : 2 * o.pressure.limit_bytes;
  if (!o.set_given) region.set_bytes = region.map_bytes;
  o.map_given = o.set_given = true;
  const bool clustered = std::any_of(o.pressure.settings.begin(), o.pressure.settings.end(),
                                     [](const auto& s) { return s.first == "vm.page-cluster"; });
  if (!clustered) o.pressure.settings.emplace_back("vm.page-cluster", "0");
  return check_together(o);
}

Outcome take(PagingAction action, const Given& given, PagingOptions& o) {
  if (!given.arguments.empty())
    return usage_error(fmt::format("`{}` is no option", given.arguments[0]), "",
                       base::text::parse_duration_ns(given.arguments[0], 1'000'000'000)
                           ? fmt::format("the duration is written `--duration={}`", given.arguments[0])
                           : "options begin with --");
  o.map_given = given.has("map");
  o.set_given = given.has("set");
  o.stamps_given = given.has("stamps");
  o.plan.pattern.read_percent_given = given.has("read-ratio");
  o.plan.region.seed = o.plan.pattern.seed;
  if (auto ok = check_conflicts(action, given, o); !ok) return ok;
  if (o.plan.duration_s == 0) o.plan.duration_s = kDefaultDuration_s;
  find_same_draws(o);
  if (const char* devices = std::getenv("FATHOM_ALLOW_DESTRUCTIVE"))
    for (auto& device : split(devices, ',')) o.pressure.allow_destructive.push_back(std::move(device));
  return action == PagingAction::run ? check_run(o) : check_breakdown(o);
}

}  // namespace

const Manual& paging_run_manual() {
  static const Manual manual{
      .command = "fathom paging",
      .usage = "[run] [options]",
      .about =
          "Touches memory page by page and measures how long each access takes: a hit, a minor or a major fault.\n",
      .groups = paging_rows()};
  return manual;
}

const Manual& paging_breakdown_manual() {
  static const Manual manual{
      .command = "fathom paging breakdown",
      .usage = "--swap=WHERE[,WHERE...] [options]",
      .about =
          "The paper's Table 2: for each swap, what a major fault costs, what of it is the device's and what the "
          "kernel's.\n"
          "Unless you say otherwise: uniform, set = map = 2 x limit, limit 512M, half reads, random fill, no "
          "warm-up,\n"
          "2 threads, page-cluster 0, 20 s, 3 repetitions in turns, each after waiting for quiet.\n",
      .groups = breakdown_rows()};
  return manual;
}

base::Expected<PagingOptions> read_paging_options(PagingAction action, std::span<const std::string> args) {
  PagingOptions o = action == PagingAction::run ? PagingOptions{} : breakdown_defaults();
  const auto given = options::read_command_line(manual_of(action), args, targets_of(o));
  if (!given) return given.error();
  o.help = given->help;
  if (o.help) return o;
  if (auto ok = take(action, *given, o); !ok) return given->placed(ok.error());
  return o;
}

std::string paging_help(PagingAction action) { return options::help_text(manual_of(action)); }

}  // namespace fathom::cli::paging_arguments
