// A table with the needs of each option. If they are not met, the option has no effect.
#include "paging_job/conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "options/source.h"

namespace fathom::paging_job {
namespace {

using options::Given, options::usage_error;
using paging::AccessMode, paging::Fill, paging::Memory, paging::SwapPlan;

struct Need {
  std::string_view flag;
  bool (*met)(const Request& o);
  const char* why;  // why it has no effect
  const char* help;
};
constexpr auto kHot = [](const Request& o) { return o.plan.pattern.name == "hot"; };
constexpr auto kDrawn = [](const Request& o) { return o.plan.pattern.name != "trace"; };
constexpr auto kStamped = [](const Request& o) { return o.plan.touch.mode == AccessMode::histogram; };
constexpr auto kLegacy = [](const Request& o) { return o.plan.pattern.name.starts_with("legacy:"); };
constexpr auto kFilledByChance = [](const Request& o) {
  return o.plan.region.fill == Fill::random || o.plan.region.fill == Fill::compressible;
};
constexpr char kNoHotSet[] = "the pattern has no hot set", kWriteHot[] = "write `--pattern=hot`";
constexpr char kInTrace[] = "the trace sets it for each access", kLeave[] = "omit one of them";
constexpr char kNoStamps[] = "--access=touch measures no latencies";

constexpr char kByClass[] = "a breakdown needs latencies by class";

constexpr Need kBreakdownNeeds[] = {
    {"no-classify", [](const Request& o) { return o.plan.touch.classify; }, kByClass, "omit it"},
    {"access", kStamped, kByClass, "omit it"},
    {"cost", [](const Request&) { return false; }, "each swap would be measured another time in each round",
     "use `fathom paging --cost` with one of the swaps"},
    {"keep", [](const Request&) { return false; }, "its runs are of different swaps, and form no series",
     "use `fathom paging --keep` with one of the swaps"},
    {"history", [](const Request&) { return false; }, "--keep is not supported", "omit it"},
};

constexpr Need kNeeds[] = {
    {"hot-access", kHot, kNoHotSet, kWriteHot},
    {"hot-set", kHot, kNoHotSet, kWriteHot},
    {"hot-move", kHot, kNoHotSet, kWriteHot},
    {"trace-loop", [](const Request& o) { return o.plan.pattern.name == "trace"; }, "the pattern is not a trace",
     "write `--pattern=trace:FILE`"},
    {"read-ratio", kDrawn, kInTrace, kLeave},
    {"offset", kDrawn, kInTrace, kLeave},
    {"permute", [](const Request& o) { return o.plan.pattern.name != "uniform"; },
     "uniform pages are uniform in any order", kLeave},
    {"permute", [](const Request& o) { return kDrawn(o) && !kLegacy(o); },
     "the trace, or pmbench, determines the places of the pages", kLeave},
    {"delay",
     [](const Request& o) {
       return o.plan.touch.delay_ticks == 0 || o.plan.touch.delay_ticks > paging::kNoDelay_ticks;
     },
     "10 ticks or fewer end before the next clock read", "write `--delay=11` or more, or 0"},
    {"seed", [](const Request& o) { return (kDrawn(o) && !kLegacy(o)) || kFilledByChance(o); },
     "pmbench's generators have fixed seeds, and a trace has no random part", "omit it; `--fill=random` draws with it"},
    {"fill-map", [](const Request& o) { return o.plan.region.fill != Fill::none; }, "nothing is filled",
     "write `--fill=random`"},
    {"fill-map", [](const Request& o) { return o.plan.region.memory == Memory::anonymous; },
     "memory beyond the set of a file, or beyond reserved huge pages, may not exist", kLeave},
    {"overwrite-file", [](const Request& o) { return o.plan.region.memory == Memory::file_shared; },
     "nothing is written to a file", "write `--memory=file-shared:PATH`"},
    {"thp", [](const Request& o) { return o.plan.region.memory != Memory::hugetlb; },
     "pages of hugetlbfs are already huge", kLeave},
    {"stamps", kStamped, kNoStamps, kLeave},
    {"mark-above", kStamped, kNoStamps, kLeave},
    {"slow-above", [](const Request& o) { return kStamped(o) && o.plan.touch.classify; },
     "--no-classify and --access=touch do not classify accesses", kLeave},
    {"cost", [](const Request& o) { return o.audit; }, "--audit=off has no probes", kLeave},
    {"only",
     [](const Request& o) {
       return !o.swaps.empty() && std::none_of(o.swaps.begin(), o.swaps.end(),
                                               [](const auto& s) { return s.kind == SwapPlan::Kind::current; });
     },
     "the run uses the active swap", "name a swap of the run, `--swap=zram:2G`, or write `--swap=none`"},
};

base::Expected<void> check_needs(std::span<const Need> needs, const Given& given, const Request& o) {
  for (const auto& need : needs)
    if (given.has(need.flag) && !need.met(o))
      return usage_error(fmt::format("--{}: {}", need.flag, need.why), "", need.help);
  return {};
}

base::Expected<void> check_import(Action action, const Given& given) {
  if (!given.has("import")) return {};
  if (action == Action::breakdown)
    return usage_error("--import: a breakdown cannot import a report", "",
                       "use `fathom paging --import=FILE` to show a report again");
  for (const auto& written : given.options)
    if (!options::has_item("import output output-format force", written.row->name()))
      return usage_error(fmt::format("--{}: nothing is measured with --import", written.row->name()), "",
                         "write only --output and --output-format with --import");
  return {};
}

}  // namespace

base::Expected<void> check_conflicts(Action action, const Given& given, const Request& o) {
  if (auto ok = check_import(action, given); !ok) return ok;
  if (action == Action::breakdown)
    if (auto ok = check_needs(kBreakdownNeeds, given, o); !ok) return ok;
  if (auto ok = check_needs(kNeeds, given, o); !ok) return ok;
  if (given.has("cpus") && given.has("cpunode"))
    return usage_error("--cpunode: --cpus already binds the threads", "", kLeave);
  return {};
}

}  // namespace fathom::paging_job
