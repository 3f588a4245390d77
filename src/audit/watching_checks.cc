// Findings from a separate run that measured probe overhead (--cost). Only an interval entirely above the limit is a
// finding. The breakdown's classes report the overhead of the latency breakdown, if it has classes. A timed device
// reports the overhead of its timing.
#include <algorithm>
#include <string>

#include "audit/checks.h"
#include "result/findings/rows.h"
#include "result/sums/cost_words.h"

namespace fathom::audit {
namespace {

// True: another finding reports this cost.
bool is_said(const result::Run& run, const result::WatcherCost& of) {
  if (of.watcher == "breakdown") return run.breakdown && !run.breakdown->classes.empty();
  if (!run.paging || !of.watcher.starts_with(result::kDeviceTimeOf)) return false;
  const auto& devices = run.paging->devices;
  return std::any_of(devices.begin(), devices.end(), [&](const auto& device) {
    const bool same = result::kDeviceTimeOf + device.device == of.watcher;
    return device.watching == of.cost || (same && result::verdict(device.watching) == result::CostVerdict::above);
  });
}

}  // namespace

void check_watching(const result::Run& run, Findings& out) {
  const auto terms = run.paging ? result::sums::terms_of(*run.paging) : result::sums::CostTerms();
  for (const auto& of : run.watching) {
    if (result::verdict(of.cost) != result::CostVerdict::above || is_said(run, of)) continue;
    const std::string cost = result::sums::cost_number(of.cost, terms) + result::sums::cpu_words(of.cost, terms) +
                             result::sums::slices_words(of.cost);
    out.push_back(result::findings::found("watching.cost", {.variant = of.watcher,
                                                            .job = run.paging ? "" : of.job,
                                                            .values = {{"watcher", of.watcher},
                                                                       {"affected", run.paging ? "the accesses" : "it"},
                                                                       {"cost", cost},
                                                                       {"most_percent", 100 * result::kMostCost}}}));
  }
}

}  // namespace fathom::audit
