// Checks whether the I/Os that the latency breakdown covers are representative. The I/Os without events are not a
// random sample. Example: a kernel that takes no samples on idle CPUs. It omits I/Os that completed on a sleeping CPU,
// and most I/Os do. Also checks whether the attributed time is representative: 1 % of the I/Os can have nearly all of
// the time.
#include <fmt/format.h>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "result/findings/rows.h"
#include "result/sums/cost_words.h"

namespace fathom::audit {
namespace {

using result::Effect;
using result::EffectOn;
using result::Undivided;
using result::findings::found;

constexpr Undivided kPartials[] = {Undivided::contested, Undivided::unplaced, Undivided::cut,
                                   Undivided::lost,      Undivided::unknown,  Undivided::no_room};

// I/Os served by the page cache are no defect of the breakdown. The report shows them, and check_page_cache gives the
// help.
void check_time(const result::BreakdownClass& c, Findings& out) {
  const double explained = result::explained_share(c);
  if (explained >= result::kLeastExplained) return;
  Undivided main = kPartials[0];
  for (const auto why : kPartials)
    if (c.of(why).time_ns > c.of(main).time_ns) main = why;
  const auto& most = c.of(main);
  if (most.time_ns == 0 || most.time_ns < c.of(Undivided::no_request).time_ns) return;
  const double share = 100 * static_cast<double>(most.time_ns) / result::looked_at_ns(c);
  out.push_back(found("breakdown.partial", {.variant = name(main),
                                            .job = c.job,
                                            .values = {{"explained_percent", 100 * explained},
                                                       {"direction", c.direction},
                                                       {"part_percent", share},
                                                       {"part_ios", most.ios},
                                                       {"ios", c.ios}},
                                            .effect = Effect{EffectOn::time, 1 - explained}}));
}

// A cost is a finding only if its whole interval exceeds the limit. The report shows an interval that contains the
// limit.
void check_cost(const result::Breakdown& split, const result::BreakdownClass& c, Findings& out) {
  if (result::verdict(c.watching) != result::CostVerdict::above) return;
  const std::string cost = result::sums::cost_number(c.watching) + result::sums::cpu_words(c.watching) +
                           result::sums::slices_words(c.watching);
  out.push_back(found("breakdown.cost", {.job = c.job,
                                         .values = {{"direction", c.direction},
                                                    {"cost", cost},
                                                    {"most_percent", 100 * result::kMostCost},
                                                    {"watched_percent", 100 * split.seen_share}}}));
}

void check_class(const result::Breakdown& split, const result::BreakdownClass& c, Findings& out) {
  if (c.ios == 0) return;
  check_time(c, out);
  check_cost(split, c, out);
  const std::uint64_t lost = c.of(Undivided::lost).ios;
  const double share = static_cast<double>(lost) / static_cast<double>(c.ios);
  if (share <= kLostShare) return;
  out.push_back(found(
      "breakdown.biased",
      {.job = c.job,
       .values = {{"ios", c.ios}, {"direction", c.direction}, {"lost_ios", lost}, {"lost_percent", 100 * share}}}));
}

}  // namespace

void check_breakdown(const result::Run& run, Findings& out) {
  if (!run.breakdown || run.breakdown->classes.empty()) return;
  const auto& split = *run.breakdown;
  for (const auto& c : split.classes) check_class(split, c, out);
}

}  // namespace fathom::audit
