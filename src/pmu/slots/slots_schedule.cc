// Rounds of slots: two per event, of random length, shuffled (Fisher and Yates). Lengths belong to places, not to
// events. So the places are fixed before events are assigned to them at random.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pmu/slots/slots.h"

namespace fathom::pmu::slots {
namespace {

constexpr std::size_t kSlotsARound = 2;     // per event: the fewest with a difference, which shows how far they scatter
constexpr std::uint64_t kSubReadOneIn = 4;  // slots per extra read: enough to detect a load that follows them

}  // namespace

SlotSchedule::SlotSchedule(std::size_t events, std::vector<SlotPlan> plans, std::uint64_t seed)
    : events_(std::max<std::size_t>(events, 1)), plans_(std::move(plans)), random_(seed) {
  if (plans_.empty()) plans_.push_back({});
}

// Plans alternate in pairs of rounds: the order within a pair is random.
void SlotSchedule::draw_round() {
  if (plans_.size() > 1) plan_ = rounds_ % 2 == 1 ? 1 - plan_ : static_cast<std::uint32_t>(random_.below(2));
  const SlotPlan& plan = plans_[plan_];
  round_.clear();
  for (std::size_t i = 0; i < events_ * kSlotsARound; ++i) {
    const double jittered = plan.jitter > 0 ? 1 + plan.jitter * (2 * random_.unit() - 1) : 1;
    round_.push_back({static_cast<std::uint32_t>(i % events_), plan.mean_ns * stretch_ * jittered});
  }
  for (std::size_t i = round_.size(); plan.jitter > 0 && i > 1; --i)
    std::swap(round_[i - 1].event, round_[random_.below(i)].event);
  ++rounds_;
}

PlannedSlot SlotSchedule::next(double now_ns) {
  if (round_.empty()) draw_round();
  const SlotPlan& plan = plans_[plan_];
  PlannedSlot slot{round_.back().event, rounds_ - 1, plan_, now_ns + round_.back().length_ns, 0};
  round_.pop_back();
  if (plan.jitter <= 0) {
    const double length_ns = plan.mean_ns * stretch_, turn = std::floor(now_ns / length_ns + 1e-9);
    slot.event = static_cast<std::uint32_t>(std::fmod(turn, static_cast<double>(events_)));
    slot.end_ns = (turn + 1) * length_ns;
  }
  if (random_.below(kSubReadOneIn) == 0) slot.sub_ns = (now_ns + slot.end_ns) / 2;
  return slot;
}

void SlotSchedule::stretch(double factor) { stretch_ = factor; }

}  // namespace fathom::pmu::slots
