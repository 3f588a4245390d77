// "Below" only where the whole interval is.
#include "result/sums/cost_words.h"

#include <fmt/format.h>

namespace fathom::result::sums {
namespace {

const char* what(CostBy by) {
  return by == CostBy::p50 ? "of the median latency" : by == CostBy::cpu ? "of the CPU time an I/O" : "of the rate";
}

}  // namespace

std::string cost_number(const WatchingCost& cost) {
  const auto& judged = cost.judged();
  return fmt::format("{:.1f} +- {:.1f} % {}", 100 * judged.share, 100 * judged.half_width, what(cost.by));
}

std::string cost_words(const WatchingCost& cost) {
  const double most = 100 * kMostCost;
  switch (verdict(cost)) {
    case CostVerdict::not_measured:
      return cost.cause.empty() ? "not measured" : "not measured: " + cost.cause;
    case CostVerdict::too_few:
      return "not known: fewer than three slices could be held against the time before them";
    case CostVerdict::below:
      return fmt::format("below {:.0f} %: {}", most, cost_number(cost));
    case CostVerdict::above:
      return cost_number(cost);
    case CostVerdict::unsure:
      break;
  }
  return fmt::format("{}: too noisy to tell whether it is below {:.0f} %", cost_number(cost), most);
}

std::string cpu_words(const WatchingCost& cost) {
  if (cost.cpu_per_io.half_width_ns < 0) return "";
  return fmt::format(", CPU {:.0f} +- {:.0f} ns an I/O", cost.cpu_per_io.ns, cost.cpu_per_io.half_width_ns);
}

std::string slices_words(const WatchingCost& cost) {
  const char* of = cost.from == CostFrom::ramp       ? " of the ramp"
                   : cost.from == CostFrom::cost_run ? " of a run of its own"
                                                     : "";
  return fmt::format(", by {} slices{}", cost.slices, of);
}

std::string judged_words(const WatchingCost& cost) {
  const auto known = verdict(cost);
  const bool rests = known != CostVerdict::not_measured && known != CostVerdict::too_few;
  return cost_words(cost) + (rests ? cpu_words(cost) + slices_words(cost) : "");
}

}  // namespace fathom::result::sums
