// Slices are a fixed share of the time; their length follows from how long I/Os take.
#include "pmu/trace/split/slices.h"

#include <algorithm>

namespace fathom::pmu::trace::split {
namespace {

constexpr double kRound_ns = 200e6, kLongestRound_ns = 5e9;
constexpr double kLeastFinish_ns = 1e6, kMostFinish_ns = 1e9;

}  // namespace

SlicePlan plan_slices(double rate, double longest_ns, double full_rate) {
  if (rate <= full_rate) return {};
  const double share = full_rate / rate;
  SlicePlan plan;
  plan.always = false;
  plan.finish_ns = std::clamp(2 * longest_ns, kLeastFinish_ns, kMostFinish_ns);
  const double round_ns = std::clamp(4 * plan.finish_ns / share, kRound_ns, kLongestRound_ns);
  plan.choose_ns = std::max(share * round_ns - plan.finish_ns, share * round_ns / 4);
  plan.pause_ns = (plan.choose_ns + plan.finish_ns) * (1 / share - 1);
  return plan;
}

Slices::Choice Slices::choose(std::uint64_t start_ns, std::uint64_t reap_ns) const {
  for (auto at = slices_.rbegin(); at != slices_.rend(); ++at) {
    if (start_ns < at->on_ns) continue;
    if (start_ns >= at->off_ns) return Choice::off;
    if (start_ns >= at->chosen_until_ns) return Choice::no;
    return reap_ns <= at->off_ns ? Choice::yes : Choice::cut;
  }
  return Choice::no;
}

void Slices::switched_off(std::uint64_t now_ns) {
  if (!on()) return;
  auto& slice = slices_.back();
  slice.off_ns = now_ns;
  slice.chosen_until_ns = std::min(slice.chosen_until_ns, now_ns);
  if (slices_.size() > kRemembered) slices_.pop_front();
}

Slices::Step Slices::next(const SlicePlan& plan, std::uint64_t now_ns) {
  if (!on()) return plan.always || now_ns >= resume_ns_ ? Step::turn_on : Step::stay;
  auto& slice = slices_.back();
  if (slice.chosen_until_ns == ~0ull) {
    const auto chosen = static_cast<std::uint64_t>(plan.choose_ns);
    if (!plan.always && now_ns >= slice.on_ns + chosen) slice.chosen_until_ns = now_ns;
    return Step::stay;
  }
  if (now_ns < slice.chosen_until_ns + static_cast<std::uint64_t>(plan.finish_ns)) return Step::stay;
  const double planned_ns = plan.choose_ns + plan.finish_ns, was_on_ns = static_cast<double>(now_ns - slice.on_ns);
  const double pause_ns = planned_ns > 0 ? plan.pause_ns * was_on_ns / planned_ns : 0;
  resume_ns_ = now_ns + static_cast<std::uint64_t>(pause_ns * (0.5 + prng_.unit()));
  return Step::turn_off;
}

}  // namespace fathom::pmu::trace::split
