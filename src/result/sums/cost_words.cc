// The text has "below" only if the whole interval is below the limit.
#include "result/sums/cost_words.h"

#include <fmt/format.h>

namespace fathom::result::sums {
namespace {

std::string what(CostBy by, const CostTerms& terms) {
  if (by == CostBy::p50) return std::string("of ") + terms.median;
  return by == CostBy::cpu ? std::string("of the CPU time ") + terms.each : "of the rate";
}

// The change of a median, with its sign.
std::string median_words(const WatchingCost& cost, const CostTerms& terms) {
  if (!terms.shows_median || cost.by == CostBy::p50 || cost.p50.half_width < 0) return "";
  return fmt::format(", {} {:+.1f} +- {:.1f} %", terms.median, 100 * cost.p50.share, 100 * cost.p50.half_width);
}

}  // namespace

CostTerms terms_of(const Paging& paging) {
  return {"per access", paging.classified ? "the median major fault" : "the median access", paging.classified};
}

std::string cost_number(const WatchingCost& cost, const CostTerms& terms) {
  const auto& judged = cost.judged();
  return fmt::format("{:.1f} +- {:.1f} % {}", 100 * judged.share, 100 * judged.half_width, what(cost.by, terms));
}

std::string cost_words(const WatchingCost& cost, const CostTerms& terms) {
  const double most = 100 * kMostCost;
  switch (verdict(cost)) {
    case CostVerdict::not_measured:
      return cost.cause.empty() ? "not measured" : "not measured: " + cost.cause;
    case CostVerdict::too_few:
      return "not known: fewer than three slices could be compared with the time before them";
    case CostVerdict::below:
      return fmt::format("below {:.0f} %: {}", most, cost_number(cost, terms));
    case CostVerdict::above:
      return cost_number(cost, terms);
    case CostVerdict::unsure:
      break;
  }
  return fmt::format("{}: too noisy to tell whether it is below {:.0f} %", cost_number(cost, terms), most);
}

std::string cpu_words(const WatchingCost& cost, const CostTerms& terms) {
  if (cost.cpu_per_io.half_width_ns < 0) return "";
  return fmt::format(", CPU {:.0f} +- {:.0f} ns {}", cost.cpu_per_io.ns, cost.cpu_per_io.half_width_ns, terms.each);
}

std::string slices_words(const WatchingCost& cost) {
  const char* of = cost.from == CostFrom::ramp       ? " of the ramp"
                   : cost.from == CostFrom::cost_run ? " of a separate run"
                                                     : "";
  return fmt::format(", by {} slices{}", cost.slices, of);
}

std::string judged_words(const WatchingCost& cost, const CostTerms& terms) {
  const auto known = verdict(cost);
  const bool rests = known != CostVerdict::not_measured && known != CostVerdict::too_few;
  return cost_words(cost, terms) +
         (rests ? median_words(cost, terms) + cpu_words(cost, terms) + slices_words(cost) : "");
}

}  // namespace fathom::result::sums
