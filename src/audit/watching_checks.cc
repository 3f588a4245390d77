// What a run of its own found watching to cost (--cost): only what is sure is a finding. Of the latency split its classes
// say it, where it has some.
#include <fmt/format.h>

#include <string>

#include "audit/checks.h"
#include "result/sums/cost_words.h"

namespace fathom::audit {
namespace {

const char* remedy_of(const std::string& watcher) {
  if (watcher == "breakdown") return "take rates and latencies from a run without --breakdown";
  if (watcher == "tracepoints") return "leave `trace` out of --audit: the block layer's own counters cost nothing";
  return "measure with --audit=off, and audit another run";
}

}  // namespace

void check_watching(const result::Run& run, Findings& out) {
  const bool told = run.breakdown && !run.breakdown->classes.empty();
  for (const auto& of : run.watching) {
    if (result::verdict(of.cost) != result::CostVerdict::above || (told && of.watcher == "breakdown")) continue;
    out.push_back(
        {"watching.cost", result::Severity::warning, of.job,
         fmt::format("{} costs it {}{}{}: more than {:.0f} %", of.watcher, result::sums::cost_number(of.cost),
                     result::sums::cpu_words(of.cost), result::sums::slices_words(of.cost), 100 * result::kMostCost),
         remedy_of(of.watcher)});
  }
}

}  // namespace fathom::audit
