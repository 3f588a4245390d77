// A share of an overhead has the same share of its confidence interval.
#include "witness/cost/watching_cost.h"

namespace fathom::witness::cost {
namespace {

result::CostShare share_of(const stats::Ratio& ratio, double share) {
  if (ratio.groups == 0) return {};
  return {share * ratio.value, ratio.half_width < 0 ? -1 : share * ratio.half_width};
}

}  // namespace

result::WatchingCost to_result(const stats::PairedCost& cost, bool paced, double share) {
  result::WatchingCost out;
  out.slices = cost.slices;
  out.rate = share_of(cost.rate, share);
  out.cpu = share_of(cost.cpu, share);
  // A median is not a sum of the overheads of the I/Os, so it cannot be scaled.
  if (share == 1) out.p50 = share_of(cost.p50, 1);
  const auto time = share_of(cost.cpu_ns, share);
  out.cpu_per_io = {time.share, time.half_width};
  if (cost.slices == 0) return out;
  out.by = !paced ? result::CostBy::rate : out.p50.half_width >= 0 ? result::CostBy::p50 : result::CostBy::cpu;
  return out;
}

}  // namespace fathom::witness::cost
